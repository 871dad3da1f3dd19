import { csvTable } from "@evenbench/page";
import type { Run, RunSummary, SummaryRow } from "@evenbench/results";
import { inReportOrder } from "../analyse-run.ts";
import { spokenOf } from "../names.ts";
import type { Exporter } from "./exporter.ts";

/** Number of significant digits in the file: more are noise. */
const SIGNIFICANT_DIGITS = 4;

/** A value of a spreadsheet's cell; null and undefined leave it empty. */
export type CsvValue = string | number | null | undefined;

/** A target in one case: a line of the file. */
interface CsvRow {
  /** Numbers by the metric that the case names as its headline. */
  readonly time: SummaryRow;
  /** Numbers by CPU time; undefined where the system does not account for that. */
  readonly cpu: SummaryRow | undefined;
}

/** A column of the file. */
interface CsvColumn {
  /** The column's name in the first line of the file. */
  readonly name: string;
  /** The row's value; null and undefined leave the cell empty. */
  value(row: CsvRow): CsvValue;
}

/**
 * Writes a run's summary as comma-separated values (RFC 4180) for a spreadsheet: a line for each case and target.
 * summary.json has the rest.
 */
export function renderCsv(summary: RunSummary, run: Run): string {
  const columns = csvColumns(summary, run);
  return csvTable({
    head: columns.map(({ name }) => name),
    rows: csvRows(summary).map((row) => columns.map(({ value }) => cellText(value(row)))),
  });
}

/** Lists the lines of the file, in the order of the summary. */
function csvRows({ rows }: RunSummary): readonly CsvRow[] {
  return rows
    .filter(({ headline }) => headline)
    .map((time) => ({
      time,
      cpu: rows.find(
        ({ metric, caseId, target }) =>
          metric === "cpuMs" && caseId === time.caseId && target === time.target,
      ),
    }));
}

/** Until the processes are ready, and until the first answer: the latter is compared. */
const COLD_START_COLUMNS: readonly CsvColumn[] = [
  { name: "cold_start_ms", value: ({ time }) => time.coldStartMs },
  { name: "first_answer_ms", value: ({ time }) => time.firstAnswerMs },
  ...changeColumns("first_answer_", ({ time: { firstAnswerRatio = null, firstAnswerVerdict = null } }) => ({
    ratio: firstAnswerRatio,
    verdict: firstAnswerVerdict,
  })),
];

/** Lists the columns in their order. They are a public format: docs/results.md. */
function csvColumns({ rows }: RunSummary, run: Run): readonly CsvColumn[] {
  const targets = inReportOrder(run);
  const titles = new Map(run.plan.cases.map(({ id, title }) => [id, title]));
  const isOverVantages = rows.some(({ differenceMs }) => differenceMs !== undefined);
  const differences: readonly CsvColumn[] = [
    { name: "difference_ms", value: ({ time }) => time.differenceMs?.estimate },
    { name: "difference_low_ms", value: ({ time }) => time.differenceMs?.low },
    { name: "difference_high_ms", value: ({ time }) => time.differenceMs?.high },
  ];
  const costs: readonly CsvColumn[] = [
    { name: "usd_per_million_cpu", value: ({ time }) => time.usdPerMillion?.cpu },
    { name: "usd_per_million_requests", value: ({ time }) => time.usdPerMillion?.requests },
  ];
  const has = (pick: (row: SummaryRow) => unknown) => rows.some((row) => pick(row) != null);
  return [
    { name: "case", value: ({ time }) => time.caseId },
    { name: "title", value: ({ time }) => titles.get(time.caseId) },
    { name: "platform", value: ({ time }) => spokenOf(targets, time.target) },
    { name: "target", value: ({ time }) => time.target },
    { name: "compared_with", value: ({ time }) => (time.target === time.baseline ? null : time.baseline) },
    { name: "time_ms", value: ({ time }) => time.medianMs },
    ...changeColumns("", ({ time }) => time),
    ...sameColumns("", ({ time }) => time),
    ...(isOverVantages ? differences : []),
    { name: "cpu_time_ms", value: ({ cpu }) => cpu?.medianMs },
    ...changeColumns("cpu_", ({ cpu }) => cpu),
    ...sameColumns("cpu_", ({ cpu }) => cpu),
    ...(has(({ coldStartMs }) => coldStartMs) ? COLD_START_COLUMNS : []),
    ...(has(({ usdPerMillion }) => usdPerMillion) ? costs : []),
    // Why there is no verdict: a cache gave the answers.
    ...(has(({ cached }) => cached) ? [{ name: "cached", value: ({ time }: CsvRow) => time.cached }] : []),
    { name: "requests", value: ({ time }) => time.exchanges },
    { name: "trials", value: ({ time }) => time.trials },
    { name: "run", value: () => run.id },
    { name: "date", value: () => run.startedAt.slice(0, 10) },
    { name: "machine", value: () => run.machine?.cpuModel },
  ];
}

/** Lists the columns of a change in percent with its interval and its verdict. */
function changeColumns(
  prefix: string,
  rowOf: (row: CsvRow) => Pick<SummaryRow, "ratio" | "verdict"> | undefined,
): readonly CsvColumn[] {
  return [
    { name: `${prefix}change_percent`, value: (row) => percent(rowOf(row)?.ratio?.estimate) },
    { name: `${prefix}low_percent`, value: (row) => percent(rowOf(row)?.ratio?.low) },
    { name: `${prefix}high_percent`, value: (row) => percent(rowOf(row)?.ratio?.high) },
    { name: `${prefix}verdict`, value: (row) => rowOf(row)?.verdict },
  ];
}

/** Lists the columns of the 90 % interval of a change in percent, by which "same" is judged. */
function sameColumns(
  prefix: string,
  rowOf: (row: CsvRow) => Pick<SummaryRow, "equivalence"> | undefined,
): readonly CsvColumn[] {
  return [
    { name: `${prefix}low_90_percent`, value: (row) => percent(rowOf(row)?.equivalence?.low) },
    { name: `${prefix}high_90_percent`, value: (row) => percent(rowOf(row)?.equivalence?.high) },
  ];
}

/** Gives the change of a ratio in percent; undefined where there is none. */
function percent(ratio: number | undefined): number | undefined {
  return ratio === undefined ? undefined : 100 * (ratio - 1);
}

/**
 * Writes a value for a spreadsheet: numbers with four digits, an empty text for none. A spreadsheet takes a text that
 * begins with some signs for a formula (OWASP, CSV Injection), so that it gets an apostrophe in front.
 */
export function cellText(value: CsvValue): string {
  if (typeof value === "number") {
    return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));
  }
  if (value == null) {
    return "";
  }
  return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}

/** Writes summary.csv: the rows of summary.json. */
export const csv: Exporter = {
  file: "summary.csv",
  render: ({ summary, data }) => renderCsv(summary, data.run),
};
