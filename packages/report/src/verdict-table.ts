import {
  changeOf,
  firstLine,
  formatBytes,
  formatChange,
  formatCount,
  formatMs,
  html,
  type Markup,
  markedChange,
  markWords,
  partOf,
  type Table,
  type TableCell,
} from "@evenbench/page";
import type { Run } from "@evenbench/results";
import {
  type CaseAnalysis,
  type Comparison,
  EQUIVALENCE_LEVEL,
  EQUIVALENCE_WORDS,
  isJudged,
  percent,
} from "@evenbench/stats";
import { failedChecksOf } from "./answer.ts";
import { haveDriftedApart } from "./audit.ts";
import { differenceOf, ofTarget } from "./case-report.ts";
import { targetCell, verdictMark } from "./cells.ts";
import { isLessSure } from "./client-timing.ts";
import type { CaseReport, ReportData, ReportTarget } from "./data.ts";
import { metricsOf, trialsWords } from "./names.ts";
import { caseWord, EVENT_NOTICES, isOfOwnServers } from "./notices.ts";
import { cpuCostOn } from "./prices.ts";

/** A target in one case: a row of the table of verdicts. */
export interface VerdictRow {
  readonly report: CaseReport;
  readonly target: ReportTarget;
  /** True where it is what the case's other targets are compared with. */
  readonly isBaseline: boolean;
  /** True where it is the first row of its case. */
  readonly isFirst: boolean;
  /** Times of the target by the headline metric; null where it has none. */
  readonly summary: CaseAnalysis["summaries"][number] | null;
  /** Comparison with the baseline, by the headline metric; null for the baseline. */
  readonly comparison: Comparison | null;
  /** CPU time of the target; null where the system does not account for that. */
  readonly cpuSummary: CaseAnalysis["summaries"][number] | null;
  /**
   * Comparison with the baseline, by CPU time; null for the baseline, and where the system does not account for that.
   */
  readonly cpuComparison: Comparison | null;
}

/** Lists a row for each case and target but A/A copies, kind by kind; in each case the baseline is first. */
export function verdictRows({ targets, cases }: ReportData): readonly VerdictRow[] {
  return cases.flatMap((report) => {
    const { headline, cpuTime, baseline } = report;
    if (headline === null) {
      return [];
    }
    return targets
      .filter(({ name, copyOf }) => copyOf === null && report.targets.includes(name))
      .toSorted((a, b) => Number(b.name === baseline) - Number(a.name === baseline))
      .map((target, index) => {
        const { name } = target;
        return {
          report,
          target,
          isBaseline: name === baseline,
          isFirst: index === 0,
          summary: ofTarget(headline.summaries, name),
          comparison: ofTarget(headline.comparisons, name),
          cpuSummary: ofTarget(cpuTime?.summaries, name),
          cpuComparison: ofTarget(cpuTime?.comparisons, name),
        };
      });
  });
}

/** Makes the table of verdicts, the one table of every form of the report. */
export function verdictTable(data: ReportData): Table {
  const { run } = data;
  const isByDifference = data.method !== null;
  const rows = verdictRows(data).map((row, index): readonly TableCell[] => {
    const { target, summary, cpuComparison, isBaseline } = row;
    const difference = differenceOf(row.report, target.name);
    const ratio = row.comparison?.ratio ?? null;
    const effect = difference === null ? formatChange(ratio) : difference.words;
    const itself: TableCell = { text: "", data: { sort: isByDifference ? 0 : 1 } };
    return [
      caseCell(row, index, run),
      targetCell(target.name, data),
      timeCell(summary),
      isBaseline ? itself : numberCell((difference?.pooled ?? ratio)?.estimate, solid(effect)),
      verdictCell(row, data),
      cpuCell(row, data),
      isBaseline ? itself : cpuChangeCell(cpuComparison),
      numberCell(summary?.exchanges, summary === null ? "–" : formatCount(summary.exchanges)),
      numberCell(summary?.trials, summary === null ? "–" : formatCount(summary.trials)),
    ];
  });
  const effect = isByDifference ? "Difference" : "Change";
  const columns = ["Time", effect, "Verdict", "CPU time", "Change of CPU time", "Requests", "Trials"];
  const head = [isOfOwnServers(run.plan) ? "Path" : "Case", "Platform", ...columns];
  return { head, rows, numeric: [2, 3, 5, 6, 7, 8] };
}

/** Writes a text in one piece: a number and its unit never stand on two lines. Behind a comma it may break. */
function solid(text: string): string {
  return text.replace(/(?<!,) /g, "\u00a0");
}

/** The level of the interval by which "same" is judged: "90 %". */
const SAME_LEVEL = solid(percent(EQUIVALENCE_LEVEL));

/**
 * Writes the interval by which a comparison was judged "same", which is narrower than the one that tables show:
 * "−2 to +1 %"; null for any other verdict, and where it is not known.
 */
function sameInterval(comparison: Comparison | null): string | null {
  if (comparison?.verdict !== "same" || comparison.ratio === null || comparison.equivalence === null) {
    return null;
  }
  const change = changeOf({ estimate: comparison.ratio.estimate, ...comparison.equivalence });
  return change === null ? null : solid(`${change.interval} %`);
}

/** Explains `sameInterval`, as a sentence; empty where no row has one. */
function sameIntervalNote(rows: readonly VerdictRow[]): string {
  const isShown = rows.some(({ comparison, cpuComparison }) =>
    [comparison, cpuComparison].some((each) => sameInterval(each) !== null),
  );
  return isShown ? `With "same" stands the ${EQUIVALENCE_WORDS}, by which it is judged.` : "";
}

/** Writes the interval of `sameInterval` as a line of a page's cell, as short as paper asks for; null without one. */
function judgedLine(interval: string | null): Markup | null {
  return interval === null ? null : html`<small class="judged">${SAME_LEVEL}: ${interval}</small>`;
}

/** Makes the cell of the change of CPU time. */
function cpuChangeCell(comparison: Comparison | null): TableCell {
  const words = solid(markedChange(comparison ?? undefined));
  const interval = sameInterval(comparison);
  return {
    text: interval === null ? words : `${words}, ${SAME_LEVEL} interval: ${interval}`,
    html: html`${words}${judgedLine(interval)}`,
    data: { sort: comparison?.ratio?.estimate ?? "" },
  };
}

/** Makes a cell that is sorted by a number. */
function numberCell(value: number | null | undefined, text: string): TableCell {
  return { text, data: { sort: value ?? "" } };
}

/** Makes the cell of a target's time, with percentiles on a page. */
function timeCell(summary: VerdictRow["summary"]): TableCell {
  const { medianMs = null, p95Ms = null, p99Ms = null } = summary ?? {};
  const text = solid(formatMs(medianMs));
  const slowest = [["p95", p95Ms] as const, ["p99", p99Ms] as const].flatMap(([name, ms]) =>
    ms === null ? [] : html`<small>${name} ${formatMs(ms)}</small>`,
  );
  return { text, html: html`${text}${slowest}`, data: { sort: medianMs ?? "" } };
}

/** Writes how long the answers of a case are, by those of its baseline: "4.62 MB", in one piece; empty where that is not known. */
export function responseWords({ responses, baseline }: Pick<CaseReport, "responses" | "baseline">): string {
  const response = ofTarget(responses, baseline);
  return response === null ? "" : solid(formatBytes(response.bytes));
}

/** Makes the cell of a case's title; it is empty in all but the case's first row, but for pages. */
function caseCell(row: VerdictRow, index: number, run: Run): TableCell {
  const { report, isFirst } = row;
  const { id, title, notSameCode } = report.manifest;
  const notSame = notSameCode === null ? null : html` <small>not the same code</small>`;
  const size = responseWords(report);
  const name = html`<small>${[title === id ? "" : id, size].filter(Boolean).join(" · ")}</small>`;
  const marked = `${title}${caseMarks(report, run)}`;
  const sized = size === "" ? marked : `${marked}, ${size}`;
  const whole = notSameCode === null ? sized : `${sized} (not the same code)`;
  const link = html`<a href="#case-${id}">${isFirst ? marked : title}</a>`;
  return {
    text: isFirst ? whole : "",
    html: isFirst ? html`${link}${notSame}${name}` : link,
    data: { sort: index },
  };
}

/** Something that makes a row's result void. */
interface RowVoid {
  readonly title: string;
  readonly detail: string;
}

/** Finds what makes a row's result void: events of the case, and why there is no verdict. */
function voidsOf({ events }: Run, { report, target: { name }, comparison }: VerdictRow): readonly RowVoid[] {
  const ofRow = events.filter(
    ({ caseId, target }) => caseId === report.manifest.id && (target ?? name) === name,
  );
  const voids = ofRow.flatMap(({ kind, detail }) => {
    const { severity, title } = EVENT_NOTICES[kind];
    return severity === "void" ? [{ title, detail: firstLine(detail) }] : [];
  });
  if (comparison === null || isJudged(comparison.verdict)) {
    return voids;
  }
  return [...voids, { title: "No verdict", detail: comparison.why ?? "" }];
}

/** Makes the cell of a verdict, with what makes it void on a page. */
function verdictCell(row: VerdictRow, { run }: ReportData): TableCell {
  const { isBaseline, comparison } = row;
  const words = comparison === null ? "–" : solid(markWords(comparison.verdict));
  const interval = sameInterval(comparison);
  const text = isBaseline ? "baseline" : words;
  const mark =
    comparison === null ? html`<span class="verdict base">${text}</span>` : verdictMark(comparison.verdict);
  return {
    text: interval === null ? text : `${text} (${SAME_LEVEL} interval: ${interval})`,
    html: html`${mark}${judgedLine(interval)}${voidsOf(run, row).map(({ title, detail }) => html`<small class="void"><strong>✕ ${title}.</strong> ${detail}</small>`)}`,
    data: { sort: comparison?.verdict ?? "" },
  };
}

/**
 * Makes the cell of CPU time: that of each exchange where the system accounts for it; else the mean over all,
 * or the platform's own account.
 */
function cpuCell({ report, target, cpuSummary }: VerdictRow, data: ReportData): TableCell {
  const cpu = ofTarget(report.cpu, target.name);
  const ms = cpuSummary?.medianMs ?? cpu?.msPerExchange ?? null;
  const account = ofTarget(report.providerCpu, target.name);
  const text = ms === null && account ? `${formatMs(account.msPerRequest)} by its platform` : formatMs(ms);
  const usd = cpu && cpuCostOn(target.name, cpu.msPerExchange, data);
  const title = "Mean CPU time of a million requests, by the platform's price";
  const cost = usd === null ? null : html`<small class="cost" title="${title}">${usd}/M</small>`;
  return { text: solid(text), html: html`${text}${cost}`, data: { sort: ms ?? account?.msPerRequest ?? "" } };
}

/** Stands behind the title of a case whose check against a copy failed; `failedCheckNote` explains it. */
export const FAILED_CHECK_SIGN = "†";
/** Explains `FAILED_CHECK_SIGN`, as a sentence. */
export const FAILED_CHECK_NOTE: string = `${FAILED_CHECK_SIGN} Check failed: the baseline differed from its own copy.`;

/** Gives the mark of a case whose baseline differs from its own copy: " †"; empty for any other. */
export function failedCheckMark(report: CaseReport): string {
  return failedChecksOf(report).length === 0 ? "" : ` ${FAILED_CHECK_SIGN}`;
}

/** Explains the mark of failed checks, as a sentence; empty where no case has it. */
function failedCheckNote(cases: readonly CaseReport[]): string {
  const isMarked = cases.some((report) => failedChecksOf(report).length > 0);
  return isMarked ? FAILED_CHECK_NOTE : "";
}

/** Stands behind the title of a case whose targets drifted apart; `caseMarksNote` explains it. */
export const DRIFTED_APART_SIGN = "‡";

/** Stands behind the title of a case with a verdict that is less sure than it looks; `caseMarksNote` explains it. */
const LESS_SURE_SIGN = "§";

/** The part of a run that marks of cases are made of. */
type MarkedRun = Pick<Run, "plan" | "clientLoad">;

/** Gives all marks of a case's doubts: " † ‡ §"; empty where it has none. */
export function caseMarks(report: CaseReport, { clientLoad }: MarkedRun): string {
  const drifted = haveDriftedApart(report.audit) ? ` ${DRIFTED_APART_SIGN}` : "";
  const lessSure = isLessSure(report, clientLoad) ? ` ${LESS_SURE_SIGN}` : "";
  return `${failedCheckMark(report)}${drifted}${lessSure}`;
}

/** Explains the marks that cases have, in sentences; empty where none has one. */
export function caseMarksNote(cases: readonly CaseReport[], run: MarkedRun): string {
  const isMarked = cases.some((report) => isLessSure(report, run.clientLoad));
  const lessSure = `${LESS_SURE_SIGN} "Same" or the size of the change is less sure: the client itself had to wait.`;
  return [failedCheckNote(cases), driftedNote(cases, run), isMarked ? lessSure : ""]
    .filter(Boolean)
    .join(" ");
}

/** Explains the mark of drift, as a sentence that counts the cases where most have it; empty where none has it. */
function driftedNote(cases: readonly CaseReport[], { plan }: MarkedRun): string {
  const drifted = cases.filter(({ audit }) => haveDriftedApart(audit)).length;
  if (drifted === 0) {
    return "";
  }
  if (cases.length > 1 && drifted > cases.length / 2) {
    const where = partOf(drifted, cases.length, caseWord(plan));
    return `${DRIFTED_APART_SIGN} In ${where} targets drifted apart while they were measured: read this run with care.`;
  }
  return `${DRIFTED_APART_SIGN} Targets drifted apart while they were measured: read the case with care.`;
}

/** Explains how a target's CPU time can exceed its time, as a sentence; empty where none does. */
function threadsNote(rows: readonly VerdictRow[]): string {
  const isMore = rows.some(({ summary, cpuSummary }) => {
    const time = summary?.medianMs ?? null;
    const cpuTime = cpuSummary?.medianMs ?? null;
    return time !== null && cpuTime !== null && cpuTime > time;
  });
  return isMore ? "CPU time adds up all threads, so that it can exceed the time." : "";
}

/** Writes the note that explains the table of verdicts. */
export function tableNote(data: ReportData): string {
  const { cases, method } = data;
  const measured = cases.filter(({ headline }) => headline !== null);
  const effect =
    method === null ? "− takes less, + takes more; in brackets the 99 % interval." : method.tableNote;
  const summaries = measured.flatMap(({ headline }) => headline?.summaries ?? []);
  const [trials = "some"] = trialsWords(summaries);
  const many = trials.replace(" a case", "");
  const time = `Time until the ${metricsOf(measured)}: the median of each trial (a fresh start), averaged over ${many}.`;
  const rows = verdictRows(data);
  return [time, effect, sameIntervalNote(rows), threadsNote(rows), caseMarksNote(cases, data.run)]
    .filter(Boolean)
    .join(" ");
}

/**
 * Makes the table of percentiles of the cases and targets that have some; null where none has enough requests for one.
 */
export function percentileTable(data: ReportData): Table | null {
  const rows = verdictRows(data).flatMap(({ report, target, summary }) =>
    summary === null || summary.p95Ms === null ? [] : [{ report, target, summary }],
  );
  if (rows.length === 0) {
    return null;
  }
  const hasP99 = rows.some(({ summary }) => summary.p99Ms !== null);
  return {
    head: ["Case", "Platform", "p50", "p95", ...(hasP99 ? ["p99"] : [])],
    rows: rows.map(({ report, target, summary }) => [
      report.manifest.title,
      target.spoken,
      ...[summary.medianMs, summary.p95Ms, ...(hasP99 ? [summary.p99Ms] : [])].map(formatMs),
    ]),
    numeric: hasP99 ? [2, 3, 4] : [2, 3],
  };
}
