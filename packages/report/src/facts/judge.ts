// Verdicts of facts that came without samples: they are judged again from the ends of their intervals.
import { type IntervalEnds, SAME_WITHIN, verdictOf } from "@evenbench/stats";
import type { Change, Facts } from "./facts.ts";

/** An interval that includes 1 and whose ends differ by a larger factor says nothing. */
const WIDEST = 10;

/** Tells whether an interval of a ratio includes 1, and is so wide that it says nothing. */
export function isTooWide({ low, high }: IntervalEnds): boolean {
  return low < 1 && high > 1 && high / low > WIDEST;
}

/**
 * Judges every change of facts again by the ends of its interval, whatever verdict stands in the file. What has no
 * verdict keeps having none, and flags stay: they can only be found in samples.
 */
export function judgedFromEnds(facts: Facts): Facts {
  const run: Facts["run"] = { ...facts.run, judgedFrom: "ends" };
  return { ...facts, run, changes: facts.changes.map(judgedAgain) };
}

/** The numbers of a change without a verdict. */
export const NO_INTERVAL = { estimate: null, low: null, high: null, low90: null, high90: null } as const;

function judgedAgain(change: Change): Change {
  const { low, high, low90, high90, verdict, why } = change;
  if (verdict === "none") {
    return { ...change, ...NO_INTERVAL };
  }
  if (low === null || high === null || low90 === null || high90 === null) {
    return { ...change, ...NO_INTERVAL, verdict: "unclear", why: why ?? "few-trials" };
  }
  const ratio = asRatio(change, { low, high });
  return {
    ...change,
    verdict: verdictOf(ratio, asRatio(change, { low: low90, high: high90 })),
    why: isTooWide(ratio) ? "too-wide" : null,
  };
}

/**
 * Gives the ends of a change as those of a ratio, so that all have one rule: a difference in milliseconds is divided by
 * the baseline's time, of which its bound is a part.
 */
function asRatio({ unit, boundMs }: Change, ends: IntervalEnds): IntervalEnds {
  if (unit === "ratio") {
    return ends;
  }
  const baselineMs = Math.max(Number.EPSILON, (boundMs ?? 0) / SAME_WITHIN);
  const ratioOf = (ms: number) => Math.max(Number.EPSILON, 1 + ms / baselineMs);
  return { low: ratioOf(ends.low), high: ratioOf(ends.high) };
}
