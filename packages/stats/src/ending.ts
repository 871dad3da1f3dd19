// When a case needs no more trials, and which one is nearest to that.
import { type CaseFit, countControls, isControlBroken } from "./analyse-case.ts";
import { type ComparedCells, type Confidence, compareCells, nonBaselinesOf } from "./compare.ts";
import { narrowingWith } from "./longer-run.ts";
import { CONFIDENCE_LEVEL, priorOfCases } from "./model.ts";
import {
  EQUIVALENCE_LEVEL,
  type IntervalEnds,
  isJudged,
  type RatioInterval,
  SAME_WITHIN,
} from "./verdict.ts";

/**
 * Confidence levels of the intervals that may end a case early, by the rule of verdicts. A run is looked at
 * after each turn, and each look is a chance to be wrong: it asks for more than a verdict does. Sameness asks
 * for one-sided tests at 1 %. docs/coverage.md shows that verdicts stay right with it.
 */
export const STOP_CONFIDENCE: Confidence = { difference: 0.999, equivalence: 0.98 };

/**
 * Finds the targets of each case that need more trials.
 *
 * @param precision the relative half-width of an interval that is asked for, as a fraction: a target is open
 * while its interval, or that of the control, is wider. It looks at widths alone, so that ending there
 * favours no verdict. null: a target is open while it is not decided at `STOP_CONFIDENCE`.
 * @returns for each case, in the order of `cases`, the names of its open targets.
 */
export function openTargets(
  cases: readonly CaseFit[],
  precision: number | null = null,
): readonly (readonly string[])[] {
  const prior = priorOfCases(cases);
  if (precision === null) {
    return cases.map((fitted) =>
      nonBaselinesOf(fitted.question).filter((target) =>
        isUndecided(compareCells(fitted, target, { prior, confidence: STOP_CONFIDENCE })),
      ),
    );
  }
  return cases.map((fitted) => {
    const { baseline, copy } = fitted.question;
    const open = nonBaselinesOf(fitted.question).filter((target) =>
      isWiderThan(precision, compareCells(fitted, target, { prior })),
    );
    if (copy !== null && isWiderThan(precision, compareCells(fitted, copy, { by: [baseline], prior }))) {
      open.push(copy);
    }
    return open;
  });
}

/** A case that may have more trials, by its time and by its CPU time. */
export interface CaseByCpuTime {
  readonly time: CaseFit;
  /** The fit of the CPU time of exchanges; null where the system does not account for it. */
  readonly cpuTime: CaseFit | null;
  /** How many trials the case may still have: as many as it would get with all the time that is left. */
  readonly trialsLeft: number;
}

/**
 * Finds the targets of each case that CPU time answers: it is decided at `STOP_CONFIDENCE`, and the trials that are
 * left are not expected to decide the time (`narrowingWith`). They look at how far the time is from a verdict, and
 * end none that has one, so that a difference of time is not found more often by it. CPU time answers nothing in a
 * case whose A/A control of it is broken.
 *
 * @returns for each case, in the order of `cases`, the names of these targets.
 */
export function answeredByCpuTime(cases: readonly CaseByCpuTime[]): readonly (readonly string[])[] {
  const priorOfTime = priorOfCases(cases.map(({ time }) => time));
  const priorOfCpu = priorOfCases(cases.flatMap(({ cpuTime }) => cpuTime ?? []));
  const controls = countControls(
    cases.flatMap(({ time, cpuTime }) => (cpuTime === null ? [time] : [time, cpuTime])),
  );
  return cases.map(({ time, cpuTime, trialsLeft }) => {
    if (cpuTime === null || isControlBroken(cpuTime, priorOfCpu, controls)) {
      return [];
    }
    return nonBaselinesOf(time.question).filter((target) => {
      const ofCpu = compareCells(cpuTime, target, { prior: priorOfCpu, confidence: STOP_CONFIDENCE });
      return (
        !isUndecided(ofCpu) && !mayDecide(compareCells(time, target, { prior: priorOfTime }), trialsLeft)
      );
    });
  });
}

/** Tells whether so many more trials are expected to decide a comparison; true where it is decided, or has no interval. */
function mayDecide(compared: ComparedCells, trialsLeft: number): boolean {
  const { ratio, equivalence, freedom, verdict, pairs } = compared;
  if (ratio === null || equivalence === null || freedom === null || verdict !== "unclear") {
    return true;
  }
  const { toDifference, toSameness } = narrowingNeeded(ratio, equivalence);
  const expected = { freedom, had: pairs.length, trials: pairs.length + trialsLeft };
  return (
    narrowingWith(expected, CONFIDENCE_LEVEL) * toDifference < 1 ||
    narrowingWith(expected, EQUIVALENCE_LEVEL) * toSameness < 1
  );
}

/** The factors by which the two intervals of a comparison are too wide for a verdict; Infinity where none would do. */
interface NarrowingNeeded {
  /** The factor of the interval that a difference is judged by, until 1 is outside. */
  readonly toDifference: number;
  /** The factor of the interval that sameness is judged by, until all of it counts as the same. */
  readonly toSameness: number;
}

function narrowingNeeded(ratio: RatioInterval, equivalence: IntervalEnds): NarrowingNeeded {
  const distance = Math.abs(Math.log(ratio.estimate));
  const sameRoom = Math.log1p(SAME_WITHIN) - distance;
  return {
    toDifference: halfWidthOf(ratio) / distance,
    toSameness: sameRoom > 0 ? halfWidthOf(equivalence) / sameRoom : Number.POSITIVE_INFINITY,
  };
}

function isUndecided({ ratio, verdict }: ComparedCells): boolean {
  return ratio === null || !isJudged(verdict) || verdict === "unclear";
}

/** Tells whether a comparison has no interval with at most such a relative half-width. */
function isWiderThan(precision: number, { ratio, verdict }: ComparedCells): boolean {
  if (ratio === null || !isJudged(verdict)) {
    return true;
  }
  const { estimate, low, high } = ratio;
  return Math.max(high / estimate - 1, 1 - low / estimate) > precision;
}

/**
 * Estimates how many more trials decide the next open comparison of each case: an interval narrows with the root of
 * their number.
 *
 * @returns for each case, in the order of `cases`, a number of trials, not rounded: Infinity where all comparisons are
 * decided, and 1 where one has no interval or is not warm, since that is worth another trial.
 */
export function trialsToNext(cases: readonly CaseFit[]): readonly number[] {
  const prior = priorOfCases(cases);
  return cases.map((fitted) => {
    const targets = nonBaselinesOf(fitted.question);
    return Math.min(...targets.map((target) => trialsToDecide(compareCells(fitted, target, { prior }))));
  });
}

function trialsToDecide({ ratio, equivalence, verdict, pairs }: ComparedCells): number {
  if (ratio === null || equivalence === null || !isJudged(verdict)) {
    return 1;
  }
  if (verdict !== "unclear") {
    return Number.POSITIVE_INFINITY;
  }
  const { toDifference, toSameness } = narrowingNeeded(ratio, equivalence);
  return pairs.length * (Math.min(toDifference, toSameness) ** 2 - 1);
}

/** Half of the width of a ratio's interval, on the scale of logarithms. */
function halfWidthOf({ low, high }: IntervalEnds): number {
  return Math.log(high / low) / 2;
}
