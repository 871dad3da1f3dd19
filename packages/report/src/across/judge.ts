// The judgement of two states whose trials were not measured in turns.
import {
  type Cell,
  CONFIDENCE_LEVEL,
  EQUIVALENCE_LEVEL,
  exponentiate,
  fitTwoWay,
  intervalOf,
  isTooWide,
  priorOf,
  priorOfCases,
  verdictOf,
} from "@evenbench/stats";
import type { Change } from "../facts/facts.ts";
import { NO_INTERVAL, numbersOf } from "../facts/rows.ts";

/** The trials of one target in one case, of two states. */
export interface StatePair {
  /** The value of each trial, in milliseconds. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** The usual standard deviation between the case's instances, as a fraction; undefined: it has none. */
  readonly scatter: number | undefined;
}

/** What is found of a pair: a verdict with its interval, or why there is none. */
export type Judged = Pick<Change, "estimate" | "low" | "high" | "low90" | "high90" | "verdict" | "why">;

/**
 * Judges pairs by the model of a run's own comparisons, without what trials share: none of these has both states. What
 * other pairs say of the variance counts for each.
 *
 * @returns an entry for each of `pairs`, in their order.
 */
export function judgePairs(pairs: readonly StatePair[]): readonly Judged[] {
  const fitted = pairs.map((pair) => ({ ...pair, fit: fitTwoWay(cellsOf(pair)) }));
  const prior = priorOfCases(fitted);
  return fitted.map(({ before, after, scatter, fit }): Judged => {
    if (before.length < 2 || after.length < 2) {
      return { ...NO_INTERVAL, verdict: "unclear", why: "few-trials" };
    }
    const difference = fit.difference(["after"], ["before"]);
    const own = priorOf({ scatter }, prior);
    const at = (level: number) =>
      difference && exponentiate(intervalOf(difference, fit, { prior: own, level }));
    const ratio = at(CONFIDENCE_LEVEL);
    const equivalence = at(EQUIVALENCE_LEVEL);
    if (ratio === null || equivalence === null) {
      return { ...NO_INTERVAL, verdict: "unclear", why: "scattered" };
    }
    const verdict = verdictOf(ratio, equivalence);
    return { ...numbersOf(ratio, equivalence), verdict, why: isTooWide(ratio) ? "too-wide" : null };
  });
}

function cellsOf({ before, after }: StatePair): readonly Cell[] {
  return Object.entries({ before, after }).flatMap(([target, values]) =>
    // As a run's own fit does: a start may take no more than its control.
    values.filter((ms) => ms > 0).map((ms): Cell => ({ target, block: "all", value: Math.log(ms) })),
  );
}
