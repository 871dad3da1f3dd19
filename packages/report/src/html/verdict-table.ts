import type { Verdict } from "@evenbench/stats";
import { ofTarget } from "../case-report.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { formatCount, formatMs, formatRatio, formatUsd, listed, metricName } from "../format.ts";
import { MARKS, markWords } from "../marks.ts";
import { platformNames } from "../names.ts";
import { isOfOwnServers } from "../notices.ts";
import { costOn } from "../prices.ts";
import { caseLinks } from "../repeat.ts";
import {
  differenceOf,
  effectOf,
  otherBaselines,
  type VerdictRow,
  verdictRows,
  viewsOf,
  voidsOf,
} from "../rows.ts";
import type { Cell } from "../table.ts";
import { html, type Markup } from "./markup.ts";
import { colourMark } from "./pieces.ts";
import { type Explained, explainedControl } from "./term.ts";

const metricOf = ({ report }: VerdictRow) => metricName(report.manifest.headline);
const TIME = "Time: the geometric mean of the trials' medians";

export function verdictMark(verdict: Verdict): Markup {
  return html`<span class="verdict ${verdict}"><span aria-hidden="true">${MARKS[verdict].sign}</span> ${verdict}</span>`;
}

export function targetMark(name: string, data: Pick<ReportData, "targets">): Markup {
  const target = data.targets.find((one) => one.name === name);
  return colourMark(name, target?.colour ?? 0, target?.copyOf != null);
}

export function targetCell(name: string, data: Pick<ReportData, "targets">): Cell {
  return { text: name, html: targetMark(name, data) };
}

export function verdictTable(data: ReportData): Markup {
  const rows = verdictRows(data);
  if (rows.length === 0) return html`<p>No request was measured, so there is nothing to compare.</p>`;
  const isOwn = isOfOwnServers(data.run.plan);
  const hasCost = rows.some((row) => costNote(row, data) !== null);
  return html`<div class="verdicts">${verdictFilter(rows, data)}<p class="visually-hidden" aria-live="polite"></p>
<table role="table" data-sortable aria-label="Verdict for each case and target">
<thead role="rowgroup"><tr role="row">
${headers(rows, data)}</tr></thead>
<tbody role="rowgroup">${rows.map((row, index) => html`${isOwn ? null : kindHead(row, rows[index - 1])}${line(row, index, data)}`)}</tbody></table>
<p class="key">${TIME}, to the ${listed([...new Set(rows.map(metricOf))])}. ${data.run.vantages === undefined ? `A ratio below 1 takes less.${hasCost ? " $/M: CPU time of a million requests, by the platform's price." : ""}` : "A difference below 0 takes less; it is pooled only where the vantages lie on one side of 0."} <a href="#method">How to read this</a>.</p></div>`;
}

interface Header {
  readonly key: string;
  readonly title: string;
  readonly numeric?: boolean;
  readonly sorted?: string;
  readonly says?: string;
  readonly words: Explained["words"];
}

function headers(rows: readonly VerdictRow[], { run }: ReportData): readonly Markup[] {
  const overVantages = run.vantages !== undefined;
  const says = "To the baseline, with its 99 % interval";
  const [first = "last byte", ...others] = new Set(rows.map(metricOf));
  const all: readonly Header[] = [
    {
      key: "order",
      title: isOfOwnServers(run.plan) ? "Path" : "Case",
      numeric: true,
      sorted: "ascending",
      words: ["case"],
    },
    { key: "target", title: "Target", words: ["target"] },
    {
      key: "n",
      title: "n",
      numeric: true,
      says: "Requests that were measured, in so many trials",
      words: ["trial"],
    },
    { key: "time", title: "Time", numeric: true, says: TIME, words: [first, ...others] },
    {
      key: "ratio",
      title: overVantages ? "Difference of times" : "Ratio of times",
      numeric: true,
      says,
      words: ["baseline", "interval"],
    },
    { key: "verdict", title: "Verdict", words: ["verdict", "A/A control", "noise floor", "warm"] },
    { key: "cpu", title: "CPU time", numeric: true, says: TIME, words: ["CPU time"] },
    { key: "cpu-ratio", title: "Ratio of CPU times", numeric: true, says, words: ["interval"] },
  ];
  return all.map(header);
}

function header({ key, title, numeric = false, sorted = "none", ...about }: Header): Markup {
  const button = (described: Markup) =>
    html`<button type="button" data-key="${key}"${numeric ? html` data-number` : null}${described}>${title}</button>`;
  return html`<th role="columnheader" scope="col" aria-sort="${sorted}" class="col-${key}">${explainedControl(button, { place: `verdicts-${key}`, ...about })}</th>`;
}

function kindHead({ report: { kindOfWork } }: VerdictRow, before: VerdictRow | undefined): Markup | null {
  if (before?.report.kindOfWork === kindOfWork) return null;
  return html`<tr role="row" class="kind"><th role="rowheader" scope="rowgroup" colspan="8">${kindOfWork}</th></tr>
`;
}

function line(row: VerdictRow, index: number, data: ReportData): Markup {
  const overVantages = data.run.vantages !== undefined;
  const { report, target, summary, cpuSummary, comparison, cpuComparison, isBaseline, isFirst } = row;
  const { id, notSameCode } = report.manifest;
  const others = overVantages ? [] : otherBaselines(report, target.name, platformNames(data.targets));
  const keys = {
    order: index,
    target: target.name,
    n: summary?.exchanges,
    time: summary?.median,
    ratio: isBaseline ? (overVantages ? 0 : 1) : (differenceOf(row)?.pooled ?? comparison?.ratio)?.estimate,
    verdict: comparison?.verdict,
    cpu: cpuSummary?.median,
    "cpu-ratio": isBaseline ? 1 : cpuComparison?.ratio?.estimate,
    case: id,
    app: target.app,
    platform: row.platform,
    kind: report.kindOfWork,
    against: others.map(againstOther).join("\n"),
  };
  return html`<tr role="row" class="${isFirst ? "first" : ""}${isBaseline ? " baseline" : ""}"${Object.entries(keys).map(([key, value]) => html` data-${key}="${value ?? ""}"`)}>
<td role="cell" class="col-order"><a href="#case-${id}">${id}</a>${notSameCode === null ? null : html` <small class="first-only">not the same code</small>`}${linksOf(report, data)}</td><td role="cell" class="col-target">${targetMark(target.name, data)}</td>
<td role="cell" class="col-n number">${counts(row)}</td><td role="cell" class="col-time number">${formatMs(summary?.median ?? null)}</td>
<td role="cell" class="col-ratio number">${ratioCell(row, overVantages)}</td><td role="cell" class="col-verdict">${verdictCell(row, data)}</td>
<td role="cell" class="col-cpu number">${formatMs(cpuSummary?.median ?? null)}${costNote(row, data)}</td><td role="cell" class="col-cpu-ratio number">${cpuRatioCell(row)}</td></tr>
`;
}

/** What the row says with another baseline, for the page's script. */
function againstOther(other: ReturnType<typeof otherBaselines>[number]): string {
  const { platform, headline, cpuTime, isItself, verdict } = other;
  const ratios = [headline, cpuTime].map((ratio) => (isItself ? "1" : formatRatio(ratio)));
  return [platform, ...ratios, verdict === null ? "baseline" : markWords(verdict)].join("\t");
}

function linksOf(report: CaseReport, { run }: ReportData): Markup {
  const { path, url } = caseLinks(report, run);
  const { id, title } = report.manifest;
  const source = url === null ? null : html`<a class="source" href="${url}" title="${path}">source</a> `;
  return html`<small class="first-only">${title}</small><small class="first-only links">${source}<button type="button" hidden data-copy="command-${id}">copy command</button></small>`;
}

function costNote({ report, target }: VerdictRow, { prices }: ReportData): Markup | null {
  const cpu = ofTarget(report.cpu, target.name);
  const usd = cpu && costOn(target.platform, cpu.msPerExchange, prices);
  if (usd === null) return null;
  return html`<small class="cost" title="CPU time of a million requests, by the platform's price">${formatUsd(usd)}/M</small>`;
}

function counts({ summary }: VerdictRow): Markup {
  if (summary === null) return html`–`;
  return html`${formatCount(summary.exchanges)} <small>in ${summary.trials}</small>`;
}

function ratioCell(row: VerdictRow, overVantages: boolean): Markup | null {
  if (!row.isBaseline) return html`${effectOf(row)}`;
  if (overVantages) return null;
  return html`1${row.report.headline?.control === null ? html` <small>no A/A control</small>` : null}`;
}

function verdictCell(row: VerdictRow, { run }: ReportData): Markup {
  const { isBaseline, comparison } = row;
  const verdict = isBaseline
    ? html`<span class="verdict base">baseline</span>`
    : comparison
      ? verdictMark(comparison.verdict)
      : html`–`;
  return html`${verdict}${voidsOf(run, row).map(({ title, detail }) => html`<small class="void"><strong>✕ ${title}.</strong> ${detail}</small>`)}`;
}

function cpuRatioCell({ isBaseline, cpuComparison }: VerdictRow): Markup {
  if (isBaseline) return html`1`;
  if (cpuComparison === null) return html`–`;
  const { verdict, ratio } = cpuComparison;
  return html`<span class="sign ${verdict}" title="${verdict}"><span aria-hidden="true">${MARKS[verdict].sign}</span><span class="visually-hidden">${verdict}, </span></span> ${formatRatio(ratio)}`;
}

const CHOICES = [
  ["app", "App", ({ target }: VerdictRow) => target.app],
  ["platform", "Platform", ({ platform }: VerdictRow) => platform],
  ["kind", "Kind of work", ({ report }: VerdictRow) => report.kindOfWork],
  ["verdict", "Verdict", ({ comparison }: VerdictRow) => comparison?.verdict ?? ""],
] as const;

function verdictFilter(rows: readonly VerdictRow[], data: ReportData): Markup {
  const isOwn = isOfOwnServers(data.run.plan);
  const lists = CHOICES.map(([key, title, of]) => {
    const values = [...new Set(rows.map(of))].filter((value) => value !== "");
    return values.length < 2 || (isOwn && key === "platform") ? null : choice(key, title, "all", values);
  });
  const own = rows.filter(({ isBaseline }) => isBaseline).map(({ platform }) => platform);
  const others = viewsOf(data).flatMap(({ key }) => (key === "" ? [] : [key]));
  const baseline =
    others.length === 0 || data.run.vantages !== undefined
      ? null
      : choice("baseline", "Baseline", listed([...new Set(own)]), others);
  return html`<form class="filter" hidden aria-label="Rows of the table">${lists}${baseline}<output></output></form>`;
}

function choice(key: string, title: string, none: string, values: readonly string[]): Markup {
  return html`<label>${title} <select name="${key}"><option value="">${none}</option>${values.map((value) => html`<option>${value}</option>`)}</select></label> `;
}
