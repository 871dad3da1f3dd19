import { type RunSummary, type SummaryRow, summarySchema } from "@evenbench/results";
import type { CaseAnalysis, RatioInterval } from "@evenbench/stats";
import { z } from "zod";
import { ofTarget } from "../case-report.ts";
import type { CaseReport, ReportData } from "../data.ts";
import type { TwoKinds } from "../kinds.ts";
import { placeOf } from "../names.ts";
import { csvTable } from "../table.ts";

/** A row for each case, target and metric; A/A copies have none. */
export function summaryOf(
  { run, cases, targets, summary: { answer, unproven }, warnings }: ReportData,
  damage: string | null = null,
): RunSummary {
  const copies = new Set(targets.filter(({ copyOf }) => copyOf !== null).map(({ name }) => name));
  return {
    schemaVersion: 2,
    runId: run.id,
    startedAt: run.startedAt,
    answer,
    place: placeOf(run),
    notices: warnings.map(({ title }) => title),
    ...(unproven !== null && { unproven }),
    damage,
    rows: cases.flatMap((report) =>
      [report.headline, report.other, report.cpuTime].flatMap((analysis) =>
        analysis === null ? [] : rowsOf(report, analysis, copies),
      ),
    ),
  };
}

function rowsOf(report: CaseReport, analysis: CaseAnalysis, copies: ReadonlySet<string>): SummaryRow[] {
  const { metric, baseline, noiseFloor } = analysis;
  return analysis.summaries
    .filter(({ target }) => !copies.has(target))
    .map((one): SummaryRow => {
      const { target } = one;
      const comparison = ofTarget(analysis.comparisons, target);
      const compute = ofTarget(report.computeTimes, target);
      const cpu = ofTarget(report.cpu, target);
      return {
        caseId: report.manifest.id,
        target,
        baseline,
        ...(report.isUnproven && { sameWork: "assumed" as const }),
        metric,
        headline: analysis === report.headline,
        notWarm: one.notWarm,
        exchanges: one.exchanges,
        errors: one.errors,
        medianMs: one.median,
        medianLowMs: one.medianLow,
        medianHighMs: one.medianHigh,
        trialMs: one.byTrial,
        meanMs: one.mean,
        p95Ms: one.p95,
        minimumMs: one.minimum,
        maximumMs: one.maximum,
        ratio: ratioOf(comparison?.ratio),
        ...differenceOf(report, analysis, target),
        verdict: comparison?.verdict ?? null,
        computeMs: compute?.computeMs ?? null,
        computeRatio: ratioOf(compute?.ratio),
        noiseFloor,
        cpuMsPerExchange: cpu?.msPerExchange ?? null,
        cpuRatio: ratioOf(cpu?.ratio),
        systemMsPerExchange: cpu?.systemShare == null ? null : cpu.msPerExchange * cpu.systemShare,
        minorFaultsPerExchange: cpu?.minorFaults ?? null,
        residentBytes: cpu?.residentBytes ?? null,
        ...kindsOf(report, target),
        warmUp: warmUpOf(report, target),
        providerCpu: providerCpuOf(report, target),
      };
    });
}

function differenceOf(
  { vantages, headline }: CaseReport,
  analysis: CaseAnalysis,
  target: string,
): Pick<SummaryRow, "differenceMs"> {
  if (vantages === null || analysis !== headline) return {};
  const own = ofTarget(vantages.comparisons, target);
  return { differenceMs: ratioOf(own?.time.difference.pooled ?? null) };
}

function kindsOf({ kinds }: CaseReport, target: string): Pick<SummaryRow, "instanceKinds" | "exchangeKinds"> {
  const seen = ofTarget(kinds, target);
  const told = (two: TwoKinds | null | undefined) => {
    if (seen === null || two == null) return null;
    const { low, high } = two;
    const counts = { lowMs: low.level, lowCount: low.count, highMs: high.level, highCount: high.count };
    return { metric: seen.metric, ...counts };
  };
  return { instanceKinds: told(seen?.ofInstances), exchangeKinds: told(seen?.ofExchanges) };
}

function warmUpOf({ curves }: CaseReport, target: string): SummaryRow["warmUp"] {
  const curve = ofTarget(curves, target);
  if (curve === null) return null;
  const [ten, hundred] = curve.first;
  return {
    warmFromExchange: curve.warmFrom,
    ...{ first10Ms: ten?.lastByteMs ?? null, first10CpuMs: ten?.cpuMs ?? null },
    ...{ first100Ms: hundred?.lastByteMs ?? null, first100CpuMs: hundred?.cpuMs ?? null },
  };
}

function providerCpuOf({ providerCpu }: CaseReport, target: string): SummaryRow["providerCpu"] {
  const account = ofTarget(providerCpu, target);
  if (account === null) return null;
  const { accountant, msPerRequest, interval, exchanges, joined } = account;
  const [lowMs, highMs] = [interval?.low ?? null, interval?.high ?? null];
  return { accountant, msPerRequest, lowMs, highMs, exchanges, joined };
}

function ratioOf(interval: RatioInterval | null | undefined): SummaryRow["ratio"] {
  return interval == null ? null : { estimate: interval.estimate, low: interval.low, high: interval.high };
}

type Path = readonly string[];

/** A column for each number or word of a row; the name of a part stands before those in it. */
function columnsOf(schema: unknown, path: Path): readonly Path[] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([key, part]) => columnsOf(part, [...path, key]));
  if (schema instanceof z.ZodArray) return [];
  const isAround =
    schema instanceof z.ZodReadonly || schema instanceof z.ZodNullable || schema instanceof z.ZodOptional;
  return isAround ? columnsOf(schema.unwrap(), path) : [path];
}

export function renderCsv({ rows }: RunSummary): string {
  const columns = columnsOf(summarySchema.unwrap().shape.rows.unwrap().element, []);
  const nameOf = (path: Path) =>
    path
      .join("_")
      .replace(/_estimate$/, "")
      .replace(/[A-Z]/g, "_$&")
      .toLowerCase();
  const valueAt = (row: SummaryRow, path: Path) =>
    path.reduce<unknown>((part, key) => (part as Record<string, unknown> | null)?.[key], row);
  return csvTable({
    head: columns.map(nameOf),
    rows: rows.map((row) => columns.map((path) => textOf(valueAt(row, path)))),
  });
}

/** A spreadsheet takes a text that begins so for a formula (OWASP, CSV Injection). */
function textOf(value: unknown): string {
  if (typeof value !== "string") return value == null ? "" : String(value);
  return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}
