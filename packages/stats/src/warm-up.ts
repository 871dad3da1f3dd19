import { segments } from "./change-points.ts";
import { logMs } from "./logarithm.ts";
import { mean, median, quantile, sorted } from "./quantile.ts";

/** Levels that differ by less are one level: collections and neighbours move warm ones by as much. A fraction. */
export const TOLERANCE = 0.1;
/** A level of a long series has so many exchanges at least. */
const LEAST_LEVEL = 5;
/** So many slow ones in a row are no level of their own, and are not seen. */
export const UNSEEN = LEAST_LEVEL - 1;
/**
 * So much of what is to come has to be as fast as a level for it to be the lasting one: a machine's slow
 * spells are no warm-up.
 */
const FAST_SHARE = 0.25;
/** Means of so many neighbours show the level of a program whose collector runs in every second or third exchange. */
const BLOCK = 6;
/** A series that came to its last level later than at this part of its length may be falling still. */
const LATEST_SHARE = 0.75;
/** Of all pairs of an early and a late exchange: so many must lean one way before their difference is a drift. */
const LEANING = 0.85;
/**
 * In a long series of an instance that warms up, fewer are enough: thirds are long, and what is taken for a
 * fall costs time only.
 */
const LEANING_DOWN = 0.7;
/** Fewer means than this show no change. */
const LEAST_BLOCKS = 4;
/** Thirds shorter than this say nothing of a drift. */
const LEAST_THIRD = 4;

/** How long a fresh instance took to come to its lasting level. */
export interface WarmUpNeed {
  /** Exchanges before it was there. */
  readonly exchanges: number;
  /** Whether enough came after that to call the level its last one. */
  readonly reached: boolean;
}

/**
 * After how many exchanges a fresh instance came to its lasting level: the beginning of the first segment
 * between two change points that is not 10 % slower than the fastest quarter of what is to come. What is
 * slower again later is the machine's, or is found by the measured rounds (`warmthOfTrial`). Asked of single
 * exchanges and of means of six, since a program with a collection in every second or third exchange has two
 * medians, and a slow fall hides in its scatter.
 *
 * What a just-in-time compiler does after the end of the series nobody can know (Barrett et al., OOPSLA
 * 2017): the series must be long enough to pass its plateaus, some five seconds of CPU time or some hundred
 * exchanges.
 *
 * @param costs of an instance's exchanges from the first on: CPU time, or time where there is no account of
 *   it. Milliseconds.
 */
export function warmUpNeed(costs: readonly number[]): WarmUpNeed {
  const single = lastLevelFrom(costs.map(logMs));
  const skipped = costs.length % BLOCK;
  const blocks = blockMeans(costs.slice(skipped));
  const blockwise = blocks.length < 2 * BLOCK ? 0 : skipped + BLOCK * lastLevelFrom(blocks, 2);
  const exchanges = Math.max(single, blockwise);
  return { exchanges, reached: exchanges <= LATEST_SHARE * costs.length };
}

function lastLevelFrom(values: readonly number[], least = LEAST_LEVEL): number {
  const found = segments(values, Math.min(least, Math.max(1, Math.floor(values.length / 4))));
  const levels = found.flatMap(({ start, end, level }) => Array.from({ length: end - start }, () => level));
  const arrived = found.find(({ start, level }) => {
    const fast = quantile(sorted(levels.slice(start)), FAST_SHARE);
    return level <= fast || isSame(level, fast);
  });
  let from = arrived?.start ?? 0;
  while (isFalling(values.slice(from))) from += Math.floor((values.length - from) / 3);
  return from;
}

/** Whether the last third is lower than the first, by more than one level is wide, and not by a few values alone. */
function isFalling(values: readonly number[]): boolean {
  const [early, late] = outerThirds(values);
  return (
    early.length >= LEAST_THIRD &&
    median(late) < median(early) &&
    !isSame(median(early), median(late)) &&
    leans(late, early, LEANING_DOWN)
  );
}

function outerThirds(values: readonly number[]): readonly [number[], number[]] {
  const third = Math.floor(values.length / 3);
  return third === 0 ? [[], []] : [values.slice(0, third), values.slice(-third)];
}

/** What an instance's measured exchanges say of whether it was warm. */
export interface Warmth {
  readonly warm: boolean;
  /** Why not, such as "fell by 25 % after 12 rounds"; null where it was. */
  readonly reason: string | null;
}

/** What each measured exchange of an instance cost, by round. Milliseconds. */
export type CostByRound = ReadonlyMap<number, number>;

/**
 * Whether the instances of one trial stayed on their levels while they were measured in turns: no change
 * point moves one by more than 10 %, and its last third is not 10 % from its first. It must be seen in its
 * own costs and in their ratios to the others' of the same round (their median): what moves all alike is the
 * machine's, and what only the ratios show is another one's.
 *
 * @returns one entry for each of `trial`, in its order.
 */
export function warmthOfTrial<Name>(trial: ReadonlyMap<Name, CostByRound>): Map<Name, Warmth> {
  const relative = new Map([...trial].map(([name, costs]) => [name, aroundMedian(costs)]));
  return new Map(
    [...relative].map(([name, own]) => {
      const alone = warmth([...own.values()]);
      const others = [...relative].filter(([other]) => other !== name).map(([, costs]) => costs);
      if (alone.warm || others.length === 0) return [name, alone];
      const ratios = [...own].map(([round, cost]) => {
        const beside = others.flatMap((costs) => costs.get(round) ?? []);
        return beside.length === 0 ? cost : cost - median(beside);
      });
      return [name, warmth(ratios).warm ? WARM : alone];
    }),
  );
}

const WARM: Warmth = { warm: true, reason: null };

/** Logarithms of costs, less that of their median, in order of round. */
function aroundMedian(costs: CostByRound): CostByRound {
  const level = costs.size === 0 ? 0 : logMs(median([...costs.values()]));
  const ordered = [...costs].sort(([a], [b]) => a - b);
  return new Map(ordered.map(([round, cost]) => [round, logMs(cost) - level]));
}

/** @param measured logarithms of costs, in order of round. */
function warmth(measured: readonly number[]): Warmth {
  const blocks = blockMeans(measured.map(Math.exp));
  const change =
    changeIn(measured, Math.min(5, Math.max(2, Math.floor(measured.length / 2))), 1) ??
    (blocks.length < LEAST_BLOCKS ? null : changeIn(blocks, 2, BLOCK));
  if (change !== null) return { warm: false, reason: change };
  const [early, late] = outerThirds(measured);
  if (
    early.length < LEAST_THIRD ||
    isSame(median(early), median(late)) ||
    !(leans(early, late) || leans(late, early))
  ) {
    return { warm: true, reason: null };
  }
  return {
    warm: false,
    reason: `${moved(median(early), median(late))} from its first third of rounds to its last`,
  };
}

/** The first change point that leads to another level, in words; null without one. */
function changeIn(values: readonly number[], least: number, roundsEach: number): string | null {
  const found = segments(values, least);
  for (const [index, { level, end }] of found.entries()) {
    const next = found[index + 1];
    if (next === undefined || isSame(level, next.level)) continue;
    return `${moved(level, next.level)} after ${end * roundsEach} rounds`;
  }
  return null;
}

function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.log1p(TOLERANCE);
}

/** Whether so many of all pairs, as a part of 1, have the smaller value first. */
function leans(smaller: readonly number[], larger: readonly number[], part = LEANING): boolean {
  const rising = smaller.reduce((sum, one) => sum + larger.filter((other) => other > one).length, 0);
  return rising >= part * smaller.length * larger.length;
}

function moved(from: number, to: number): string {
  const change = Math.expm1(to - from);
  return `${change < 0 ? "fell" : "rose"} by ${Math.abs(change * 100).toFixed(0)} %`;
}

function blockMeans(values: readonly number[]): number[] {
  return Array.from({ length: Math.floor(values.length / BLOCK) }, (_, block) =>
    logMs(mean(values.slice(block * BLOCK, (block + 1) * BLOCK))),
  );
}
