// What makes a verdict less sure than it looks, change by change.
import type { Run } from "@evenbench/results";
import { isDifference, mean } from "@evenbench/stats";
import type { AnalysedCase } from "../analysed-case.ts";
import { MOST_DRIFT } from "../drift.ts";
import type { Change, Flag, Metric } from "./facts.ts";
import { analysesOf } from "./levels.ts";

/** Metrics that contain the client's waiting, and what the machine does meanwhile. */
const TIMES: readonly Metric[] = ["lastByteMs", "firstByteMs"];
/**
 * Largest lateness of the client, as a fraction of a request to the fastest target, at which the size of a difference is
 * still about the servers: a convention.
 */
const LARGE_DELAY = 0.5;

type Flaggable = Pick<Change, "target" | "baseline" | "metric" | "role" | "verdict">;

/** Gives the function that finds the flags of a case's changes. */
export function flagsOf(report: AnalysedCase, { plan }: Run): (change: Flaggable) => readonly Flag[] {
  const flags: Readonly<Record<Flag, (change: Flaggable) => boolean>> = {
    "copy-differs": ({ metric, role }) =>
      role !== "copy" && analysesOf(report).some((of) => of.metric === metric && of.isControlBroken),
    "client-waited": (change) => isUnsureByClient(report, change),
    drifted: ({ target, baseline, metric }) =>
      TIMES.includes(metric) && driftApart(report, plan, target, baseline) > MOST_DRIFT,
    unproven: () => report.isUnproven,
  };
  const all = Object.entries(flags) as readonly [Flag, (change: Flaggable) => boolean][];
  return (change) => all.flatMap(([flag, holds]) => (holds(change) ? flag : []));
}

/**
 * Tells whether the client's own waiting makes a verdict on time less sure: "same" where CPU time does not say so, too,
 * since waiting hides differences; the size of a difference where the waiting was a large part of a request.
 */
function isUnsureByClient(report: AnalysedCase, { target, baseline, metric, verdict }: Flaggable): boolean {
  const late = report.audit.find(({ kind }) => kind === "client-late");
  if (late === undefined || !TIMES.includes(metric)) {
    return false;
  }
  const { delayMs = 0, requestMs = 0 } = late.numbers;
  if (isDifference(verdict)) {
    return delayMs > LARGE_DELAY * requestMs;
  }
  return verdict === "same" && cpuVerdict(report, target, baseline) !== "same";
}

/** Gives the verdict on CPU time of the same two targets; null where there is none. */
function cpuVerdict(report: AnalysedCase, target: string, baseline: string): string | null {
  const analyses = [report, ...report.against].flatMap(({ cpuTime }) => cpuTime ?? []);
  const comparisons = analyses.flatMap((analysis) => analysis.comparisons);
  return comparisons.find((of) => of.target === target && of.baseline === baseline)?.verdict ?? null;
}

/**
 * Measures by how much more a target's times changed within trials than those of its baseline and its copy, as a
 * fraction.
 */
export function driftApart(
  { drifts }: Pick<AnalysedCase, "drifts">,
  { targets }: Run["plan"],
  target: string,
  baseline: string,
): number {
  const logOf = (name: string) =>
    drifts.filter((drift) => drift.target === name).map(({ change }) => Math.log1p(change));
  const copies = targets.filter(({ copyOf, name }) => copyOf === baseline && name !== target);
  const own = logOf(target);
  const others = [baseline, ...copies.map(({ name }) => name)].flatMap(logOf);
  const apart = own.length === 0 || others.length === 0 ? 0 : mean(own) - mean(others);
  return Math.expm1(Math.abs(apart));
}
