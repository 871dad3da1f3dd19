import type { CaseAnalysis, Comparison } from "@evenbench/stats";
import { withControl } from "../case-report.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { formatRatio, metricName, metricTitle } from "../format.ts";
import { BUSY, isBusy } from "../notices.ts";
import { type CaseLinks, caseLinks } from "../repeat.ts";
import { SECTIONS } from "../sections/index.ts";
import type { Remark } from "../sections/section.ts";
import { html, type Markup } from "./markup.ts";
import { intervalBar, ratioScale, scaleAxis } from "./scale.ts";
import { placeOfTable, term } from "./term.ts";
import { vantageSection } from "./vantage-section.ts";
import { targetMark, verdictMark } from "./verdict-table.ts";

export function caseSection(report: CaseReport, data: ReportData): Markup {
  const { manifest, headline, other, cpuTime } = report;
  const analyses = [headline, cpuTime, other].filter((analysis) => analysis !== null);
  const own = { ...data, targets: data.targets.filter(({ name }) => report.targets.includes(name)) };
  const figures = (isMain: boolean) => {
    const drawn = SECTIONS.flatMap((one) => (one.isMain === isMain ? (one.figure(report, own) ?? []) : []));
    return drawn.length === 0 ? null : html`<div class="figures">${drawn}</div>`;
  };
  return html`<section class="case" id="case-${manifest.id}" aria-labelledby="title-${manifest.id}"><details><summary><h3 id="title-${manifest.id}">${manifest.id} <small>${manifest.title}</small></h3></summary>
<p class="lead">${manifest.description}</p>
${linksLine(manifest.id, caseLinks(report, data.run))}
${report.isUnproven ? html`<p class="note"><strong>The work was not proven equal.</strong> Answers differed, and --same-work assumed compared them anyway.</p>` : null}
${manifest.notSameCode === null ? null : html`<p class="note"><strong>Not the same code on all targets.</strong> ${manifest.notSameCode}</p>`}
${
  headline === null
    ? html`<p class="note">Nothing was measured for this case.</p>`
    : html`${reasons(headline, data)}${cpuReasons(report, data)}${report.vantages === null ? intervals(report, analyses, data) : vantageSection(report, data)}${legend(report, data)}${figures(true)}${addition(report, data)}
<details class="numbers"><summary>More of ${manifest.id}: ${report.curves.length === 0 ? "" : "warm-up, "}CPU time, all numbers</summary>${figures(false)}${SECTIONS.map((section) => section.table(report, data))}</details>`
}</details></section>
`;
}

function linksLine(id: string, { path, url, command }: CaseLinks): Markup {
  const code = html`<code>${path ?? ""}</code>`;
  const source =
    path === null ? null : html`Source: ${url === null ? code : html`<a href="${url}">${code}</a>`}. `;
  return html`<p class="links">${source}Measure it again: <code id="command-${id}">${command}</code> <button type="button" hidden data-copy="command-${id}">copy</button></p>`;
}

function reasons({ comparisons, control }: CaseAnalysis, data: ReportData): Markup {
  return html`<ul class="reasons">${comparisons.map(
    ({ target, verdict, reason }) =>
      html`<li>${targetMark(target, data)} ${verdictMark(verdict)} ${reason}</li>`,
  )}${control === null ? null : html`<li>${targetMark(control.target, data)} <span class="verdict base">control</span> ${control.reason}</li>`}</ul>`;
}

function cpuReasons(report: CaseReport, data: ReportData): Markup {
  const { cpuTime } = report;
  const remarks = SECTIONS.flatMap((one) => (one.isAside ? [] : one.remarks(report, data)));
  return html`${
    cpuTime === null
      ? null
      : html`<p class="key">CPU time for one request${isBusy(report) ? html`. <strong>${BUSY}</strong>` : ":"}</p>${reasons(cpuTime, data)}`
  }${remarks.length === 0 ? null : remarkList(remarks, data)}`;
}

function intervals(report: CaseReport, analyses: readonly CaseAnalysis[], data: ReportData): Markup {
  const scale = ratioScale(report);
  const place = placeOfTable("intervals", report, data, ({ headline }) => headline !== null);
  return html`<div class="intervals"><table role="table" aria-label="Intervals of ${report.manifest.id}"><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col" class="col-target">${term("Against", place, "baseline")} ${report.baseline}</th><th role="columnheader" scope="col" class="col-ratio">Ratio (${term("99 % interval", place, "interval")})</th><th role="columnheader" class="bar"><span class="visually-hidden">99 % interval of the ratio</span>${scaleAxis(scale)}</th><th role="columnheader" scope="col" class="col-verdict">${term("Verdict", place, "verdict", "A/A copy", "A/A control", "noise floor", "instance")}</th></tr></thead>
${analyses.map(
  (analysis) =>
    html`<tbody role="rowgroup"><tr role="row" class="group"><th role="rowheader" colspan="4" scope="rowgroup">${metricTitle(analysis.metric)}</th></tr>${withControl(analysis).map((comparison) => interval(comparison, analysis, data, scale))}</tbody>`,
)}</table></div>`;
}

function interval(
  comparison: Comparison,
  { control }: CaseAnalysis,
  data: ReportData,
  scale: ReturnType<typeof ratioScale>,
): Markup {
  const { target, ratio, metric } = comparison;
  const colour = data.targets.find(({ name }) => name === target)?.colour ?? 0;
  const label = `${target}, ${metricName(metric)}`;
  return html`<tr role="row"><td role="cell" class="col-target">${targetMark(target, data)}</td><td role="cell" class="col-ratio number">${formatRatio(ratio)}</td><td role="cell" class="bar">${intervalBar(comparison, scale, { colour, isControl: comparison === control, label })}</td><td role="cell" class="col-verdict">${comparison === control ? html`<span class="verdict base">control</span>` : verdictMark(comparison.verdict)}</td></tr>`;
}

function addition({ manifest }: CaseReport, data: ReportData): Markup | null {
  const added = data.additions.get(manifest.id);
  if (added === undefined) return null;
  const { heading, findings, note, figures } = added;
  return html`<h4>${heading}</h4><p class="key">${note}</p>${remarkList(findings, data)}${figures}`;
}

function remarkList(remarks: readonly Remark[], data: ReportData): Markup {
  return html`<ul class="reasons">${remarks.map(({ target, sentence }) => html`<li>${targetMark(target, data)} ${sentence}</li>`)}</ul>`;
}

function legend(report: CaseReport, data: ReportData): Markup {
  return html`<p class="legend">${report.targets.map((name) => html`${targetMark(name, data)} `)}</p>`;
}
