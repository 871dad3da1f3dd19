// The rows of facts, with the usual values of fields that are rarely another.
import type { IntervalEnds, RatioInterval } from "@evenbench/stats";
import type { Change, Flag, Level, Metric } from "./facts.ts";

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

/** The first fields of a change, with the usual values of those that are rarely another. */
export function headOf(caseId: string | null, target: string, baseline: string, metric: Metric) {
  return {
    case: caseId,
    target,
    baseline,
    metric,
    role: "main" as Change["role"],
    unit: "ratio" as Change["unit"],
    boundMs: null,
    flags: [] as readonly Flag[],
    byTrial: [] as readonly number[],
    place: null,
  };
}

/** Makes a change that has no verdict, and why. */
export function withoutVerdict(of: Pick<Change, "case" | "target" | "baseline" | "metric" | "why">): Change {
  const head = headOf(of.case, of.target, of.baseline, of.metric);
  return { ...head, ...NO_INTERVAL, verdict: "none", why: of.why };
}

/** Gives the maker of a case's levels of which nothing but the value is known. */
export function levelIn(
  caseId: string | null,
): (target: string, metric: Metric, value: number | null) => Level {
  return (target, metric, value) => ({
    case: caseId,
    target,
    metric,
    value,
    low: null,
    high: null,
    byTrial: [],
    p95: null,
    p99: null,
    why: null,
    load: null,
    place: null,
  });
}
