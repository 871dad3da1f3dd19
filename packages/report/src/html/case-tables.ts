import { PARTS, type Part, type PartTime } from "@evenbench/stats";
import { ofTarget } from "../case-report.ts";
import type { CaseReport, ReportData } from "../data.ts";
import {
  formatBytes,
  formatCount,
  formatMs,
  formatMsInterval,
  formatPercent,
  formatRatio,
  formatUsd,
  metricName,
} from "../format.ts";
import { MARKS } from "../marks.ts";
import { costOn } from "../prices.ts";
import { timeAndCpu } from "../remarks.ts";
import { htmlTable } from "../table.ts";
import { html, type Markup } from "./markup.ts";
import { type Explained, placeOfTable, term } from "./term.ts";
import { targetCell } from "./verdict-table.ts";

/** With a word that is explained, and what follows it. */
type Head = string | readonly [shown: string, words: Explained["words"], after?: string];

interface Section<Row extends { readonly target: string }> {
  readonly title: string;
  rows(report: CaseReport): readonly Row[];
  readonly columns: readonly (readonly [
    head: Head,
    cell: (row: Row, report: CaseReport, data: ReportData) => string,
  ])[];
  note?(report: CaseReport): string;
}

type Drawn = (report: CaseReport, data: ReportData) => Markup | null;

function section<Row extends { readonly target: string }>(one: Section<Row>): Drawn {
  const has = (report: CaseReport) => one.rows(report).length > 0;
  return (report, data) => {
    if (!has(report)) return null;
    const place = placeOfTable(one.title.toLowerCase().replaceAll(" ", "-"), report, data, has);
    const heads = one.columns.map(([head]) => {
      if (typeof head === "string") return head;
      const [shown, words, after = ""] = head;
      return { text: shown + after, html: html`${term(shown, place, ...words)}${after}` };
    });
    const table = htmlTable(`${one.title} of ${report.manifest.id}`, {
      head: ["Target", ...heads],
      rows: one
        .rows(report)
        .map((row) => [
          targetCell(row.target, data),
          ...one.columns.map(([, cell]) => cell(row, report, data)),
        ]),
      numeric: heads.map((_, column) => column + 1),
    });
    return html`<h4>${one.title}</h4>${table}${one.note === undefined ? null : html`<p class="key">${one.note(report)}</p>`}`;
  };
}

function against(
  { target, ratio }: { readonly target: string; readonly ratio: Parameters<typeof formatRatio>[0] },
  { baseline }: CaseReport,
): string {
  return target === baseline ? "1" : formatRatio(ratio);
}

const RATIO = "Ratio (99 % interval)";

const PART_WORDS: Readonly<Record<Part, string>> = {
  first: "First part",
  half: "Half of it",
  last: "All of it",
};

const parts = section({
  title: "Arrival of the body",
  rows: ({ targets, partTimes }) =>
    targets.flatMap((target) => {
      const own = partTimes.filter((one) => one.target === target);
      return own.length === 0 ? [] : [{ target, own }];
    }),
  columns: PARTS.flatMap((part, index) => [
    [PART_WORDS[part], ({ own }: { own: readonly PartTime[] }) => formatMs(own[index]?.ms ?? null)] as const,
    [
      RATIO,
      ({ target, own }: { target: string; own: readonly PartTime[] }, { baseline }: CaseReport) => {
        const { ratio = null, verdict = null } = own[index] ?? {};
        if (target === baseline) return "1";
        return ratio === null || verdict === null ? "–" : `${MARKS[verdict].sign} ${formatRatio(ratio)}`;
      },
    ] as const,
  ]),
  note: () =>
    "Time until a part of the streamed body is there, in some rounds after those that were timed: the geometric mean of the trials' medians. Verdicts as for times.",
});

const compute = section({
  title: "Compute time",
  rows: ({ computeTimes }) => computeTimes,
  columns: [
    [
      ["Transfer time", ["transfer time"], ": the same bytes, nothing computed"],
      (row) => formatMs(row.transferMs),
    ],
    [["Compute time", ["compute time"], ": last byte less transfer"], (row) => formatMs(row.computeMs)],
    [RATIO, against],
  ],
});

const cpu = section({
  title: "CPU time",
  rows: (report) => report.cpu,
  columns: [
    [["CPU time", ["CPU time"], " per request, mean"], (row) => formatMs(row.msPerExchange)],
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
    ["CPU cost of a million", ({ target, msPerExchange }, _, data) => cost(target, msPerExchange, data)],
  ],
});

const warmUp = section({
  title: "Warm-up",
  rows: ({ curves }) =>
    curves.some(
      ({ warmFrom, first }) => warmFrom !== null || first.some(({ lastByteMs }) => lastByteMs !== null),
    )
      ? curves
      : [],
  columns: [
    [["Warm from request", ["warm", "warm-up", "request"]], ({ warmFrom }) => String(warmFrom ?? "–")],
    ["First request", ({ points: [first] }) => (first === undefined ? "–" : timeAndCpu(first))],
    ["A warm one", ({ warm }) => timeAndCpu(warm)],
    ["First 10, beyond warm ones", ({ first: [ten] }) => (ten === undefined ? "–" : timeAndCpu(ten))],
    [
      "First 100, beyond warm ones",
      ({ first: [, hundred] }) => (hundred === undefined ? "–" : timeAndCpu(hundred)),
    ],
  ],
});

const providerCpu = section({
  title: "CPU time by platforms",
  rows: (report) => report.providerCpu,
  columns: [
    ["CPU time per request, by the platform", (row) => formatMs(row.msPerRequest)],
    [
      "99 % interval",
      ({ interval }) =>
        interval === null ? "–" : formatMsInterval(Math.max(0, interval.low), interval.high),
    ],
    [
      "Requests with an account",
      ({ joined, exchanges }) =>
        `${formatCount(joined)} of ${formatCount(exchanges)} (${formatPercent(joined / exchanges)})`,
    ],
    ["Least in a trial", (row) => formatPercent(row.leastShare)],
    ["Longest gap", (row) => formatCount(row.longestGap)],
    ["CPU cost of a million", ({ target, msPerRequest }, _, data) => cost(target, msPerRequest, data)],
  ],
  note: (report) =>
    `Sources of CPU time: ${report.providerCpu.map(({ target, accountant }) => `${target}: ${accountant}`).join("; ")}. They count different things: compare figures of the same source. What has no figure was not sampled, not alone in its instance, or not reported yet; a long gap or a trial with few accounts means that the rest may not stand for all.`,
});

const cold = section({
  title: "Cold starts",
  rows: (report) => report.cold,
  columns: [
    [["Cold starts", ["cold start"]], (row) => formatCount(row.repetitions)],
    ["Start until ready", (row) => formatMs(row.readyMs)],
    ["First request", (row) => formatMs(row.firstMs)],
    ["Second request", (row) => formatMs(row.secondMs)],
    ["Ratio of start and first request (99 % interval)", against],
  ],
});

const numbers = section({
  title: "Numbers",
  rows: ({ headline, cpuTime, other }) =>
    [headline, cpuTime, other].flatMap((analysis) => analysis?.summaries ?? []),
  columns: [
    ["Of", ({ metric }) => metricName(metric)],
    ["Requests", (row) => formatCount(row.exchanges)],
    ["Errors", (row) => formatCount(row.errors)],
    ["Median", (row) => formatMs(row.median)],
    ["99 % interval", (row) => formatMsInterval(row.medianLow, row.medianHigh)],
    ["Mean", (row) => formatMs(row.mean)],
    ["95th percentile", (row) => formatMs(row.p95)],
    ["Least", (row) => formatMs(row.minimum)],
    ["Most", (row) => formatMs(row.maximum)],
  ],
});

/** In the order of the page: a new section is one of these. */
export const SECTIONS: readonly Drawn[] = [parts, cpu, compute, warmUp, providerCpu, cold, numbers];

function cost(target: string, ms: number, { targets, prices }: ReportData): string {
  const usd = costOn(targets.find(({ name }) => name === target)?.platform, ms, prices);
  return usd === null ? "–" : formatUsd(1000 * usd);
}
