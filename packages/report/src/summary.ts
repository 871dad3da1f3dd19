import { openRecord } from "@evenbench/core";
import type { Run, RunSummary, SummaryRow } from "@evenbench/results";
import type { CaseAnalysis } from "@evenbench/stats";
import { failedChecksOf } from "./answer.ts";
import { differenceOf, ofTarget } from "./case-report.ts";
import type { CaseReport, ReportData, ReportTarget } from "./data.ts";
import { placeOf } from "./names.ts";
import { costPartsOfMillion } from "./prices.ts";

/** The fields of a row about cold starts. */
type ColdStartFields = Pick<
  SummaryRow,
  "coldStartMs" | "firstAnswerMs" | "firstAnswerRatio" | "firstAnswerVerdict"
>;

/**
 * Makes a run's summary of its report: a row for each case, target and metric; A/A copies have none.
 *
 * @param damage what could not be read of the samples, as a sentence; null: all could.
 */
export function summaryOf(
  { run, cases, targets, summary: { answer, stopped, unproven, failedChecks }, notices }: ReportData,
  damage: string | null = null,
): RunSummary {
  const copies = new Set(targets.filter(({ copyOf }) => copyOf !== null).map(({ name }) => name));
  return {
    schemaVersion: 2,
    runId: run.id,
    startedAt: run.startedAt,
    answer,
    place: placeOf(run),
    notices: notices.map(({ title }) => title),
    ...(stopped !== null && { stopped }),
    ...(unproven !== null && { unproven }),
    ...(failedChecks !== null && { failedChecks, failedCheckCases: failedCheckCases(cases) }),
    damage,
    sizes: sizesOf(run, copies),
    rows: cases.flatMap((report) =>
      [report.headline, report.other, report.cpuTime].flatMap((analysis) =>
        analysis === null ? [] : summaryRows(report, analysis, targets),
      ),
    ),
  };
}

/** Lists the ids of the cases whose A/A control shows a difference. */
function failedCheckCases(cases: readonly CaseReport[]): string[] {
  return cases.flatMap((report) => (failedChecksOf(report).length === 0 ? [] : report.manifest.id));
}

/** Lists the sizes of what was built, by target; null where they were not recorded. */
function sizesOf({ deployables }: Run, copies: ReadonlySet<string>): RunSummary["sizes"] {
  const entries = Object.entries(deployables).filter(([name]) => !copies.has(name));
  return openRecord(entries.map(([name, record]) => [name, record?.size ?? null] as const));
}

/** Makes the rows of one case and metric, in the order of the targets. */
function summaryRows(
  report: CaseReport,
  analysis: CaseAnalysis,
  targets: readonly ReportTarget[],
): SummaryRow[] {
  const { baseline, noiseFloor } = analysis;
  const isHeadline = analysis === report.headline;
  const originals = targets.filter(({ copyOf }) => copyOf === null);
  return analysis.summaries.flatMap(({ caseId, target, ...summary }): SummaryRow[] => {
    const original = originals.find(({ name }) => name === target);
    if (original === undefined) {
      return [];
    }
    const comparison = ofTarget(analysis.comparisons, target);
    const compute = ofTarget(report.computeTimes, target);
    const cpu = ofTarget(report.cpu, target);
    const kinds = ofTarget(report.kinds, target);
    const account = ofTarget(report.providerCpu, target);
    const difference = differenceOf(report, target)?.pooled ?? null;
    const { cpuUsd, requestsUsd } = costPartsOfMillion(original, cpu?.msPerExchange ?? null);
    const isPriced = cpuUsd !== null || requestsUsd !== null;
    return [
      {
        caseId,
        target,
        baseline,
        headline: isHeadline,
        responseBytes: ofTarget(report.responses, target)?.bytes ?? null,
        ...summary,
        notWarm: summary.notWarm === null ? null : "not-warm",
        noiseFloor,
        ...(report.isUnproven && { sameWork: "assumed" as const }),
        ...(report.manifest.cached !== undefined && { cached: report.manifest.cached }),
        ratio: comparison?.ratio ?? null,
        equivalence: comparison?.equivalence ?? null,
        ...(report.differences !== null && isHeadline && { differenceMs: difference }),
        verdict: comparison?.verdict ?? null,
        computeMs: compute?.computeMs ?? null,
        computeRatio: compute?.ratio ?? null,
        cpuMsPerExchange: cpu?.msPerExchange ?? null,
        cpuRatio: cpu?.ratio ?? null,
        systemMsPerExchange: cpu?.systemShare == null ? null : cpu.msPerExchange * cpu.systemShare,
        minorFaultsPerExchange: cpu?.minorFaults ?? null,
        residentBytes: cpu?.residentBytes ?? null,
        ...coldStartOf(report, target),
        usdPerMillion: isPriced ? { cpu: cpuUsd, requests: requestsUsd } : null,
        instanceKinds: kinds?.ofInstances ?? null,
        exchangeKinds: kinds?.ofExchanges ?? null,
        warmUp: warmUpNumbers(report, target),
        providerCpu: account && {
          accountant: account.accountant,
          msPerRequest: account.msPerRequest,
          interval: account.interval,
          exchanges: account.exchanges,
          joined: account.joined,
        },
      },
    ];
  });
}

/** Gives what cold starts of a target took; null where none were measured. */
function coldStartOf({ cold }: CaseReport, target: string): ColdStartFields {
  const cost = ofTarget(cold, target);
  return {
    coldStartMs: cost?.readyMs ?? null,
    firstAnswerMs: cost?.firstAnswerMs ?? null,
    firstAnswerRatio: cost?.ratio ?? null,
    firstAnswerVerdict: cost?.verdict ?? null,
  };
}

/** Gives the numbers of a target's warm-up; null where it has none. */
function warmUpNumbers({ curves }: CaseReport, target: string): SummaryRow["warmUp"] {
  const curve = ofTarget(curves, target);
  if (curve === null) {
    return null;
  }
  const [ten, hundred] = curve.first;
  return {
    warmFromExchange: curve.warmFrom,
    first10Ms: ten.lastByteMs,
    first10CpuMs: ten.cpuMs,
    first100Ms: hundred.lastByteMs,
    first100CpuMs: hundred.cpuMs,
  };
}
