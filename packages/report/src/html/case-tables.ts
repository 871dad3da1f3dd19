import { type CpuSummary, PARTS, type Part, type PartTime } from "@evenbench/stats";
import type { CaseReport, ReportData } from "../data.ts";
import {
  formatBytes,
  formatCount,
  formatMs,
  formatMsInterval,
  formatPercent,
  formatRatio,
  formatUsd,
} from "../format.ts";
import { MARKS } from "../marks.ts";
import { costOn } from "../prices.ts";
import { timeAndCpu } from "../remarks.ts";
import { htmlTable } from "../table.ts";
import { html, type Markup } from "./markup.ts";
import { placeOfTable, term } from "./term.ts";
import { targetCell } from "./verdict-table.ts";

interface Row {
  readonly target: string;
  readonly cells: readonly string[];
}

/** A table of numbers with a row for each target; null without rows. */
export function dataTable(
  label: string,
  heads: readonly (string | Markup)[],
  rows: readonly Row[],
  data: ReportData,
): Markup | null {
  if (rows.length === 0) return null;
  return htmlTable(label, {
    head: ["Target", ...heads.map((head) => (typeof head === "string" ? head : { text: "", html: head }))],
    rows: rows.map(({ target, cells }) => [targetCell(target, data), ...cells]),
    numeric: heads.map((_, column) => column + 1),
  });
}

/** What is left of the times when those of sending the same bytes are taken off. */
export function computeTable(report: CaseReport, data: ReportData): Markup | null {
  const { computeTimes, manifest, baseline } = report;
  const place = placeOfTable("compute", report, data, (one) => one.computeTimes.length > 0);
  const heads = [
    html`${term("Transfer time", place, "transfer time")}: the same bytes, nothing computed`,
    html`${term("Compute time", place, "compute time")}: last byte less transfer`,
    "Ratio (99 % interval)",
  ];
  const rows = computeTimes.map(({ target, transferMs, computeMs, ratio }) => ({
    target,
    cells: [formatMs(transferMs), formatMs(computeMs), target === baseline ? "1" : formatRatio(ratio)],
  }));
  return dataTable(`Compute time of ${manifest.id}`, heads, rows, data);
}

const PART_WORDS: Readonly<Record<Part, string>> = {
  first: "First part",
  half: "Half of it",
  last: "All of it",
};

/** When somebody sees the parts of a page that streams. */
export function partTable(
  { partTimes, targets, manifest, baseline }: CaseReport,
  data: ReportData,
): Markup | null {
  const heads = PARTS.flatMap((part) => [PART_WORDS[part], "Ratio (99 % interval)"]);
  const rows = targets.flatMap((target) => {
    const own = partTimes.filter((one) => one.target === target);
    if (own.length === 0) return [];
    return {
      target,
      cells: own.flatMap(({ ms, ratio, verdict }) => [
        formatMs(ms),
        partRatio(ratio, verdict, target === baseline),
      ]),
    };
  });
  const table = dataTable(`Arrival of the body of ${manifest.id}`, heads, rows, data);
  if (table === null) return null;
  return html`${table}<p class="key">Time until a part of the streamed body is there, in some rounds after those that were timed: the geometric mean of the trials' medians. Verdicts as for times.</p>`;
}

function partRatio(ratio: PartTime["ratio"], verdict: PartTime["verdict"], isBaseline: boolean): string {
  if (isBaseline) return "1";
  return ratio === null || verdict === null ? "–" : `${MARKS[verdict].sign} ${formatRatio(ratio)}`;
}

/** What the processors worked, beside what the client waited. */
export function cpuTable(report: CaseReport, data: ReportData): Markup | null {
  const { cpu, cpuTime, manifest, baseline } = report;
  const place = placeOfTable("cpu", report, data, (one) => one.cpu.length > 0);
  const heads = [
    html`${term("CPU time", place, "CPU time")} per request, mean`,
    "Median",
    "Ratio of means (99 % interval)",
    "Kernel",
    "Page faults",
    "Memory resident (at its peak)",
    "CPU cost of 1,000",
  ];
  const rows = cpu.map((one) => ({
    target: one.target,
    cells: [
      formatMs(one.msPerExchange),
      formatMs(cpuTime?.summaries.find(({ target }) => target === one.target)?.median ?? null),
      one.target === baseline ? "1" : formatRatio(one.ratio),
      one.systemShare === null
        ? "–"
        : `${formatMs(one.msPerExchange * one.systemShare)} (${formatPercent(one.systemShare)})`,
      one.minorFaults === null ? "–" : formatCount(Math.round(one.minorFaults)),
      `${formatBytes(one.residentBytes)}${one.peakResidentBytes === null ? "" : ` (${formatBytes(one.peakResidentBytes)})`}`,
      cost(one, data),
    ],
  }));
  return dataTable(`CPU time of ${manifest.id}`, heads, rows, data);
}

/** What platforms account to single requests, and how many of them have an account. */
export function providerCpuTable({ providerCpu, manifest }: CaseReport, data: ReportData): Markup | null {
  const heads = [
    "CPU time per request, by the platform",
    "99 % interval",
    "Requests with an account",
    "Least in a trial",
    "Longest gap",
    "CPU cost of 1,000",
  ];
  const rows = providerCpu.map((one) => ({
    target: one.target,
    cells: [
      formatMs(one.msPerRequest),
      one.interval === null ? "–" : formatMsInterval(Math.max(0, one.interval.low), one.interval.high),
      `${formatCount(one.joined)} of ${formatCount(one.exchanges)} (${formatPercent(one.joined / one.exchanges)})`,
      formatPercent(one.leastShare),
      formatCount(one.longestGap),
      cost({ target: one.target, msPerExchange: one.msPerRequest }, data),
    ],
  }));
  const table = dataTable(`CPU time of ${manifest.id}, by platforms`, heads, rows, data);
  if (table === null) return null;
  const accountants = providerCpu.map(({ target, accountant }) => `${target}: ${accountant}`);
  return html`${table}<p class="key">Accountants: ${accountants.join("; ")}. They count different things: compare figures of the same one. What has no account was not sampled, not alone in its instance, or not reported yet; a long gap or a trial with few accounts means that the rest may not stand for all.</p>`;
}

type CpuCost = Pick<CpuSummary, "target" | "msPerExchange">;

function cost({ target, msPerExchange }: CpuCost, { targets, prices }: ReportData): string {
  const platform = targets.find(({ name }) => name === target)?.platform;
  const usd = costOn(platform, msPerExchange, prices);
  return usd === null ? "–" : formatUsd(usd);
}

/** What the first answers of a fresh instance take. */
export function coldTable(report: CaseReport, data: ReportData): Markup | null {
  const { cold, manifest, baseline } = report;
  const place = placeOfTable("cold", report, data, (one) => one.cold.length > 0);
  const heads = [
    term("Cold starts", place, "cold start"),
    "Start until ready",
    "First request",
    "Second request",
    "Ratio of start and first request (99 % interval)",
  ];
  const rows = cold.map((one) => ({
    target: one.target,
    cells: [
      formatCount(one.repetitions),
      formatMs(one.readyMs),
      formatMs(one.firstMs),
      formatMs(one.secondMs),
      one.target === baseline ? "1" : formatRatio(one.ratio),
    ],
  }));
  return dataTable(`Cold starts of ${manifest.id}`, heads, rows, data);
}

/** From when on fresh instances are warm, and what their first exchanges cost; null where neither is known. */
export function warmUpTable(report: CaseReport, data: ReportData): Markup | null {
  if (!isTold(report)) return null;
  const { curves, manifest } = report;
  const place = placeOfTable("warm-up", report, data, isTold);
  const heads = [
    html`${term("Warm", place, "warm", "warm-up")} from ${term("request", place, "request")}`,
    "First request",
    "A warm one",
    "First 10, beyond warm ones",
    "First 100, beyond warm ones",
  ];
  const rows = curves.map(({ target, warmFrom, points, warm, first }) => ({
    target,
    cells: [
      warmFrom === null ? "–" : String(warmFrom),
      points[0] === undefined ? formatMs(null) : timeAndCpu(points[0]),
      timeAndCpu(warm),
      ...first.map(timeAndCpu),
    ],
  }));
  return dataTable(`Warm-up of ${manifest.id}`, heads, rows, data);
}

function isTold({ curves }: CaseReport): boolean {
  return curves.some(
    ({ warmFrom, first }) => warmFrom !== null || first.some(({ lastByteMs }) => lastByteMs !== null),
  );
}
