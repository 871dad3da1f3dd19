// What is said of a case on its own page, and asks for nothing.
import type { Run, RunEvent } from "@evenbench/results";
import { type Comparison, isDifference } from "@evenbench/stats";
import type { AnalysedCase } from "../analysed-case.ts";
import { MOST_DRIFT } from "../drift.ts";
import type { RemarkCode } from "./codes.ts";
import type { Details } from "./details.ts";
import type { Found } from "./facts.ts";
import { driftApart } from "./flags.ts";
import { foundAt, foundOfEvent } from "./notices.ts";

/** Ratio of two 95th percentiles from which on they say something else than medians that are the same. */
const MUCH_APART = 1.1;
/** Ratio of two 95th percentiles from which on they say the opposite of medians that differ. */
const LITTLE_APART = 1.02;

/** The remark of each kind of event that asks for nothing. */
const REMARK_OF_EVENT: Readonly<Partial<Record<RunEvent["kind"], RemarkCode>>> = {
  "bodies-sampled": "bodies-sampled",
  "body-varies": "bodies-vary",
  "cache-measured": "cache",
  "golden-unconfirmed": "no-golden",
  "settings-unknown": "settings-unknown",
  "headers-differ": "headers-matter",
  "one-process": "one-process",
  "provider-cpu": "provider-cpu",
  "clock-stepped": "clock-set",
};

interface Remark {
  readonly code: RemarkCode;
  readonly found: Found;
}

/** Lists the remarks of a run that are of no case. */
export function remarksOfRun({ events }: Pick<Run, "events">, cases: readonly string[]): Details["remarks"] {
  return grouped(ofEvents(events.filter(({ caseId }) => caseId === null || !cases.includes(caseId))));
}

/** Lists the remarks of a case: of events, and of what its samples show. */
export function remarksOf(report: AnalysedCase, run: Run): Details["remarks"] {
  const { id } = report.manifest;
  const at = (numbers: Found["numbers"], target: string | null = null) =>
    foundAt({ case: id, target, numbers });
  const late = report.audit.filter(({ kind }) => kind === "client-late");
  const comparisons = report.lastByte?.comparisons ?? [];
  const drifts = comparisons.map(({ target, baseline }) => {
    return { target, share: driftApart(report, run.plan, target, baseline) };
  });
  const beganLater = report.from === "cache" && report.manifest.cached === undefined;
  const broken = report.lastByte?.isControlBroken === true ? report.lastByte.control : null;
  return grouped([
    ...late.map(({ numbers }) => ({ code: "client-waited" as const, found: at(numbers) })),
    ...drifts
      .filter(({ share }) => share > MOST_DRIFT)
      .map(({ target, share }) => ({ code: "drifted" as const, found: at({ share }, target) })),
    ...(broken === null
      ? []
      : [{ code: "copy-differs" as const, found: at({ share: furthestEnd(broken) }) }]),
    ...(beganLater ? [{ code: "cache" as const, found: at({}) }] : []),
    ...slowOnes(report).map((target) => ({ code: "slow-requests" as const, found: at({}, target) })),
    ...ofEvents(run.events.filter(({ caseId }) => caseId === id)),
  ]);
}

/** Gives how far the interval of a comparison reaches from 1, to the end that is further away; 0 without an interval. */
function furthestEnd({ ratio }: Comparison): number {
  return ratio === null ? 0 : Math.max(Math.abs(ratio.low - 1), Math.abs(ratio.high - 1));
}

function ofEvents(events: readonly RunEvent[]): readonly Remark[] {
  return events.flatMap((event) => {
    const code = REMARK_OF_EVENT[event.kind];
    return code === undefined ? [] : { code, found: foundOfEvent(event) };
  });
}

function grouped(remarks: readonly Remark[]): Details["remarks"] {
  return [...Map.groupBy(remarks, ({ code }) => code)].map(([code, group]) => ({
    code,
    found: group.map(({ found }) => found),
  }));
}

/** Names the targets whose 95th percentile says something else than the verdict on their median. */
function slowOnes({ lastByte }: AnalysedCase): readonly string[] {
  const p95Of = (name: string) =>
    lastByte?.summaries.find((summary) => summary.target === name)?.p95Ms ?? null;
  const comparisons = lastByte?.comparisons ?? [];
  return comparisons.flatMap(({ target, baseline, verdict }) => {
    const own = p95Of(target);
    const other = p95Of(baseline);
    return own !== null && other !== null && saysOtherwise(verdict, own / other) ? target : [];
  });
}

/** Tells whether the ratio of two 95th percentiles contradicts a verdict. They have no interval, so that this is none. */
export function saysOtherwise(verdict: string, ratio: number): boolean {
  if (isDifference(verdict)) {
    return (verdict === "faster" ? ratio : 1 / ratio) > LITTLE_APART;
  }
  return verdict === "same" && Math.max(ratio, 1 / ratio) > MUCH_APART;
}
