// Verdicts of facts that came without samples: they are judged again from the ends of their intervals.
import { type IntervalEnds, isTooWide, type RatioInterval, verdictOf, verdictOfMs } from "@evenbench/stats";
import type { Change, Facts } from "./facts.ts";

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

/** Gives the numbers of a change: its estimate with the ends of its 99 % and its 90 % interval; null for what is not known. */
export function numbersOf(interval: RatioInterval | null, equivalence: IntervalEnds | null) {
  return {
    estimate: interval?.estimate ?? null,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    low90: equivalence?.low ?? null,
    high90: equivalence?.high ?? null,
  };
}

function judgedAgain(change: Change): Change {
  const { low, high, low90, high90, verdict, why } = change;
  if (verdict === "none") {
    return { ...change, ...NO_INTERVAL };
  }
  if (low === null || high === null || low90 === null || high90 === null) {
    return { ...change, ...NO_INTERVAL, verdict: "unclear", why: why ?? "few-trials" };
  }
  const ends = { low, high };
  const ends90 = { low: low90, high: high90 };
  if (change.unit === "ms") {
    return { ...change, verdict: verdictOfMs(ends, ends90, change.boundMs ?? 0), why: null };
  }
  return { ...change, verdict: verdictOf(ends, ends90), why: isTooWide(ends) ? "too-wide" : null };
}
