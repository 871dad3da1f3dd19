import {
  formatRatio,
  html,
  htmlTable,
  intervalBar,
  type Markup,
  metricName,
  metricTitle,
  scaleAxis,
  scaleOf,
  term,
  termCell,
} from "@evenbench/page";
import { withControl } from "../case-report.ts";
import { targetCell, targetMark, verdictMark } from "../cells.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { caseLinks } from "../repeat.ts";
import { SECTIONS } from "../sections/index.ts";
import type { Remark } from "../sections/section.ts";

/** Writes the part of the page on one case. */
export function caseSection(report: CaseReport, data: ReportData): Markup {
  const { manifest, headline } = report;
  const remarks = SECTIONS.flatMap((section) => section.remarks(report));
  const caseData = { ...data, targets: data.targets.filter(({ name }) => report.targets.includes(name)) };
  const figures = (isMain: boolean) => {
    const sections = SECTIONS.filter((section) => section.isMain === isMain);
    const drawn = sections.flatMap((section) => section.figure(report, caseData) ?? []);
    return drawn.length === 0 ? null : html`<div class="figures">${drawn}</div>`;
  };
  return html`<section class="case" aria-labelledby="title-${manifest.id}"><details><summary><h3 id="title-${manifest.id}">${manifest.id} <small>${manifest.title}</small></h3></summary><div id="case-${manifest.id}">
<p class="lead">${manifest.description}</p>
${linksLine(report, data)}
${report.isUnproven ? html`<p class="note"><strong>The work was not proven equal.</strong> Answers differed, and --same-work assumed compared them anyway.</p>` : null}
${manifest.cached === undefined ? null : html`<p class="note"><strong>A cache is measured.</strong> ${manifest.cached} That gives no verdict on the platforms.</p>`}
${manifest.notSameCode === null ? null : html`<p class="note"><strong>Not the same code on all targets.</strong> ${manifest.notSameCode}</p>`}
${
  headline === null
    ? html`<p class="note">Nothing was measured for this case.</p>`
    : html`${report.differences === null ? intervals(report, data) : report.differences.draw(data.targets)}${remarkList(remarks, data)}${legend(report, data)}${figures(true)}${addition(report, data)}
<details class="numbers"><summary>More of ${manifest.id}: ${report.curves.length === 0 ? "" : "warm-up, "}CPU time, p50, p95 and p99, all numbers</summary>${figures(false)}${SECTIONS.map((section) => section.table(report, data))}${report.differences === null ? null : report.differences.drawNumbers(data.targets)}</details>`
}</div></details></section>
`;
}

function linksLine(report: CaseReport, data: ReportData): Markup {
  const { id } = report.manifest;
  const { path, url, command } = caseLinks(report, data.run);
  const code = html`<code>${path ?? ""}</code>`;
  const source =
    path === null ? null : html`Source: ${url === null ? code : html`<a href="${url}">${code}</a>`}. `;
  return html`<p class="links">${source}Measure it again: <code id="command-${id}">${command}</code> <button type="button" hidden data-copy="command-${id}">copy</button></p>`;
}

/**
 * Writes the table of intervals: for each metric the time of each target against the baseline, and why that
 * is its verdict.
 */
function intervals(report: CaseReport, data: ReportData): Markup {
  const { headline, cpuTime, other, manifest, baseline } = report;
  const analyses = [headline, cpuTime, other].filter((analysis) => analysis !== null);
  const scale = scaleOf(analyses.flatMap(withControl));
  const rows = analyses.flatMap((analysis) =>
    withControl(analysis).map((comparison) => {
      const { target, ratio, metric, verdict, reason } = comparison;
      const isControl = comparison === analysis.control;
      const colour = data.targets.find(({ name }) => name === target)?.colour ?? 0;
      const look = { colour, isControl, label: `${target}, ${metricName(metric)}` };
      return [
        targetCell(target, data),
        metricTitle(metric),
        formatRatio(ratio),
        { text: "", html: intervalBar(comparison, scale, look), className: "bar" },
        {
          text: verdict,
          html: isControl ? html`<span class="verdict base">control</span>` : verdictMark(verdict),
        },
        { text: reason, className: "reason" },
      ];
    }),
  );
  const against = { text: "", html: html`${term("Against", "baseline")} ${baseline}` };
  const hidden = html`<span class="visually-hidden">99 % interval of the ratio</span>`;
  const axis = { text: "", html: html`${hidden}${scaleAxis(scale)}`, className: "bar" };
  const head = [
    against,
    "Of",
    termCell("Ratio (99 % interval)", "interval"),
    axis,
    termCell("Verdict", "verdict"),
    "Why",
  ];
  return htmlTable(`Intervals of ${manifest.id}`, { head, rows, numeric: [1, 2] });
}

function addition({ manifest }: CaseReport, data: ReportData): Markup | null {
  const added = data.additions.get(manifest.id);
  if (added === undefined) {
    return null;
  }
  const { heading, findings, note, figures } = added;
  return html`<h4>${heading}</h4><p class="key">${note}</p>${remarkList(findings, data)}${figures}`;
}

function remarkList(remarks: readonly Remark[], data: ReportData): Markup | null {
  if (remarks.length === 0) {
    return null;
  }
  return html`<ul class="reasons">${remarks.map(({ target, sentence }) => html`<li>${targetMark(target, data)} ${sentence}</li>`)}</ul>`;
}

function legend(report: CaseReport, data: ReportData): Markup {
  return html`<p class="legend">${report.targets.map((name) => html`${targetMark(name, data)} `)}</p>`;
}
