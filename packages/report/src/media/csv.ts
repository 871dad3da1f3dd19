// Facts for a spreadsheet: a line for each case and target.
import { csvTable } from "@evenbench/page";
import type { Answer, CaseFacts, Change, Facts, Level, Metric, TargetFacts, Trend } from "../facts/facts.ts";
import { answerOf, levelOf, mainChanges } from "../words/columns.ts";
import { dayOf } from "../words/names.ts";
import { usdOfMillion } from "../words/prices.ts";

/** Number of significant digits in the file: more are noise. */
const SIGNIFICANT_DIGITS = 4;

/** A value of a spreadsheet's cell; null and undefined leave it empty. */
type CsvValue = string | number | null | undefined;

/** A target in one case: a line of the file. */
interface CsvRow {
  readonly facts: Facts;
  readonly each: CaseFacts;
  readonly target: TargetFacts;
  readonly answer: Answer | null;
  readonly levels: ReadonlyMap<Metric, Level>;
  readonly changes: ReadonlyMap<Metric, Change>;
  /** How its memory grows: by itself, and beyond the state before. */
  readonly trends: readonly Trend[];
}

interface CsvColumn {
  /** The column's name in the first line of the file. */
  readonly name: string;
  /** The row's value; null and undefined leave the cell empty. */
  value(row: CsvRow): CsvValue;
}

/** The metrics of the file, with the beginning of their columns' names; time has none. */
const METRIC_COLUMNS: readonly (readonly [metric: Metric, level: string, prefix: string])[] = [
  ["lastByteMs", "time_ms", ""],
  ["firstByteMs", "first_byte_ms", "first_byte_"],
  ["cpuMs", "cpu_time_ms", "cpu_"],
  ["coldStartMs", "first_answer_ms", "first_answer_"],
  ["startupCpuMs", "startup_cpu_ms", "startup_"],
  ["heapBytes", "heap_bytes", "heap_"],
  ["bufferBytes", "buffer_bytes", "buffer_"],
  ["memoryBytes", "memory_bytes", "memory_"],
];

/** Writes facts of runs as comma-separated values (RFC 4180). The columns are a public format: docs/results.md. */
export function csv(...runs: readonly Facts[]): string {
  const rows = runs.flatMap(rowsOf);
  const columns = columnsFor(rows);
  return csvTable({
    head: columns.map(({ name }) => name),
    rows: rows.map((row) => columns.map(({ value }) => cellText(value(row)))),
  });
}

/** Lists the lines: each target that was measured or compared in a case, in the order of facts, without copies. */
function rowsOf(facts: Facts): readonly CsvRow[] {
  const metrics = METRIC_COLUMNS.map(([metric]) => metric);
  const changes = new Map(metrics.map((metric) => [metric, mainChanges(facts, metric)]));
  const targets = facts.targets.filter(({ copyOf }) => copyOf === null);
  const rows = facts.cases.flatMap((each) =>
    targets.map((target): CsvRow => {
      // What is a target's, such as a start, stands in each of its lines.
      const isIt = (of: { readonly case: string | null; readonly target: string }) =>
        (of.case ?? each.id) === each.id && of.target === target.name;
      const levels = metrics.flatMap((metric) => {
        const of = (caseId: string | null) => levelOf(facts, caseId, target.name, metric);
        const level = of(each.id) ?? of(null);
        return level === null ? [] : [[metric, level] as const];
      });
      const own = metrics.flatMap((metric) => {
        const change = changes.get(metric)?.find(isIt);
        return change === undefined ? [] : [[metric, change] as const];
      });
      const answer = answerOf(facts, each.id, target.name);
      const trends = facts.trends.filter(isIt);
      return { facts, each, target, answer, levels: new Map(levels), changes: new Map(own), trends };
    }),
  );
  // A start is of all cases, also of those that other apps have.
  return rows.filter(({ each, levels, changes }) =>
    [...levels.values(), ...changes.values()].some((of) => of.case === each.id),
  );
}

/** Lists the columns in their order; those of what no row has are left out, but for those of time. */
function columnsFor(rows: readonly CsvRow[]): readonly CsvColumn[] {
  const unitOf = (metric: Metric) =>
    rows.flatMap(({ changes }) => changes.get(metric)?.unit ?? [])[0] ?? "ratio";
  const isUsed = ({ value }: CsvColumn) => rows.some((row) => value(row) != null && value(row) !== "");
  const ofMetric = ([metric, level, prefix]: (typeof METRIC_COLUMNS)[number]) => {
    const columns = metricColumns(metric, level, prefix, unitOf(metric));
    return metric === "lastByteMs" ? columns : columns.filter(isUsed);
  };
  const usdOf = ({ facts, each, target }: CsvRow) => usdOfMillion(facts, each.id, target);
  const ofTargets: readonly CsvColumn[] = [
    { name: "size_bytes", value: ({ target }) => target.size?.bytes },
    { name: "gzip_bytes", value: ({ target }) => target.size?.gzipBytes },
    { name: "usd_per_million_cpu", value: (row) => usdOf(row).cpu },
    { name: "usd_per_million_requests", value: (row) => usdOf(row).requests },
  ];
  return [
    { name: "case", value: ({ each }) => each.id },
    { name: "title", value: ({ each }) => each.title },
    { name: "platform", value: ({ target }) => target.spoken },
    { name: "target", value: ({ target }) => target.name },
    { name: "compared_with", value: ({ changes }) => [...changes.values()][0]?.baseline },
    ...METRIC_COLUMNS.flatMap(ofMetric),
    ...ofTargets.filter(isUsed),
    { name: "requests", value: ({ answer }) => answer?.requests },
    { name: "failed", value: ({ answer }) => answer?.failed },
    { name: "answered_from", value: ({ answer }) => answer?.from },
    { name: "trials", value: ({ levels }) => levels.get("lastByteMs")?.byTrial.length },
    { name: "run", value: ({ facts }) => facts.run.id },
    { name: "date", value: ({ facts }) => dayOf(facts) },
    { name: "machine", value: ({ facts }) => facts.run.machine?.processor },
    { name: "judged_from", value: ({ facts }) => facts.run.judgedFrom },
  ];
}

/** Lists the columns of one metric: what the target took, how that differs from the baseline, and how it grows. */
function metricColumns(
  metric: Metric,
  level: string,
  prefix: string,
  unit: Change["unit"],
): readonly CsvColumn[] {
  const changeOf = ({ changes }: CsvRow) => changes.get(metric);
  const ending = unit === "ratio" ? "percent" : "ms";
  const amounts = [
    ["change", "estimate"],
    ["low", "low"],
    ["high", "high"],
    ["low_90", "low90"],
    ["high_90", "high90"],
  ] as const;
  return [
    { name: level, value: ({ levels }) => levels.get(metric)?.value },
    ...amounts.map(([name, field]): CsvColumn => {
      const value = (row: CsvRow) => spreadsheetValue(unit, changeOf(row)?.[field] ?? null);
      return { name: `${prefix}${name}_${ending}`, value };
    }),
    { name: `${prefix}verdict`, value: (row) => changeOf(row)?.verdict },
    { name: `${prefix}why`, value: (row) => (changeOf(row) ?? row.levels.get(metric))?.why },
    { name: `${prefix}less_sure`, value: (row) => changeOf(row)?.flags.join(" ") },
    ...growthColumns(metric, `${prefix}growth_`, false),
    ...growthColumns(metric, `${prefix}growth_beyond_`, true),
  ];
}

/** Lists the columns of how memory grows. @param isBeyond beyond the state before, and not by itself. */
function growthColumns(metric: Metric, prefix: string, isBeyond: boolean): readonly CsvColumn[] {
  const trendOf = ({ trends }: CsvRow) =>
    trends.find((trend) => trend.metric === metric && (trend.baseline !== null) === isBeyond);
  return [
    { name: `${prefix}bytes`, value: (row) => trendOf(row)?.estimate },
    { name: `${prefix}low_bytes`, value: (row) => trendOf(row)?.low },
    { name: `${prefix}high_bytes`, value: (row) => trendOf(row)?.high },
    { name: `${prefix}verdict`, value: (row) => trendOf(row)?.verdict },
    { name: `${prefix}why`, value: (row) => trendOf(row)?.why },
  ];
}

/** Gives a ratio as a change in percent, and milliseconds as they are. */
function spreadsheetValue(unit: Change["unit"], value: number | null): number | null {
  return value === null || unit === "ms" ? value : 100 * (value - 1);
}

/** Writes a value: numbers with four digits, and an apostrophe before what would be a formula (OWASP, CSV Injection). */
function cellText(value: CsvValue): string {
  if (typeof value === "number") {
    return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));
  }
  if (value == null) {
    return "";
  }
  return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}
