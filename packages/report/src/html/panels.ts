import {
  changeOf,
  drawMark,
  drawn,
  formatMs,
  html,
  listed,
  MARKS,
  type Markup,
  metricTitle,
  NO_INTERVAL,
  type Scale,
  scaleAxis,
  scaleOf,
  TOO_WIDE,
  term,
  unbroken,
} from "@evenbench/page";
import {
  type Comparison,
  isDecided,
  isDifference,
  isJudged,
  type Metric,
  VERDICTS,
  type Verdict,
} from "@evenbench/stats";
import { ofTarget } from "../case-report.ts";
import { sharedRuntime } from "../claim.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { type PlatformColumn, platformColumns } from "../names.ts";
import { isOfOwnServers } from "../notices.ts";
import { caseMarks, caseMarksNote } from "../verdict-table.ts";

/** Height of a row's drawing in pixels. */
const MARK_HEIGHT = 30;

/** All that the panels of one metric have in common. */
interface Panels {
  readonly data: ReportData;
  /** Name of the baseline as it stands in sentences. */
  readonly baseline: string;
  /** The metric that is shown. */
  readonly metric: Metric;
  /** Cases that were compared by it, sorted by effect; their `headline` is the analysis of the metric. */
  readonly cases: readonly CaseReport[];
  /** The one scale of all panels. */
  readonly scale: Scale;
}

/**
 * Draws one panel for each platform, all on one scale; null where nothing was compared by this metric.
 *
 * @param pick gives a case's analysis of the metric; null where it has none.
 */
export function panelsOf(
  data: ReportData,
  baseline: string,
  pick: (report: CaseReport) => CaseReport["headline"],
): Markup | null {
  const compared = data.cases.flatMap((report) => {
    const analysis = pick(report);
    return analysis === null || analysis.comparisons.length === 0 ? [] : [{ ...report, headline: analysis }];
  });
  const columns = platformColumns(data.targets, compared);
  const [first] = columns;
  if (first === undefined) {
    return null;
  }
  const effectIn = (report: CaseReport) =>
    first.comparisonIn(report)?.ratio?.estimate ?? Number.POSITIVE_INFINITY;
  const judged = compared.flatMap(({ headline }) =>
    headline.comparisons.filter(({ verdict }) => isJudged(verdict)),
  );
  const metric = compared[0]?.headline.metric ?? "lastByteMs";
  const panels: Panels = {
    data,
    baseline,
    metric,
    cases: compared.toSorted((a, b) => effectIn(a) - effectIn(b)),
    scale: scaleOf(judged),
  };
  const title = metric === "cpuMs" ? "CPU time" : metricTitle(metric);
  return html`<h2 class="metric">${title} of a request, against ${baseline} <small>change with its ${term("99 % interval", "interval")}, log scale</small></h2>
<div class="panels${columns.length === 2 ? " pair" : ""}">${columns.map((column) => panel(column, panels))}</div>
<p class="key">${unbroken(panelsKey(columns, compared, data.run))}</p>`;
}

/** Explains the marks that panels have, of verdicts and of cases. */
function panelsKey(
  columns: readonly PlatformColumn[],
  cases: readonly CaseReport[],
  run: ReportData["run"],
): string {
  const isNotSame = cases.some(({ manifest }) => manifest.notSameCode !== null);
  const notes = [isNotSame ? "* Not the same code on all platforms." : "", caseMarksNote(cases, run)];
  return [marksLegend(columns, cases), ...notes].filter(Boolean).join(" ");
}

/** Draws the panel of one platform. */
function panel(column: PlatformColumn, panels: Panels): Markup {
  const { data, baseline, metric, cases, scale } = panels;
  const comparisons = cases.flatMap((report) => column.comparisonIn(report) ?? []);
  const runtime = sharedRuntime(data.run, comparisons);
  const about = runtime === null ? enginesOf(data, comparisons) : `same ${runtime}`;
  const less = metric === "cpuMs" ? "← less" : "← faster";
  const more = metric === "cpuMs" ? "more →" : "slower →";
  return html`<section class="panel" aria-label="${column.spoken}"><h3>${column.spoken} <small>${about}</small></h3>
<table role="table" aria-label="${column.spoken} against ${baseline}">
<thead role="rowgroup"><tr role="row">
<th role="columnheader" scope="col" class="work">${isOfOwnServers(data.run.plan) ? "Path" : term("Case", "case")}</th>
<th role="columnheader" scope="col"><span class="sides"><span>${less}</span><span>${more}</span></span>${scaleAxis(scale)}</th>
<th role="columnheader" scope="col" class="values">Change</th></tr></thead>
<tbody role="rowgroup">${cases.map((report) => panelRow(report, column, panels))}</tbody></table></section>
`;
}

/** Writes runtime and engine of a panel's targets: "V8 15.8"; empty where they do not say, or differ. */
function enginesOf({ run }: ReportData, comparisons: readonly Comparison[]): string {
  const engines = comparisons.map(({ target }) => {
    const { runtime = null, v8 = null } = run.identities[target]?.facts ?? {};
    return [runtime, v8 === null ? null : `V8 ${/^\d+\.\d+/.exec(v8)?.[0] ?? v8}`].filter(Boolean).join(", ");
  });
  const [first = ""] = engines;
  return engines.every((engine) => engine === first) ? first : "";
}

/** Draws a case's row of a panel. */
function panelRow(
  report: CaseReport,
  column: PlatformColumn,
  { baseline, scale, data, metric }: Panels,
): Markup {
  const { manifest, headline } = report;
  const comparison = column.comparisonIn(report);
  const base = ofTarget(headline?.summaries, headline?.baseline ?? "");
  const note = `${manifest.notSameCode === null ? "" : " *"}${caseMarks(report, data.run)}`;
  const label = isOfOwnServers(data.run.plan) ? "" : `${manifest.id} · `;
  const said = comparison === null ? "not compared" : `${comparison.verdict}, ${valueWords(comparison)}`;
  const mark =
    comparison === null
      ? null
      : html`<g class="${comparison.verdict.replace(" ", "-")}">${drawMark(comparison, (ratio) => `${scale.position(ratio)}%`, MARK_HEIGHT / 2)}</g>`;
  const drawing = drawn(scale, { height: MARK_HEIGHT, label: `${manifest.title}: ${said}.` }, mark);
  const link = html`<a href="#case-${manifest.id}">${manifest.title}${note}</a>`;
  const baselineTime = html`<small>${label}${baseline} ${formatMs(base?.medianMs ?? null)}</small>`;
  const change = comparison === null ? "–" : value(comparison, metric);
  return html`<tr role="row"><th role="rowheader" scope="row" class="work">${link}${baselineTime}</th>
<td role="cell">${drawing}</td><td role="cell" class="values">${change}</td></tr>
`;
}

/** Writes a comparison: the estimate, in bold where it is decided, its interval, and the verdict as a word. */
function value(comparison: Comparison, metric: Metric): Markup {
  const { verdict, ratio } = comparison;
  const change = ratio === null || !isJudged(verdict) ? null : changeOf(ratio);
  const sign = html`<span class="sign" aria-hidden="true">${MARKS[verdict].sign}</span> `;
  const className = `value ${verdict.replace(" ", "-")}`;
  if (verdict === "withheld") {
    return html`<span class="${className}">${sign}${verdict}: <small>${MARKS.withheld.says}</small></span>`;
  }
  if (change === null) {
    return html`<span class="${className}">${sign}${isJudged(verdict) ? valueWords(comparison) : verdict}</span>`;
  }
  const estimate = isDecided(verdict) ? html`<strong>${change.estimate}</strong>` : change.estimate;
  return html`<span class="${className}">${sign}${estimate} <span class="ends">(${change.interval})</span> <small>${verdictWord(verdict, metric)}</small></span>`;
}

/** Gives a verdict as a word: less CPU time is not faster. */
function verdictWord(verdict: Verdict, metric: Metric): string {
  if (metric !== "cpuMs" || !isDifference(verdict)) {
    return verdict;
  }
  return verdict === "faster" ? "less" : "more";
}

/** Writes a comparison's change with its interval, or why there is none. */
function valueWords({ verdict, ratio }: Comparison): string {
  if (!isJudged(verdict) || ratio === null) {
    return NO_INTERVAL;
  }
  const change = changeOf(ratio);
  return change === null ? TOO_WIDE : `${change.estimate} (${change.interval})`;
}

/** Writes the key of the marks that are drawn. */
function marksLegend(columns: readonly PlatformColumn[], cases: readonly CaseReport[]): string {
  const found = new Set(
    cases.flatMap((report) => columns.flatMap(({ comparisonIn }) => comparisonIn(report)?.verdict ?? [])),
  );
  const signs = VERDICTS.filter((verdict) => found.has(verdict)).map(
    (verdict) => `${MARKS[verdict].sign} ${verdict}: ${MARKS[verdict].says}`,
  );
  return signs.length === 0 ? "" : `${listed(signs)}.`;
}
