import type { Verdict } from "@evenbench/stats";
import type { ReportData } from "../data.ts";
import { formatMs, formatPercent, formatRatio, metricName, VERDICT_SYMBOLS } from "../format.ts";
import { type VerdictRow, verdictRows } from "../rows.ts";
import { intervalBar, scaleAxis } from "./interval.ts";
import { html, type Markup } from "./markup.ts";
import { seriesClass } from "./plot.ts";
import type { RatioScale } from "./scale.ts";

const CLASSES: Readonly<Record<Verdict, string>> = {
  faster: "faster",
  slower: "slower",
  "no difference seen": "same",
  "cannot tell": "unknown",
};

/** The verdict as a word with its sign; the colour only repeats it. */
export function verdictMark(verdict: Verdict): Markup {
  return html`<span class="verdict ${CLASSES[verdict]}"><span aria-hidden="true">${VERDICT_SYMBOLS[verdict]}</span> ${verdict}</span>`;
}

/** A target's name with its colour. */
export function targetMark(name: string, data: ReportData): Markup {
  const target = data.targets.find((one) => one.name === name);
  return html`<span class="target ${seriesClass(target?.colour ?? 0)}${target?.twinOf == null ? "" : " twin"}">${name}</span>`;
}

/** All cases and targets in one table, to be sorted by its headers. Roles are said because phones lay rows out as cards. */
export function verdictTable(data: ReportData, scale: RatioScale): Markup {
  const rows = verdictRows(data);
  if (rows.length === 0) return html`<p>No exchange was measured, so there is nothing to compare.</p>`;
  return html`<div class="verdicts"><p class="visually-hidden" aria-live="polite"></p>
<table role="table" data-sortable aria-label="Verdict for each case and target">
<thead role="rowgroup"><tr role="row">
${header("order", "Case", true, "ascending")}${header("target", "Target", false)}${header("median", "Median", true)}${header("ratio", "Ratio to baseline", true)}
<th role="columnheader" class="bar"><span class="visually-hidden">95 % interval of the ratio, </span><span class="sides"><span>◀ less time</span><span>more time ▶</span></span>${scaleAxis(scale)}</th>
${header("verdict", "Verdict", false)}</tr></thead>
<tbody role="rowgroup">${rows.map((row, index) => line(row, index, rows[index - 1]?.caseId !== row.caseId, data, scale))}</tbody></table>
<p class="key">Dot: the ratio of medians. Line: its 95 % interval. Grey band: what the control, the baseline against its own twin, could not tell from 1.</p></div>`;
}

function header(key: string, title: string, numeric: boolean, sorted = "none"): Markup {
  return html`<th role="columnheader" scope="col" aria-sort="${sorted}" class="col-${key}"><button type="button" data-key="${key}"${numeric ? html` data-number` : null}>${title}</button></th>`;
}

function line(row: VerdictRow, index: number, first: boolean, data: ReportData, scale: RatioScale): Markup {
  const { caseId, title, target, summary, comparison, isBaseline, noiseFloor } = row;
  const ratio = comparison?.ratio ?? null;
  const colour = data.targets.find(({ name }) => name === target)?.colour ?? 0;
  const estimate = isBaseline ? 1 : (ratio?.estimate ?? "");
  return html`<tr role="row" class="${first ? "first" : ""}${isBaseline ? " baseline" : ""}" data-order="${index}" data-target="${target}" data-median="${summary?.median ?? ""}" data-ratio="${estimate}" data-verdict="${isBaseline ? "" : (comparison?.verdict ?? "")}">
<td role="cell" class="col-order"><a href="#case-${caseId}">${title}</a>${row.notSameCode && first ? html` <small>not the same code</small>` : null}</td><td role="cell" class="col-target">${targetMark(target, data)}</td>
<td role="cell" class="col-median number">${formatMs(summary?.median ?? null)} <small>${metricName(row.metric)}</small></td>
<td role="cell" class="col-ratio number">${isBaseline ? html`1 <small>${noiseFloor === null ? "no control" : `noise ± ${formatPercent(noiseFloor)}`}</small>` : formatRatio(ratio)}</td>
<td role="cell" class="bar">${intervalBar({ ratio: isBaseline ? null : ratio, noiseFloor, colour, scale, hollow: false, label: isBaseline ? `${title}, ${target}, baseline` : `${title}, ${target}` })}</td>
<td role="cell" class="col-verdict">${isBaseline ? html`<span class="verdict base">baseline</span>` : comparison ? verdictMark(comparison.verdict) : "–"}</td></tr>
`;
}
