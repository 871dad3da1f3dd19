import { type CaseManifest, type Identity, openRecord } from "@evenbench/core";
import { median, WARM_UP, type Warmth, type WarmUpNeed } from "@evenbench/stats";
import { type MeasuredTarget, runTargetOf } from "./targets.ts";

const { search, minNeed, growthFactor, estimate } = WARM_UP;

/** The warm-up that a target's instances are known to need in one case. */
export interface KnownNeed {
  /** Number of exchanges. */
  readonly exchanges: number;
  /**
   * Number of exchanges after which a search found an instance warm; null where none came to its end, or
   * where instances that got more were not warm.
   */
  readonly warmAfter: number | null;
  /** Time of a warm exchange, in milliseconds. */
  readonly ms: number;
}

/** Expected times of one trial of a case, in milliseconds. */
export interface CaseCost {
  /** Time of one round: an exchange with each target, and the pauses before them. */
  readonly roundMs: number;
  /** Time to start all instances. */
  readonly startMs: number;
  /** Time to warm all instances up. */
  readonly warmUpMs: number;
  /**
   * Additional time of the first trial's warm-up, if it still has to be found out what the instances need.
   */
  readonly searchMs: number;
  /** Number of rounds that the case says an instance is worth; undefined where it says none. */
  readonly rounds?: number | undefined;
}

/** Times that preflight saw of a case, in milliseconds. */
export interface SeenTimes {
  /** Time of one exchange, by name of the target. */
  readonly exchangeMs: Readonly<Record<string, number>>;
  /** Time to start all targets. */
  readonly startMs: number;
}

/** The warm-up that the next instance of a target gets. */
export interface WarmUpOrder {
  /** Number of exchanges; Infinity for a search, which ends by itself. */
  readonly exchanges: number;
  /** True if it has to be found out what the target needs. */
  readonly isSearch: boolean;
}

/** Expected times of a target's warm-up, in milliseconds. */
interface WarmUpTimes {
  /** Time of the next instance. */
  readonly firstMs: number;
  /** Time of each instance after it. */
  readonly laterMs: number;
}

/**
 * The knowledge of how many requests warm an instance of each target up in one case: stated by the case, or found in
 * its first trial. A copy needs what its original needs.
 */
export class WarmUpNeeds {
  readonly #known: Map<string, KnownNeed>;
  /** Originals whose last instance was not warm although it had got what is needed. */
  readonly #doubted = new Set<string>();
  readonly #fixed: number | null;

  /**
   * @param known by name of the target.
   * @param fixed number of warm-up exchanges, where the user fixed it; null: it is what each target needs.
   */
  constructor(known: Readonly<Record<string, KnownNeed>> = {}, fixed: number | null = null) {
    this.#known = new Map(Object.entries(known));
    this.#fixed = fixed;
  }

  /** True where the user fixed the number of warm-up exchanges. */
  get isFixed(): boolean {
    return this.#fixed !== null;
  }

  /**
   * Gives the number of exchanges that an instance of the target has to get, at least 1; null while that is unknown.
   */
  neededBy(target: MeasuredTarget): number | null {
    const need = this.#needOf(target);
    return need === undefined ? null : Math.max(1, need.exchanges);
  }

  /**
   * Gives the number of exchanges after which a search found an instance of the target warm; null where none did, or
   * where the user fixed a number.
   */
  warmAfter(target: MeasuredTarget): number | null {
    return this.isFixed ? null : (this.#needOf(target)?.warmAfter ?? null);
  }

  /** Says what warm-up the next instance of the target gets. */
  warmUpFor(target: MeasuredTarget): WarmUpOrder {
    const exchanges = this.#fixed ?? this.neededBy(target);
    return { exchanges: exchanges ?? Number.POSITIVE_INFINITY, isSearch: exchanges === null };
  }

  /**
   * Estimates the times of a trial of these targets.
   *
   * @param seen times that preflight saw: they count while no warm exchange was seen.
   * @param pauseMs pause before each exchange, in milliseconds.
   * @param isPaired tells whether a target is warmed up while another one is.
   */
  costOf(
    targets: readonly MeasuredTarget[],
    seen: SeenTimes,
    pauseMs: number = 0,
    isPaired: (target: MeasuredTarget) => boolean = () => false,
  ): CaseCost {
    let roundMs = 0;
    let warmUpMs = 0;
    let searchMs = 0;
    for (const target of targets) {
      const warmMs = this.#needOf(target)?.ms ?? guessWarmMs(seen.exchangeMs[originalOf(target)] ?? 0);
      const factor = estimate.coldFactor * (isPaired(target) ? estimate.pairedFactor : 1);
      const { firstMs, laterMs } = this.#warmUpTimes(target, warmMs, factor);
      roundMs += warmMs + pauseMs;
      warmUpMs += laterMs;
      searchMs += firstMs - laterMs;
    }
    return { roundMs, startMs: seen.startMs, warmUpMs, searchMs };
  }

  /** @param factor time of a warm-up's exchange relative to a warm one. */
  #warmUpTimes(target: MeasuredTarget, warmMs: number, factor: number): WarmUpTimes {
    const { exchanges, isSearch } = this.warmUpFor(target);
    if (!isSearch) {
      const ms = exchanges * warmMs * factor;
      return { firstMs: ms, laterMs: ms };
    }
    const laterMs = factor * Math.min(minNeed.exchanges * warmMs, minNeed.ms);
    if (target.copyOf !== null) {
      return { firstMs: laterMs, laterMs };
    }
    const provenMs = Math.max(search.minProvenExchanges * warmMs, search.minProvenTimeMs);
    const searchMs = Math.max(search.minExchanges * warmMs, Math.min(provenMs, search.maxCostMs));
    return { firstMs: Math.max(searchMs, laterMs), laterMs };
  }

  /**
   * Stores what a search found. If its series did not come to a level, later instances get as many exchanges
   * as it had.
   *
   * @param times of the series' exchanges, in milliseconds.
   */
  storeSearch(target: MeasuredTarget, { exchanges, reached }: WarmUpNeed, times: readonly number[]): void {
    const lastThird = times.slice(-Math.ceil(times.length / 3));
    const ms = median(lastThird);
    const minExchanges = Math.min(minNeed.exchanges, Math.ceil(minNeed.ms / Math.max(ms, 1)));
    const found = reached ? exchanges : times.length;
    this.#known.set(originalOf(target), {
      exchanges: Math.max(found, minExchanges),
      warmAfter: reached ? exchanges : null,
      ms,
    });
  }

  /**
   * Gives all of these targets that run on one platform, or on none, the largest need among them: searches of
   * one program differ by chance (in the long series of `WARM_UP` up to twentyfold).
   */
  equalise(targets: readonly MeasuredTarget[]): void {
    for (const alike of Map.groupBy(targets, (target) => runTargetOf(target).platform).values()) {
      const needs = alike.map((target) => this.#needOf(target)).filter((need) => need !== undefined);
      const exchanges = Math.max(...needs.map((need) => need.exchanges));
      for (const target of alike) {
        const need = this.#needOf(target);
        if (need !== undefined) {
          this.#known.set(originalOf(target), { ...need, exchanges });
        }
      }
    }
  }

  /**
   * Takes the median of these times as that of a warm exchange, in milliseconds. Without times, or a need,
   * nothing changes.
   */
  updateExchangeTime(target: MeasuredTarget, times: readonly number[]): void {
    const need = this.#needOf(target);
    if (need !== undefined && times.length > 0) {
      this.#known.set(originalOf(target), { ...need, ms: median(times) });
    }
  }

  /**
   * Raises the need of a target after two instances in a row that were not warm although they had got it:
   * single ones are found not warm on any busy machine. An instance whose warm-up was fixed, or cut short,
   * says nothing of the need.
   *
   * @param got number of warm-up exchanges that the instance got.
   */
  raiseIfCold(target: MeasuredTarget, warmth: Warmth, got: number): void {
    const need = this.#needOf(target);
    if (need === undefined || this.isFixed || got < (this.neededBy(target) ?? 0)) {
      return;
    }
    const name = originalOf(target);
    if (warmth === null) {
      this.#doubted.delete(name);
      return;
    }
    if (!this.#doubted.has(name)) {
      this.#doubted.add(name);
      return;
    }
    this.#doubted.delete(name);
    const raised = Math.min(maxExchangesOf(need), Math.ceil(need.exchanges * growthFactor) + 1);
    this.#known.set(name, { ...need, exchanges: Math.max(need.exchanges, raised), warmAfter: null });
  }

  #needOf(target: MeasuredTarget): KnownNeed | undefined {
    return this.#known.get(originalOf(target));
  }
}

/** Estimates the time of a warm exchange by that of one of the first, in milliseconds. */
function guessWarmMs(exchangeMs: number): number {
  const isLong = exchangeMs > estimate.longExchangeMs;
  return exchangeMs * (isLong ? estimate.warmShareOfLong : estimate.warmShare);
}

/** Number of exchanges up to which a need is raised: those that fill a search's longest time. */
function maxExchangesOf({ ms }: KnownNeed): number {
  return Math.max(search.minExchanges, Math.floor(search.maxTimeMs / Math.max(ms, 0.01)));
}

function originalOf({ name, copyOf }: MeasuredTarget): string {
  return copyOf ?? name;
}

/**
 * Lists the needs that a case's definition gives by platform (`warmAfter`), by name of the target. A target with
 * parameters of its own has none: it is another case.
 *
 * @param seen times that preflight saw, by case id.
 */
export function usualNeeds(
  { id, warmAfter = {} }: CaseManifest,
  targets: readonly MeasuredTarget[],
  identities: Readonly<Record<string, Identity>>,
  seen: Readonly<Record<string, SeenTimes>>,
): Readonly<Record<string, KnownNeed>> {
  const needs = openRecord<KnownNeed>();
  for (const { target } of targets) {
    const exchanges = warmAfter[identities[target.name]?.platform ?? ""];
    if (exchanges !== undefined && !("parameters" in target)) {
      const ms = guessWarmMs(seen[id]?.exchangeMs[target.name] ?? 0);
      needs[target.name] = { exchanges, warmAfter: null, ms };
    }
  }
  return needs;
}
