// Verdicts of facts that came without samples: they are judged again from the ends of their intervals.
import { isTooWide, verdictOf, verdictOfMs } from "@evenbench/stats";
import type { Change, Facts } from "./facts.ts";
import { NO_INTERVAL } from "./rows.ts";

/**
 * Judges every change of facts again by the ends of its interval, whatever verdict stands in the file. What has no
 * verdict keeps having none, and flags stay: they can only be found in samples.
 */
export function judgedFromEnds(facts: Facts): Facts {
  const run: Facts["run"] = { ...facts.run, judgedFrom: "ends" };
  return { ...facts, run, changes: facts.changes.map(judgedAgain) };
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
