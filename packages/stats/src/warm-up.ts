import { inBlocks, segments } from "./change-points.ts";
import { logMs, type MsByRound, mean, median, medianOfRounds, quantile, sorted } from "./numbers.ts";

/** Levels that differ by less are one level: collections and neighbours move warm ones by as much. A fraction. */
export const LEVEL_TOLERANCE = 0.1;
const LEAST_LEVEL = 5;
/** So many slow ones in a row are no level of their own, and are not seen. */
export const UNDETECTABLE_RUN = LEAST_LEVEL - 1;
/** So much of what is to come has to be as fast as the lasting level: a machine's slow spells are no warm-up. */
const FAST_SHARE = 0.25;
/** Means of so many show the level of a program whose collector runs in every second or third exchange. */
const BLOCK = 6;
const LEAST_BLOCKS = 4;
/** A series that came to its last level later than at this part of its length may be falling still. */
const LATEST_SHARE = 0.75;
/** Of all pairs of an early and a late exchange so many lean one way in a drift. */
const DRIFT_SHARE = 0.85;
/** In a long series fewer are enough: thirds are long, and what is taken for a fall costs time only. */
const LEANING_DOWN = 0.7;
/** Measured rounds beyond this are taken by medians of neighbours, whose scatter is less. */
const MOST_VALUES = 120;
const LEAST_THIRD = 4;

/** After how many exchanges a fresh instance came to its lasting level, and whether enough came then to call it its last. */
export type WarmUpNeed = ReturnType<typeof warmUpNeed>;

/**
 * The first level that is not 10 % slower than the fastest quarter of what is to come. Asked of single exchanges and of means
 * of six: where every second or third one has a collection there are two medians, and a slow fall hides in the scatter.
 *
 * @param costs of an instance's exchanges from the first on: CPU time, or time where there is no account of it.
 */
export function warmUpNeed(costs: readonly number[]) {
  const single = lastLevelFrom(costs.map(logMs));
  const skipped = costs.length % BLOCK;
  const blocks = inBlocks(costs.slice(skipped), BLOCK, (block) => logMs(mean(block)));
  const blockwise = blocks.length < 2 * BLOCK ? 0 : skipped + BLOCK * lastLevelFrom(blocks, 2);
  const exchanges = Math.max(single, blockwise);
  return { exchanges, reached: exchanges <= LATEST_SHARE * costs.length };
}

function lastLevelFrom(values: readonly number[], least = LEAST_LEVEL): number {
  const found = segments(values, Math.min(least, Math.max(1, Math.floor(values.length / 4))));
  const levels = found.flatMap(({ start, end, level }) => Array.from({ length: end - start }, () => level));
  const arrived = found.find(({ start, level }) => {
    const fast = quantile(sorted(levels.slice(start)), FAST_SHARE);
    return level <= fast || isSmall(level - fast);
  });
  let from = arrived?.start ?? 0;
  while (driftOf(values.slice(from), LEANING_DOWN) < 0) {
    from += Math.floor((values.length - from) / 3);
  }
  return from;
}

/** From the first third to the last; 0 where it is small, or too few pairs of early and late ones lean its way. */
function driftOf(values: readonly number[], leaning: number): number {
  const third = Math.floor(values.length / 3);
  if (third < LEAST_THIRD) {
    return 0;
  }
  const early = sorted(values.slice(0, third));
  const late = sorted(values.slice(-third));
  const by = median(late) - median(early);
  if (isSmall(by)) {
    return 0;
  }
  const leant = by < 0 ? pairsBelow(early, late) : pairsBelow(late, early);
  return leant < leaning * third ** 2 ? 0 : by;
}

/** Of one of each, the second below the first. Both ascending. */
function pairsBelow(first: Float64Array, second: Float64Array): number {
  let pairs = 0;
  let below = 0;
  for (const value of first) {
    while (below < second.length && (second[below] as number) < value) {
      below++;
    }
    pairs += below;
  }
  return pairs;
}

export interface Warmth {
  readonly warm: boolean;
  /** Why not, such as "fell by 25 % after 12 rounds"; null where it was. */
  readonly reason: string | null;
  /** Whether it still became faster, as the others of its rounds did. */
  readonly falls?: boolean;
}

export type WarmInstances = ReadonlyMap<string, ReadonlyMap<number, Warmth>>;

export function warmthOf(all: WarmInstances | undefined, target: string, trial: number): Warmth {
  return all?.get(target)?.get(trial) ?? WARM;
}

/**
 * An instance is not warm where its own costs still fall by more than 10 %, and so does their ratio to the others' of the
 * same round: what moves all alike moves no ratio, and what only a ratio shows is another one's. A rise is no warm-up.
 */
export function warmthOfTrial<Name>(trial: ReadonlyMap<Name, MsByRound>): Map<Name, Warmth> {
  const relative = new Map([...trial].map(([name, costs]) => [name, aroundMedian(costs)]));
  return new Map(
    [...relative].map(([name, costs]): [Name, Warmth] => {
      const alone = fallOf([...costs.values()]);
      if (alone === null) {
        return [name, WARM];
      }
      const others = [...relative].filter(([other]) => other !== name).map(([, costs]) => costs);
      const ratios = [...costs].flatMap(([round, cost]) => {
        const beside = others.flatMap((costs) => costs.get(round) ?? []);
        return beside.length === 0 ? [] : [cost - median(beside)];
      });
      const isStill = ratios.length > 0 && fallOf(ratios) === null;
      return [name, isStill ? { ...WARM, falls: true } : { warm: false, reason: alone }];
    }),
  );
}

const WARM: Warmth = { warm: true, reason: null };

function aroundMedian(costs: MsByRound): MsByRound {
  const level = costs.size === 0 ? 0 : logMs(medianOfRounds(costs));
  const ordered = [...costs].sort(([a], [b]) => a - b);
  return new Map(ordered.map(([round, cost]) => [round, logMs(cost) - level]));
}

/** In words: a change point, or a drift from the first third to the last. What comes and goes between is none; null, too. */
function fallOf(values: readonly number[]): string | null {
  const width = Math.ceil(values.length / MOST_VALUES);
  const thinned = width === 1 ? values : inBlocks(values, width, median);
  const blocks = inBlocks(values, BLOCK, (block) => Math.log(mean(block.map(Math.exp))));
  const least = Math.min(LEAST_LEVEL, Math.max(2, Math.floor(thinned.length / 2)));
  const step =
    stepOf(thinned, least, width) ??
    (blocks.length < LEAST_BLOCKS || width > 1 ? null : stepOf(blocks, 2, BLOCK));
  if (step !== null) {
    return step;
  }
  const by = driftOf(thinned, DRIFT_SHARE);
  return by < 0 ? inWords(by, "from its first third of rounds to its last") : null;
}

function stepOf(values: readonly number[], least: number, roundsEach: number): string | null {
  const steps = segments(values, least)
    .slice(1)
    .map(({ start }) => ({ start, by: median(values.slice(start)) - median(values.slice(0, start)) }));
  const [most] = steps.toSorted((a, b) => a.by - b.by);
  if (most === undefined || most.by >= 0 || isSmall(most.by)) {
    return null;
  }
  return inWords(most.by, `after ${most.start * roundsEach} rounds`);
}

function isSmall(by: number): boolean {
  return Math.abs(by) <= Math.log1p(LEVEL_TOLERANCE);
}

function inWords(by: number, when: string): string {
  return `fell by ${(-Math.expm1(by) * 100).toFixed(0)} % ${when}`;
}
