import { ofTarget } from "../case-report.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { formatBytes, formatCount, formatMs, formatPercent, formatRatio, formatUsd } from "../format.ts";
import { termCell } from "../html/term.ts";
import { costOn } from "../prices.ts";
import { section } from "./section.ts";

function against(
  { target, ratio }: { readonly target: string; readonly ratio: Parameters<typeof formatRatio>[0] },
  { baseline }: CaseReport,
): string {
  return target === baseline ? "1" : formatRatio(ratio);
}

export const cpu = section({
  title: "CPU time",
  rows: (report) => report.cpu,
  columns: [
    [termCell("CPU time", "CPU time", " per request, mean"), (row) => formatMs(row.msPerExchange)],
    ["Median", ({ target }, { cpuTime }) => formatMs(ofTarget(cpuTime?.summaries, target)?.median ?? null)],
    ["Ratio of means (99 % interval)", against],
    [
      "Kernel",
      ({ systemShare, msPerExchange }) =>
        systemShare === null
          ? "–"
          : `${formatMs(msPerExchange * systemShare)} (${formatPercent(systemShare)})`,
    ],
    ["Page faults", ({ minorFaults }) => (minorFaults === null ? "–" : formatCount(Math.round(minorFaults)))],
    [
      "Memory resident (at its peak)",
      ({ residentBytes, peakResidentBytes: peak }) =>
        `${formatBytes(residentBytes)}${peak === null ? "" : ` (${formatBytes(peak)})`}`,
    ],
    ["CPU cost of a million", ({ target, msPerExchange }, _, data) => costCell(target, msPerExchange, data)],
  ],
});

export const compute = section({
  title: "Compute time",
  rows: ({ computeTimes }) => computeTimes,
  columns: [
    [
      termCell("Transfer time", "transfer time", ": the same bytes, nothing computed"),
      (row) => formatMs(row.transferMs),
    ],
    [termCell("Compute time", "compute time", ": last byte less transfer"), (row) => formatMs(row.computeMs)],
    ["Ratio (99 % interval)", against],
  ],
});

export const coldStarts = section({
  title: "Cold starts",
  rows: (report) => report.cold,
  columns: [
    [termCell("Cold starts", "cold start"), (row) => formatCount(row.repetitions)],
    ["Start until ready", (row) => formatMs(row.readyMs)],
    ["First request", (row) => formatMs(row.firstMs)],
    ["Second request", (row) => formatMs(row.secondMs)],
    ["Ratio of start and first request (99 % interval)", against],
  ],
});

export function costCell(
  target: string,
  msPerExchange: number,
  { targets, prices }: Pick<ReportData, "targets" | "prices">,
): string {
  const usd = costOn(targets.find(({ name }) => name === target)?.platform, msPerExchange, prices);
  return usd === null ? "–" : formatUsd(1000 * usd);
}
