import { type CaseManifest, type Identity, openRecord } from "@evenbench/core";
import type { Exchange } from "@evenbench/probe";
import { median, type Warmth, type WarmUpNeed } from "@evenbench/stats";
import { type MeasuredTarget, runTargetOf } from "./targets.ts";

/** Whatever was found. Milliseconds; cost is CPU time where that is reported. */
export const LONGEST_SEARCH = { costMs: 5000, timeMs: 15_000 };
/** Before that, where what was found is proven. */
export const SHORTEST_SEARCH = { exchanges: 600, timeMs: 2000 };
/** Fewer say nothing, however slow they are. */
export const LEAST_SEARCH_EXCHANGES = 20;

export interface KnownNeed {
  readonly exchanges: number;
  /** null where no search came to its end, or where instances that got more were not warm. */
  readonly warmAfter: number | null;
  readonly ms: number;
}

export interface CaseCost {
  readonly roundMs: number;
  readonly startMs: number;
  readonly warmUpMs: number;
  /** Beyond that, in the first trial, where it is still to be found out what the instances need. */
  readonly searchMs: number;
  /** That an instance is known to be worth. */
  readonly rounds?: number | undefined;
}

export interface SeenTimes {
  readonly exchangeMs: Readonly<Record<string, number>>;
  readonly startMs: number;
}

/** Instances differ: each gets a part more than was found to be needed. */
const SAFETY_FACTOR = 1.25;
/** And what a search found is as many as fill this time: it does not see a compiler's last steps (docs/decisions/0055). */
export const MIN_NEED = { ms: 2000, exchanges: 300 };
/** What was measured and found not warm gets so much more the next time. */
const RAISE_FACTOR = 1.5;
/** Exchanges of a warm-up take so many times as long as warm ones: 1.0 to 1.5 in long series of 8 cases. */
const COLD_FACTOR = 1.2;
/** One of two that are asked at a time, by the time that it would take alone: 0.56 to 0.63 in three cases. */
const PAIRED_FACTOR = 0.6;
/** Until more is known: instances are warm after this part of a search. */
const NEEDED_SHARE = 0.3;
/** A warm exchange takes about this part of one of the first; one that takes long is warm before it ends. */
const WARM_SHARE = 0.4;
const LONG_EXCHANGE_MS = 200;
const WARM_SHARE_OF_LONG = 0.9;

/** How many requests warm an instance of each target up in one case: known of the case, or found in its first trial. */
export class WarmUpNeeds {
  readonly #known: Map<string, KnownNeed>;
  readonly #doubted = new Set<string>();
  readonly #fixed: number | null;

  /** @param fixed warm-up exchanges, where the user wants no search. */
  constructor(known: Readonly<Record<string, KnownNeed>> = {}, fixed: number | null = null) {
    this.#known = new Map(Object.entries(known));
    this.#fixed = fixed;
  }

  get isFixed(): boolean {
    return this.#fixed !== null;
  }

  neededBy(target: MeasuredTarget): number | null {
    const need = this.#needOf(target);
    return need === undefined ? null : Math.max(1, Math.ceil(need.exchanges * SAFETY_FACTOR));
  }

  warmAfter(target: MeasuredTarget): number | null {
    return this.isFixed ? null : (this.#needOf(target)?.warmAfter ?? null);
  }

  warmUpFor(target: MeasuredTarget): { readonly exchanges: number; readonly isSearch: boolean } {
    const exchanges = this.#fixed ?? this.neededBy(target);
    return { exchanges: exchanges ?? Number.POSITIVE_INFINITY, isSearch: exchanges === null };
  }

  costOf(
    targets: readonly MeasuredTarget[],
    { exchangeMs, startMs }: SeenTimes,
    pauseMs = 0,
    isPaired: (target: MeasuredTarget) => boolean = () => false,
  ): CaseCost {
    let roundMs = 0;
    let warmUpMs = 0;
    let searchMs = 0;
    for (const target of targets) {
      const warmMs = this.#needOf(target)?.ms ?? warmGuess(exchangeMs[originalOf(target)]);
      const { firstMs, laterMs } = this.#warmUpMs(
        target,
        warmMs,
        COLD_FACTOR * (isPaired(target) ? PAIRED_FACTOR : 1),
      );
      roundMs += warmMs + pauseMs;
      warmUpMs += laterMs;
      searchMs += firstMs - laterMs;
    }
    return { roundMs, startMs, warmUpMs, searchMs };
  }

  #warmUpMs(
    target: MeasuredTarget,
    warmMs: number,
    coldFactor: number,
  ): { readonly firstMs: number; readonly laterMs: number } {
    const { exchanges, isSearch } = this.warmUpFor(target);
    if (!isSearch) {
      const ms = exchanges * warmMs * coldFactor;
      return { firstMs: ms, laterMs: ms };
    }
    const provenMs = Math.max(SHORTEST_SEARCH.exchanges * warmMs, SHORTEST_SEARCH.timeMs);
    const firstMs = Math.max(LEAST_SEARCH_EXCHANGES * warmMs, Math.min(provenMs, LONGEST_SEARCH.costMs));
    const leastMs = coldFactor * Math.min(MIN_NEED.exchanges * warmMs, MIN_NEED.ms);
    const laterMs = Math.max(leastMs, NEEDED_SHARE * firstMs);
    // The copy gets what its original was found to need.
    return { firstMs: target.copyOf === null ? Math.max(firstMs, laterMs) : laterMs, laterMs };
  }

  /** Where the level was not reached, later instances get as many as this one. */
  storeSearch(target: MeasuredTarget, { exchanges, reached }: WarmUpNeed, times: readonly number[]): void {
    const ms = median(times.slice(-Math.ceil(times.length / 3)));
    const least = Math.min(MIN_NEED.exchanges, Math.ceil(MIN_NEED.ms / Math.max(ms, 1))) / SAFETY_FACTOR;
    const enough = reached ? exchanges : Math.floor(times.length / SAFETY_FACTOR);
    this.#known.set(originalOf(target), {
      exchanges: Math.max(enough, Math.floor(least)),
      warmAfter: reached ? exchanges : null,
      ms,
    });
  }

  /** A search of equal programs can end sixfold apart: those of one platform, or of none, all get the largest need. */
  equalise(targets: readonly MeasuredTarget[]): void {
    for (const alike of Map.groupBy(targets, (target) => runTargetOf(target).platform).values()) {
      const needs = alike.flatMap((target) => this.#needOf(target) ?? []);
      const exchanges = Math.max(...needs.map((need) => need.exchanges));
      for (const target of alike) {
        const need = this.#needOf(target);
        if (need !== undefined) {
          this.#known.set(originalOf(target), { ...need, exchanges });
        }
      }
    }
  }

  updateExchangeTime(target: MeasuredTarget, times: readonly number[]): void {
    const need = this.#needOf(target);
    if (need !== undefined && times.length > 0) {
      this.#known.set(originalOf(target), { ...need, ms: median(times) });
    }
  }

  /**
   * Two instances one after the other that were not warm although they had got what is needed, need more: single ones are
   * found so on any busy machine. What was fixed, or cut short, says nothing of that.
   */
  raiseIfCold(target: MeasuredTarget, { warm }: Warmth, got: number): void {
    const need = this.#needOf(target);
    if (need === undefined || this.isFixed || got < (this.neededBy(target) ?? 0)) {
      return;
    }
    const name = originalOf(target);
    const isFirst = !this.#doubted.delete(name);
    if (isFirst && !warm) {
      this.#doubted.add(name);
    }
    if (isFirst || warm) {
      return;
    }
    const more = Math.min(mostOf(need), Math.ceil(need.exchanges * RAISE_FACTOR) + 1);
    this.#known.set(name, { ...need, exchanges: Math.max(need.exchanges, more), warmAfter: null });
  }

  #needOf(target: MeasuredTarget): KnownNeed | undefined {
    return this.#known.get(originalOf(target));
  }
}

function warmGuess(exchangeMs = 0): number {
  return exchangeMs * (exchangeMs > LONG_EXCHANGE_MS ? WARM_SHARE_OF_LONG : WARM_SHARE);
}

function mostOf({ ms }: KnownNeed): number {
  return Math.max(LEAST_SEARCH_EXCHANGES, Math.floor(LONGEST_SEARCH.timeMs / Math.max(ms, 0.01)));
}

function originalOf({ name, copyOf }: MeasuredTarget): string {
  return copyOf ?? name;
}

/** What is known of a case, for its targets as they are: with other parameters it is another one. */
export function usualNeeds(
  { id, warmAfter = {} }: CaseManifest,
  targets: readonly MeasuredTarget[],
  identities: Readonly<Record<string, Identity>>,
  seen: Readonly<Record<string, SeenTimes>>,
): Readonly<Record<string, KnownNeed>> {
  return openRecord(
    targets.flatMap(({ target }): [string, KnownNeed][] => {
      const exchanges = warmAfter[identities[target.name]?.platform ?? ""];
      if (exchanges === undefined || "parameters" in target) {
        return [];
      }
      const ms = warmGuess(seen[id]?.exchangeMs[target.name]);
      return [[target.name, { exchanges, warmAfter: null, ms }]];
    }),
  );
}

/** @returns whether it says what an exchange costs. */
export function addTo(
  series: WarmUpSeries,
  { cost: account, error, lastByteMs: time }: Pick<Exchange, "cost" | "error" | "lastByteMs">,
): boolean {
  if (error !== null || time === null) {
    return false;
  }
  const cost = account.cpuMs ?? time;
  series.costs.push(cost);
  series.times.push(time);
  series.costMs += cost;
  series.timeMs += time;
  return true;
}

export type WarmUpSeries = ReturnType<typeof emptySeries>;

/** Costs are CPU times of warm-up exchanges, else times to their last bytes. Milliseconds; and the sums of both. */
export function emptySeries() {
  return { costs: [] as number[], times: [] as number[], costMs: 0, timeMs: 0 };
}
