import { median, type Warmth, type WarmUpNeed } from "@evenbench/stats";
import type { Subject } from "./targets.ts";

/**
 * What a target needs is looked for on a series of so many exchanges, or of so much cost (see
 * `RunningPosition.costs`) or time where that comes first.
 */
export const LONGEST_SEARCH = { exchanges: 600, costMs: 5000, timeMs: 15_000 };

/** What fresh instances of a target need in a case, as far as it is known. */
export interface KnownNeed {
  /** Exchanges from the first on: as many as were found, or more where that was too few. */
  readonly exchanges: number;
  /**
   * Exchanges after which a search found it to be warm; null where none came to its end, or where instances
   * that got more were not warm.
   */
  readonly warmAfter: number | null;
  /** What a warm one took to its last byte, in milliseconds: median. */
  readonly ms: number;
  /** How often it was raised since it was found, because instances that got it were not warm. */
  readonly raised: number;
  /** Whether it was found while other programs took little of the machine's time. */
  readonly quiet: boolean;
}

/** Every instance gets a part more than was found to be needed: they differ. */
const MARGIN = 1.25;
/**
 * Every instance gets as many exchanges as warm ones fill this time with, at most so many: a search does not
 * see a compiler's last steps, which take some hundredths off, and a target with a short warm-up beside one
 * with a long one would be a little cold (docs/decisions/0028).
 */
const LEAST = { ms: 2000, exchanges: 300 };
/** What was measured and found not warm gets so much more the next time. */
const RAISE = 1.5;

/** How an instance is to be warmed up. */
export interface WarmUpOrder {
  readonly exchanges: number;
  /** Whether what it needs is still to be found on the way. */
  readonly isSearch: boolean;
}

/**
 * What the targets of one case need to be warm: known from earlier runs, or found in this one. An A/A copy
 * needs what its original does.
 */
export class WarmUpNeeds {
  readonly #known: Map<string, KnownNeed>;
  readonly #fixed: number | null;

  /** @param fixed exchanges of every instance, where the user wants no search. */
  constructor(known: ReadonlyMap<string, KnownNeed>, fixed: number | null) {
    this.#known = new Map(known);
    this.#fixed = fixed;
  }

  /** Whether the user said how many exchanges every instance gets. */
  get isFixed(): boolean {
    return this.#fixed !== null;
  }

  /** By name of the target. */
  get known(): ReadonlyMap<string, KnownNeed> {
    return this.#known;
  }

  /** Exchanges that an instance of the target has to get before it counts as warm; null while nobody knows. */
  neededBy(subject: Subject): number | null {
    const need = this.#known.get(originalOf(subject));
    if (need === undefined) return null;
    return Math.min(LONGEST_SEARCH.exchanges, Math.max(least(need), Math.ceil(need.exchanges * MARGIN)));
  }

  /**
   * Exchanges after which it was found to be warm, without what an instance gets beyond that; null where
   * nobody knows.
   */
  warmAfter(subject: Subject): number | null {
    return this.isFixed ? null : (this.#known.get(originalOf(subject))?.warmAfter ?? null);
  }

  of(subject: Subject): WarmUpOrder {
    if (this.#fixed !== null) return { exchanges: this.#fixed, isSearch: false };
    const needed = this.neededBy(subject);
    return { exchanges: needed ?? LONGEST_SEARCH.exchanges, isSearch: needed === null };
  }

  /**
   * Takes up what a long series showed; of two, the larger need counts. Where the level was not reached,
   * later instances get as many as this series has.
   *
   * @param quiet whether other programs took little of the machine's time meanwhile.
   */
  learn(
    subject: Subject,
    { exchanges, reached }: WarmUpNeed,
    { times }: { readonly times: readonly number[] },
    quiet: boolean,
  ): void {
    const found = reached ? exchanges : Math.floor(times.length / MARGIN);
    const last = times.slice(-Math.ceil(times.length / 3));
    const name = originalOf(subject);
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

  /** Takes up how long warm exchanges are here: what the repository or a first answer said was a guess. */
  learnTime(subject: Subject, times: readonly number[]): void {
    const name = originalOf(subject);
    const need = this.#known.get(name);
    if (need !== undefined && times.length > 0) this.#known.set(name, { ...need, ms: median(times) });
  }

  /** What warming up these once takes, in milliseconds; 0 for those of which nothing is known. */
  expectedMs(subjects: readonly Subject[]): number {
    const expected = subjects.map(
      (subject) => (this.neededBy(subject) ?? 0) * (this.#known.get(originalOf(subject))?.ms ?? 0),
    );
    return expected.reduce((sum, ms) => sum + ms, 0);
  }

  /**
   * Takes up what the measured exchanges of an instance showed: one that was not warm although it had got
   * what is needed, needs more. What was fixed, or cut short, says nothing of that.
   *
   * @param got exchanges of warm-up.
   */
  learnFromRounds(subject: Subject, { warm }: Warmth, got: number): void {
    const name = originalOf(subject);
    const need = this.#known.get(name);
    if (warm || need === undefined || this.isFixed || got < (this.neededBy(subject) ?? 0)) return;
    const had = Math.max(need.exchanges, least(need) / MARGIN);
    const exchanges = Math.min(LONGEST_SEARCH.exchanges, Math.ceil(had * RAISE) + 1);
    this.#known.set(name, { ...need, exchanges, warmAfter: null, raised: need.raised + 1 });
  }
}

function least({ ms }: KnownNeed): number {
  return Math.min(LEAST.exchanges, Math.ceil(LEAST.ms / Math.max(ms, 1)));
}

function originalOf({ name, copyOf }: Subject): string {
  return copyOf ?? name;
}
