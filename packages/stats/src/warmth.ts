import { blocksOf, levelSegments } from "./change-points.ts";
import { driftOf, isSameLevel } from "./drift.ts";
import { logMs, type MsByRound, mean, median, medianOfRounds } from "./numbers.ts";
import { RoundTimes } from "./round-times.ts";
import { WARM_UP } from "./warm-up-policy.ts";

const { blockLength, minLevelLength, roundsDriftShare, maxRoundValues } = WARM_UP.level;

/** Why an instance was not warm. */
export type WhyCold =
  | {
      readonly code: "fell";
      /** By how much its costs fell, as a fraction. */
      readonly by: number;
      /** The number of measured rounds after which they did; null where they fell from the first third of rounds to the last. */
      readonly afterRounds: number | null;
    }
  | {
      readonly code: "short-warm-up";
      /** The number of requests of warm-up that it got. */
      readonly got: number;
      /** The number that warms it up; null where it got too few to find that out. */
      readonly needed: number | null;
    }
  /** One process for the whole run, whose lasting level came later. */
  | { readonly code: "still-falling" };

/** The judgement of one measured instance: null where it was warm, and why it was not. */
export type Warmth = WhyCold | null;

/** The judgements of a case's instances, by name of the target and number of the trial. */
export type WarmInstances = ReadonlyMap<string, ReadonlyMap<number, Warmth>>;

/** Finds an instance's judgement; warm where there is none. @param all undefined: no instance was judged. */
export function warmthOf(all: WarmInstances | undefined, target: string, trial: number): Warmth {
  return all?.get(target)?.get(trial) ?? null;
}

/**
 * Judges the instances of one trial by their measured rounds. An instance is not warm if its own costs still
 * fall by more than 10 %, and so does their ratio to the others' of the same round: what makes all faster
 * alike moves no ratio, and what only a ratio shows is another instance's. A rise is no warm-up.
 *
 * @param trial the costs of each instance by round, in milliseconds.
 * @returns an entry for each of `trial`, in its order.
 */
export function warmthOfTrial<Name>(trial: ReadonlyMap<Name, MsByRound>): Map<Name, Warmth> {
  const relative = new Map([...trial].map(([name, costs]) => [name, aroundMedian(costs)]));
  return new Map([...relative].map(([name, costs]) => [name, warmthBeside(costs, othersOf(relative, name))]));
}

function othersOf<Name>(all: ReadonlyMap<Name, MsByRound>, own: Name): readonly MsByRound[] {
  return [...all].filter(([name]) => name !== own).map(([, costs]) => costs);
}

/** @param costs logarithms, as those of `others`. */
function warmthBeside(costs: MsByRound, others: readonly MsByRound[]): Warmth {
  const fall = lastingFall([...costs.values()]);
  if (fall === null) {
    return null;
  }
  const ratios: number[] = [];
  for (const [round, cost] of costs) {
    const beside = others.map((other) => other.get(round)).filter((other) => other !== undefined);
    if (beside.length > 0) {
      ratios.push(cost - median(beside));
    }
  }
  const isStill = ratios.length > 0 && lastingFall(ratios) === null;
  return isStill ? null : fall;
}

/** Natural logarithms of an instance's costs, divided by their median; rounds ascending. */
function aroundMedian(costs: MsByRound): MsByRound {
  const level = costs.size === 0 ? 0 : logMs(medianOfRounds(costs));
  const logs: number[] = [];
  for (const cost of costs.values()) {
    logs.push(logMs(cost) - level);
  }
  return RoundTimes.from([...costs.keys()], logs);
}

/**
 * Finds a lasting fall of a series of logarithms: a change point, or a drift from the first third to the last. null
 * where there is none; what comes and goes in between is none.
 */
function lastingFall(values: readonly number[]): WhyCold | null {
  const width = Math.ceil(values.length / maxRoundValues);
  const thinned = width === 1 ? values : blocksOf(values, width, median);
  const minLength = Math.min(minLevelLength, Math.max(2, Math.floor(thinned.length / 2)));
  const step = stepDown(thinned, minLength, width) ?? stepDownOfBlocks(values);
  if (step !== null) {
    return step;
  }
  const by = driftOf(thinned, roundsDriftShare);
  return by < 0 ? fallBy(by, null) : null;
}

/** Looks for a step in means of rounds, which hide a collector's pattern; null without one, and in thinned series. */
function stepDownOfBlocks(values: readonly number[]): WhyCold | null {
  if (values.length > maxRoundValues) {
    return null;
  }
  const blocks = blocksOf(values, blockLength, (block) => Math.log(mean(block.map(Math.exp))));
  return stepDown(blocks, 2, blockLength);
}

/** @param roundsEach number of rounds that one value stands for. */
function stepDown(values: readonly number[], minLength: number, roundsEach: number): WhyCold | null {
  const steps = levelSegments(values, minLength)
    .slice(1)
    .map(({ start }) => ({ start, by: median(values.slice(start)) - median(values.slice(0, start)) }));
  const [largest] = steps.toSorted((a, b) => a.by - b.by);
  if (largest === undefined || largest.by >= 0 || isSameLevel(largest.by)) {
    return null;
  }
  return fallBy(largest.by, largest.start * roundsEach);
}

/** @param by a fall as a natural logarithm, below 0. */
function fallBy(by: number, afterRounds: number | null): WhyCold {
  return { code: "fell", by: -Math.expm1(by), afterRounds };
}
