import type { Verdict } from "@evenbench/stats";
import type { ReportData } from "../data.ts";
import { formatCount, formatMs, formatRatio, formatUsd, listed, metricName } from "../format.ts";
import { MARKS, markWords } from "../marks.ts";
import { isOfOwnServers } from "../notices.ts";
import { effectOf, type VerdictRow, verdictRows } from "../rows.ts";
import type { Cell } from "../table.ts";
import { html, type Markup } from "./markup.ts";
import { colourMark } from "./pieces.ts";
import { type Explained, explainedControl } from "./term.ts";

const TIME = "Time: the geometric mean of the trials' medians";

function ratiosNote(rows: readonly VerdictRow[]): string {
  const hasCost = rows.some(({ usdOfMillion }) => usdOfMillion !== null);
  return `A ratio below 1 takes less.${hasCost ? " $/M: CPU time of a million requests, by the platform's price." : ""}`;
}

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
  return html`<div class="verdicts">${verdictFilter(rows, isOwn)}<p class="visually-hidden" aria-live="polite"></p>
<table role="table" data-sortable aria-label="Verdict for each case and target">
<thead role="rowgroup"><tr role="row">
${headers(rows, data)}</tr></thead>
<tbody role="rowgroup">${rows.map((row, index) => html`${isOwn ? null : kindHead(row, rows[index - 1])}${line(row, index, rows[index - 1]?.caseId !== row.caseId, data)}`)}</tbody></table>
<p class="key">${TIME}, to the ${listed([...new Set(rows.map(({ metric }) => metricName(metric)))])}. ${data.run.vantages === undefined ? ratiosNote(rows) : "A difference below 0 takes less; it is pooled only where the vantages lie on one side of 0."} <a href="#method">How to read this</a>.</p></div>`;
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
  const [first = "last byte", ...others] = new Set(rows.map(({ metric }) => metricName(metric)));
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

function kindHead({ kindOfWork }: VerdictRow, before: VerdictRow | undefined): Markup | null {
  if (before?.kindOfWork === kindOfWork) return null;
  return html`<tr role="row" class="kind"><th role="rowheader" scope="rowgroup" colspan="8">${kindOfWork}</th></tr>
`;
}

function line(row: VerdictRow, index: number, first: boolean, data: ReportData): Markup {
  const overVantages = data.run.vantages !== undefined;
  const { caseId, target, summary, cpuSummary, comparison, cpuComparison, isBaseline } = row;
  const keys = {
    order: index,
    target,
    n: summary?.exchanges,
    time: summary?.median,
    ratio: isBaseline ? (overVantages ? 0 : 1) : (row.difference?.pooled ?? comparison?.ratio)?.estimate,
    verdict: comparison?.verdict,
    cpu: cpuSummary?.median,
    "cpu-ratio": isBaseline ? 1 : cpuComparison?.ratio?.estimate,
    case: caseId,
    app: row.app,
    platform: row.platform,
    kind: row.kindOfWork,
    against: againstOthers(row),
  };
  return html`<tr role="row" class="${first ? "first" : ""}${isBaseline ? " baseline" : ""}"${Object.entries(keys).map(([key, value]) => html` data-${key}="${value ?? ""}"`)}>
<td role="cell" class="col-order"><a href="#case-${caseId}">${caseId}</a>${row.notSameCode ? html` <small class="first-only">not the same code</small>` : null}${linksOf(row)}</td><td role="cell" class="col-target">${targetMark(target, data)}</td>
<td role="cell" class="col-n number">${counts(row)}</td><td role="cell" class="col-time number">${formatMs(summary?.median ?? null)}</td>
<td role="cell" class="col-ratio number">${ratioCell(row, overVantages)}</td><td role="cell" class="col-verdict">${verdictCell(row)}</td>
<td role="cell" class="col-cpu number">${formatMs(cpuSummary?.median ?? null)}${costNote(row)}</td><td role="cell" class="col-cpu-ratio number">${cpuRatioCell(row)}</td></tr>
`;
}

/** What the row says with another baseline, for the page's script. */
function againstOthers({ otherBaselines }: VerdictRow): string {
  const lines = otherBaselines.map(({ platform, headline, cpuTime, isItself, verdict }) =>
    [
      platform,
      ...[headline, cpuTime].map((ratio) => (isItself ? "1" : formatRatio(ratio))),
      verdict === null ? "baseline" : markWords(verdict),
    ].join("\t"),
  );
  return lines.join("\n");
}

function linksOf({ caseId, title, links: { path, url } }: VerdictRow): Markup {
  const source = url === null ? null : html`<a class="source" href="${url}" title="${path}">source</a> `;
  return html`<small class="first-only">${title}</small><small class="first-only links">${source}<button type="button" hidden data-copy="command-${caseId}">copy command</button></small>`;
}

function costNote({ usdOfMillion }: VerdictRow): Markup | null {
  if (usdOfMillion === null) return null;
  return html`<small class="cost" title="CPU time of a million requests, by the platform's price">${formatUsd(usdOfMillion)}/M</small>`;
}

function counts({ summary }: VerdictRow): Markup {
  if (summary === null) return html`–`;
  return html`${formatCount(summary.exchanges)} <small>in ${summary.trials}</small>`;
}

function ratioCell(row: VerdictRow, overVantages: boolean): Markup {
  const { isBaseline, noiseFloor } = row;
  if (isBaseline && overVantages) return html``;
  if (!isBaseline) return html`${effectOf(row)}`;
  return html`1${noiseFloor === null ? html` <small>no A/A control</small>` : null}`;
}

function verdictCell({ isBaseline, comparison, voids }: VerdictRow): Markup {
  const verdict = isBaseline
    ? html`<span class="verdict base">baseline</span>`
    : comparison
      ? verdictMark(comparison.verdict)
      : html`–`;
  return html`${verdict}${voids.map(({ title, detail }) => html`<small class="void"><strong>✕ ${title}.</strong> ${detail}</small>`)}`;
}

function cpuRatioCell({ isBaseline, cpuComparison }: VerdictRow): Markup {
  if (isBaseline) return html`1`;
  if (cpuComparison === null) return html`–`;
  const { verdict, ratio } = cpuComparison;
  return html`<span class="sign ${verdict}" title="${verdict}"><span aria-hidden="true">${MARKS[verdict].sign}</span><span class="visually-hidden">${verdict}, </span></span> ${formatRatio(ratio)}`;
}

const CHOICES = [
  ["app", "App", ({ app }: VerdictRow) => app],
  ["platform", "Platform", ({ platform }: VerdictRow) => platform],
  ["kind", "Kind of work", ({ kindOfWork }: VerdictRow) => kindOfWork],
  ["verdict", "Verdict", ({ comparison }: VerdictRow) => comparison?.verdict ?? ""],
] as const;

function verdictFilter(rows: readonly VerdictRow[], isOwn: boolean): Markup {
  const lists = CHOICES.map(([key, title, of]) => {
    const values = [...new Set(rows.map(of))].filter((value) => value !== "");
    return values.length < 2 || (isOwn && key === "platform") ? null : choice(key, title, "all", values);
  });
  const own = rows.filter(({ isBaseline }) => isBaseline).map(({ platform }) => platform);
  const others = rows.flatMap(({ otherBaselines }) => otherBaselines.map(({ platform }) => platform));
  const baseline =
    others.length === 0
      ? null
      : choice("baseline", "Baseline", listed([...new Set(own)]), [...new Set(others)]);
  return html`<form class="filter" hidden aria-label="Rows of the table">${lists}${baseline}<output></output></form>`;
}

function choice(key: string, title: string, none: string, values: readonly string[]): Markup {
  return html`<label>${title} <select name="${key}"><option value="">${none}</option>${values.map((value) => html`<option>${value}</option>`)}</select></label> `;
}
