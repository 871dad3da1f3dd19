import { median, sum, type Warmth, type WarmUpNeed } from "@evenbench/stats";
import type { MeasuredTarget } from "./targets.ts";

/** A search ends here, whatever it has found. Milliseconds; cost is CPU time where that is reported. */
export const LONGEST_SEARCH = { costMs: 5000, timeMs: 15_000 };
/** It ends before where what it found is proven: from so many exchanges and so much time on. */
export const SHORTEST_SEARCH = { exchanges: 600, timeMs: 2000 };
/** A search that saw fewer exchanges than this says nothing, however slow they are. */
export const LEAST_SEARCH_EXCHANGES = 20;

export interface KnownNeed {
  readonly exchanges: number;
  /** Where a search found it to be warm; null where none came to its end, or where instances that got more were not warm. */
  readonly warmAfter: number | null;
  readonly ms: number;
  /** How often it was raised since it was found, because instances that got it were not warm. */
  readonly raised: number;
  readonly quiet: boolean;
}

/** Instances differ: each gets a part more than was found to be needed. */
const MARGIN = 1.25;
/** And as many as fill this time: a search does not see a compiler's last steps (docs/decisions/0055). */
const LEAST = { ms: 2000, exchanges: 300 };
/** What was measured and found not warm gets so much more the next time. */
const RAISE = 1.5;
/** Exchanges of a warm-up take so many times as long as warm ones: measured on long series of 8 cases, 1.0 to 1.5. */
const COLD_FACTOR = 1.2;
/** Until more is known: instances are warm after this part of a search. */
const NEEDED_SHARE = 0.3;

export interface WarmUpOrder {
  /** Infinity for a search: it ends by itself. */
  readonly exchanges: number;
  readonly isSearch: boolean;
}

export class WarmUpNeeds {
  readonly #known: Map<string, KnownNeed>;
  readonly #fixed: number | null;

  constructor(known: ReadonlyMap<string, KnownNeed>, fixed: number | null) {
    this.#known = new Map(known);
    this.#fixed = fixed;
  }

  get isFixed(): boolean {
    return this.#fixed !== null;
  }

  get known(): ReadonlyMap<string, KnownNeed> {
    return this.#known;
  }

  /** Exchanges that an instance has to get before it counts as warm; null while nobody knows. */
  neededBy(measured: MeasuredTarget): number | null {
    const need = this.#known.get(originalOf(measured));
    if (need === undefined) return null;
    return Math.max(least(need), Math.ceil(need.exchanges * MARGIN));
  }

  warmAfter(measured: MeasuredTarget): number | null {
    return this.isFixed ? null : (this.#known.get(originalOf(measured))?.warmAfter ?? null);
  }

  of(measured: MeasuredTarget): WarmUpOrder {
    if (this.#fixed !== null) return { exchanges: this.#fixed, isSearch: false };
    const needed = this.neededBy(measured);
    return { exchanges: needed ?? Number.POSITIVE_INFINITY, isSearch: needed === null };
  }

  /** What the warm-up of its next instance takes, and of those after that, in milliseconds. */
  expect(measured: MeasuredTarget, warmMs: number): { readonly firstMs: number; readonly laterMs: number } {
    const { exchanges, isSearch } = this.of(measured);
    if (!isSearch) {
      const ms = exchanges * (this.#known.get(originalOf(measured))?.ms ?? warmMs) * COLD_FACTOR;
      return { firstMs: ms, laterMs: ms };
    }
    const provenMs = Math.max(SHORTEST_SEARCH.exchanges * warmMs, SHORTEST_SEARCH.timeMs);
    const firstMs = Math.max(LEAST_SEARCH_EXCHANGES * warmMs, Math.min(provenMs, LONGEST_SEARCH.costMs));
    const leastMs = COLD_FACTOR * Math.min(LEAST.exchanges * warmMs, LEAST.ms);
    const laterMs = Math.max(leastMs, NEEDED_SHARE * firstMs);
    // The copy gets what its original was found to need.
    return { firstMs: measured.copyOf === null ? Math.max(firstMs, laterMs) : laterMs, laterMs };
  }

  /** What warming up these once takes, in milliseconds; null while that of one is not known. */
  expectedMs(measuredTargets: readonly MeasuredTarget[]): number | null {
    const isKnown = measuredTargets.every((measured) => this.#known.has(originalOf(measured)));
    return isKnown
      ? measuredTargets.reduce((sum, measured) => sum + this.expect(measured, 0).laterMs, 0)
      : null;
  }

  /** What one warm exchange with each of these takes, in milliseconds; null while that of one is not known. */
  exchangeMs(measuredTargets: readonly MeasuredTarget[]): number | null {
    const known = measuredTargets.flatMap((measured) => this.#known.get(originalOf(measured))?.ms ?? []);
    return known.length === measuredTargets.length ? sum(known) : null;
  }

  /**
   * Of two series the larger need counts; where the level was not reached, later instances get as many as
   * this one.
   */
  learn(
    measured: MeasuredTarget,
    { exchanges, reached }: WarmUpNeed,
    { times }: { readonly times: readonly number[] },
    quiet: boolean,
  ): void {
    const found = reached ? exchanges : Math.floor(times.length / MARGIN);
    const last = times.slice(-Math.ceil(times.length / 3));
    const name = originalOf(measured);
    const before = this.#known.get(name) ?? { exchanges: 0, warmAfter: 0 };
    const isKnown = reached && before.warmAfter !== null;
    this.#known.set(name, {
      exchanges: Math.max(before.exchanges, found),
      warmAfter: isKnown ? Math.max(before.warmAfter, exchanges) : null,
      ms: median(last),
      raised: 0,
      quiet,
    });
  }

  learnTime(measured: MeasuredTarget, times: readonly number[]): void {
    const name = originalOf(measured);
    const need = this.#known.get(name);
    if (need !== undefined && times.length > 0) this.#known.set(name, { ...need, ms: median(times) });
  }

  /**
   * One that was not warm although it had got what is needed, needs more. What was fixed, or cut short,
   * says nothing of that.
   */
  learnFromRounds(measured: MeasuredTarget, { warm }: Warmth, got: number): void {
    const name = originalOf(measured);
    const need = this.#known.get(name);
    if (warm || need === undefined || this.isFixed || got < (this.neededBy(measured) ?? 0)) return;
    const had = Math.max(need.exchanges, least(need) / MARGIN);
    const exchanges = Math.max(need.exchanges, Math.min(mostOf(need), Math.ceil(had * RAISE) + 1));
    this.#known.set(name, { ...need, exchanges, warmAfter: null, raised: need.raised + 1 });
  }
}

function least({ ms }: KnownNeed): number {
  return Math.min(LEAST.exchanges, Math.ceil(LEAST.ms / Math.max(ms, 1)));
}

function mostOf({ ms }: KnownNeed): number {
  return Math.max(LEAST_SEARCH_EXCHANGES, Math.floor(LONGEST_SEARCH.timeMs / Math.max(ms, 0.01)));
}

function originalOf({ name, copyOf }: MeasuredTarget): string {
  return copyOf ?? name;
}
