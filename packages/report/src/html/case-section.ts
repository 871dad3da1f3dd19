import {
  commandCode,
  formatChange,
  html,
  htmlTable,
  intervalBar,
  type Markup,
  metricName,
  metricTitle,
  scaleAxis,
  scaleOf,
  type TableCell,
  term,
  termCell,
} from "@evenbench/page";
import type { CaseAnalysis, Metric } from "@evenbench/stats";
import { ofTarget } from "../case-report.ts";
import { targetCell, targetMark, verdictMark } from "../cells.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { differsSentence } from "../differs.ts";
import { spokenOf } from "../names.ts";
import { caseLinks } from "../repeat.ts";
import { SECTIONS } from "../sections/index.ts";
import type { Remark } from "../sections/section.ts";
import { responseWords } from "../verdict-table.ts";
import type { View } from "./view.ts";

/**
 * Writes the section of one case: what it is, its comparisons, figures and tables.
 *
 * @param views the baselines that the page can show.
 */
export function caseSection(report: CaseReport, data: ReportData, views: readonly View[]): Markup {
  const { manifest, headline } = report;
  const caseData = { ...data, targets: data.targets.filter(({ name }) => report.targets.includes(name)) };
  const figures = (isMain: boolean) => {
    const sections = SECTIONS.filter((section) => section.isMain === isMain);
    const drawn = sections.flatMap((section) => section.figure(report, caseData) ?? []);
    return drawn.length === 0 ? null : html`<div class="figures">${drawn}</div>`;
  };
  const results = () => {
    const { differences } = report;
    const compared =
      differences === null ? comparisonsOf(report, data, views) : differences.draw(data.targets);
    const remarks = remarkList(
      SECTIONS.flatMap((section) => section.remarks(report)),
      data,
    );
    const warmUp = report.curves.length === 0 ? "" : "warm-up, ";
    return html`${compared}${remarks}${legend(report, data)}${figures(true)}
<details class="numbers"><summary>More of ${manifest.title}: ${warmUp}CPU time, all numbers</summary>${figures(false)}${SECTIONS.map((section) => section.table(report, data))}</details>`;
  };
  return html`<section class="case" aria-labelledby="title-${manifest.id}"><details><summary><h3 id="title-${manifest.id}">${manifest.title} <small>${[manifest.id, responseWords(report)].filter(Boolean).join(" · ")}</small></h3></summary><div id="case-${manifest.id}">
<p class="lead">${manifest.description}</p>
${linksLine(report, data)}
${report.isUnproven ? html`<p class="note"><strong>The work was not proven equal.</strong> Answers differed, and --same-work assumed compared them anyway.</p>` : null}
${manifest.cached === undefined ? null : html`<p class="note"><strong>A cache is measured.</strong> ${manifest.cached} That gives no verdict on the platforms.</p>`}
${manifest.notSameCode === null ? null : html`<p class="note"><strong>Not the same code on all targets.</strong> ${manifest.notSameCode}</p>`}
${headline === null ? html`<p class="note">Nothing was measured for this case.</p>` : results()}</div></details></section>
`;
}

/** Writes where the case's source is, and the command that measures it again. */
function linksLine(report: CaseReport, data: ReportData): Markup {
  const { id } = report.manifest;
  const { path, url, command } = caseLinks(report, data.run);
  const code = html`<code>${path ?? ""}</code>`;
  const linked = url === null ? code : html`<a href="${url}">${code}</a>`;
  const source = path === null ? null : html`Source: ${linked}. `;
  return html`<p class="links">${source}Measure it again: ${commandCode(command, `command-${id}`)} <button type="button" hidden data-copy="command-${id}">copy</button></p>`;
}

/** Draws the case against the baseline of each view; all but the measured one wait for the page's script. */
function comparisonsOf(report: CaseReport, data: ReportData, views: readonly View[]): readonly Markup[] {
  const { id } = report.manifest;
  return views.flatMap(({ key, data: viewed }) => {
    const shown = key === "" ? report : viewed.cases.find(({ manifest }) => manifest.id === id);
    return shown === undefined
      ? []
      : html`<div data-view="${key}"${key && html` hidden`}>${intervals(shown, data)}${differing(shown, data)}${control(shown, data)}</div>`;
  });
}

/** Names of the metrics in the table of intervals. */
const WHAT: Readonly<Record<Metric, string>> = {
  firstByteMs: "First byte",
  lastByteMs: "Last byte",
  cpuMs: "CPU time",
};

/** Smallest difference of first and last byte, as a fraction, from which on both are shown. */
const SAME_FACTOR = 0.03;

/** Draws for each metric what each target took of the baseline's time; null where nothing is compared. */
function intervals(report: CaseReport, data: ReportData): Markup | null {
  const { headline, cpuTime, other, manifest, baseline } = report;
  const analyses = [headline, cpuTime, isNews(headline, other) ? other : null].filter(
    (analysis) => analysis !== null,
  );
  const compared = analyses.flatMap(({ comparisons }) => comparisons);
  if (compared.length === 0) {
    return null;
  }
  const scale = scaleOf(compared);
  const rows = compared.map((comparison): readonly TableCell[] => {
    const { target, metric, verdict } = comparison;
    const colour = data.targets.find(({ name }) => name === target)?.colour ?? 0;
    const spoken = spokenOf(data.targets, target);
    const style = { colour, isControl: false, label: `${spoken}, ${metricName(metric)}` };
    return [
      targetCell(target, data),
      WHAT[metric],
      formatChange(comparison.ratio),
      { text: "", html: intervalBar(comparison, scale, style), className: "bar" },
      { text: verdict, html: verdictMark(verdict) },
      { text: comparison.why ?? "", className: "reason" },
    ];
  });
  const against = {
    text: `Against ${spokenOf(data.targets, baseline)}`,
    html: html`${term("Against", "baseline")} ${spokenOf(data.targets, baseline)}`,
  };
  const hidden = html`<span class="visually-hidden">99 % interval of the change</span>`;
  const axis = { text: "", html: html`${hidden}${scaleAxis(scale)}`, className: "bar" };
  const head = [
    against,
    "What",
    termCell("Change", "interval", " (99 % interval)"),
    axis,
    termCell("Verdict", "verdict"),
    "To know",
  ];
  const shown = rows.some((cells) => typeof cells[5] === "object" && cells[5].text !== "");
  const kept = (cells: readonly TableCell[]) => (shown ? cells : cells.slice(0, -1));
  return htmlTable(`Intervals of ${manifest.title}, against ${spokenOf(data.targets, baseline)}`, {
    head: kept(head),
    rows: rows.map(kept),
    numeric: [2],
  });
}

/** Tells whether the other of first and last byte says something that the headline does not. */
function isNews(headline: CaseAnalysis | null, other: CaseAnalysis | null): boolean {
  const comparisons = other?.comparisons ?? [];
  return comparisons.some(({ target, ratio }) => {
    const first = ofTarget(headline?.comparisons, target)?.ratio ?? null;
    return (
      ratio !== null && first !== null && Math.abs(Math.log(ratio.estimate / first.estimate)) > SAME_FACTOR
    );
  });
}

/** Writes what is known to differ between each target and the baseline; null where nothing is. */
function differing(report: CaseReport, { run, targets }: ReportData): Markup | null {
  const sentences = (report.headline?.comparisons ?? []).flatMap(
    ({ target }) => differsSentence(report, run, target, spokenOf(targets, target)) ?? [],
  );
  if (sentences.length === 0) {
    return null;
  }
  const baseline = spokenOf(targets, report.baseline);
  return html`<p class="differs">${sentences.map((sentence) => html`${sentence.replace(/\.$/, ` (${baseline}).`)} `)}</p>`;
}

/** Writes what the A/A control shows: a copy that shows no difference is as it should be. null without a control. */
function control({ headline, cpuTime }: CaseReport, { targets }: ReportData): Markup | null {
  const found = [headline?.control ?? null, cpuTime?.control ?? null].filter((copy) => copy !== null);
  const words = found.flatMap(({ metric, ratio }) => {
    if (ratio === null) {
      return [];
    }
    const isApart = ratio.low > 1 || ratio.high < 1;
    return `${metricTitle(metric).toLowerCase().replace("cpu", "CPU")} ${formatChange(ratio)}, ${isApart ? "a difference that should not be there" : "no difference, as it should be"}`;
  });
  const [first] = found;
  if (first === undefined || words.length === 0) {
    return null;
  }
  return html`<p class="key">${term("Check", "A/A control")}, ${spokenOf(targets, first.baseline)} against a copy of itself: ${words.join("; ")}.</p>`;
}

/** Lists remarks on targets; null where there are none. */
function remarkList(remarks: readonly Remark[], data: ReportData): Markup | null {
  if (remarks.length === 0) {
    return null;
  }
  return html`<ul class="reasons">${remarks.map(({ target, sentence }) => html`<li>${targetMark(target, data)} ${sentence}</li>`)}</ul>`;
}

/** Shows the colours of the case's targets. */
function legend(report: CaseReport, data: ReportData): Markup {
  return html`<p class="legend">${report.targets.map((name) => html`${targetMark(name, data)} `)}</p>`;
}
