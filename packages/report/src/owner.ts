import { formatBytes, formatMs, formatPercent, formatUsd, markedChange, type Table } from "@evenbench/page";
import type { Run } from "@evenbench/results";
import { ofTarget } from "./case-report.ts";
import type { ReportData } from "./data.ts";
import { costPartsOfMillion } from "./prices.ts";
import { type VerdictRow, verdictRows } from "./verdict-table.ts";

/** A table with its heading, and what has to be known to read it. */
export interface OwnerTable {
  readonly title: string;
  readonly table: Table;
  /** Sentences below the table; empty where there is nothing to say. */
  readonly note: string;
}

/**
 * Makes the tables of what the owner of an app asks beside times: CPU time, costs, starts, memory and sizes. Empty of
 * runs that measured no such app.
 */
export function ownerTables(data: ReportData): readonly OwnerTable[] {
  if (data.run.plan.ownApp === undefined) {
    return [];
  }
  return [pathTable(data), sizeTable(data)].filter(({ table }) => table.rows.length > 0);
}

/** Makes the table with a row for each path and target. */
function pathTable(data: ReportData): OwnerTable {
  const head = ["Path", "Target", "Time", "CPU time", "against", "$ a million", "Cold start", "Memory"];
  const rows = verdictRows(data).map((row) => [
    row.isFirst ? row.report.manifest.path : "",
    row.target.shown,
    formatMs(row.summary?.medianMs ?? null),
    formatMs(row.cpuSummary?.medianMs ?? ofTarget(row.report.cpu, row.target.name)?.msPerExchange ?? null),
    cpuVerdict(row),
    millionWords(row),
    coldStartWords(row),
    residentWords(row),
  ]);
  return {
    title: "Time, CPU time, cost, start and memory",
    table: { head, rows, numeric: [2, 3, 6, 7] },
    note: `$ a million: CPU time + requests, beyond what plans include; CPU time is this machine's.${coldNote(data)} Memory: resident, with the runtime.`,
  };
}

/** Writes the comparison of CPU time. */
function cpuVerdict({ isBaseline, cpuComparison }: VerdictRow): string {
  if (isBaseline) {
    return "baseline";
  }
  return cpuComparison === null ? "–" : markedChange(cpuComparison);
}

/** Writes what a million requests cost: "$1.30 + $0.30", with "?" for what is not known. */
function millionWords({ report, target }: VerdictRow): string {
  const cpuMs = ofTarget(report.cpu, target.name)?.msPerExchange ?? null;
  const { cpuUsd, requestsUsd } = costPartsOfMillion(target, cpuMs);
  if (cpuUsd === null && requestsUsd === null) {
    return "–";
  }
  return [cpuUsd, requestsUsd].map((usd) => (usd === null ? "?" : formatUsd(usd))).join(" + ");
}

/**
 * Writes the time of a cold start. A target of an own app is ready when it has answered: that answer is in the time.
 */
function coldStartWords({ report, target }: VerdictRow): string {
  return formatMs(ofTarget(report.cold, target.name)?.readyMs ?? null);
}

/** Says what a cold start is, or how to measure it. */
function coldNote({ run }: ReportData): string {
  return run.plan.coldStarts === 0
    ? " Cold starts: add --cold 3."
    : " Cold start: from the start of its processes to the first answer.";
}

/** Writes the memory of a target's processes. */
function residentWords({ report, target }: VerdictRow): string {
  const cpu = ofTarget(report.cpu, target.name);
  return cpu === null ? "–" : formatBytes(cpu.residentBytes);
}

/** Makes the table of the sizes of what was built. */
function sizeTable({ run, targets }: ReportData): OwnerTable {
  const rows = targets.flatMap((target) => {
    const words = target.copyOf === null ? sizeWords(run, target.name) : null;
    return words === null ? [] : [[target.shown, ...words]];
  });
  return {
    title: "Size",
    table: { head: ["Target", "Size", "Compressed", "Limit"], rows, numeric: [1, 2] },
    note: "",
  };
}

/** Writes size, compressed size and share of the limit; null where the build did not record them. */
function sizeWords({ deployables }: Run, target: string): readonly string[] | null {
  const size = deployables[target]?.size;
  if (size === undefined) {
    return null;
  }
  const { bytes, gzipBytes, limit } = size;
  const share =
    limit === null ? "none" : `${formatPercent(size[limit.counts] / limit.bytes)} of ${limit.says}`;
  return [formatBytes(bytes), formatBytes(gzipBytes), share];
}
