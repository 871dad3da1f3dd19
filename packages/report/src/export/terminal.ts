import { terminalLine } from "@evenbench/core";
import {
  counted,
  firstLine,
  formatMs,
  formatSingleChange,
  MARKS,
  markedChange,
  markWords,
  type Paint,
  paintIf,
  sameNote,
  type Table,
  type TerminalOptions,
  textOf,
  textTable,
  wrap,
} from "@evenbench/page";
import type { Run } from "@evenbench/results";
import { type CaseAnalysis, type Comparison, isJudged, VERDICTS, type Verdict } from "@evenbench/stats";
import { inReportOrder } from "../analyse-run.ts";
import { allSentences, timeLine } from "../answer.ts";
import { isCompared, ofTarget } from "../case-report.ts";
import type { CaseReport, ReportData, ReportTarget } from "../data.ts";
import { differenceTables } from "../differences.ts";
import { metricsOf, placeOf, platformColumns, spokenBaselines } from "../names.ts";
import { caseWord } from "../notices.ts";
import { ownerTables } from "../owner.ts";
import { suggestedCommands } from "../repeat.ts";
import { COLD_START_NOTE, coldStartTable } from "../sections/costs.ts";
import { cpuAnswer } from "../sentences.ts";
import { caseMarks, caseMarksNote, verdictRows } from "../verdict-table.ts";
import type { Exporter } from "./exporter.ts";

/** Smallest number of columns of a line, however narrow the terminal is. */
const NARROWEST = 40;

/** Writes the text that a command prints at the end of a run. */
export const terminal: Exporter<string> = {
  file: null,
  render: (input) => renderTerminal(input.data, input.terminal),
};

/**
 * Writes a report for a terminal, in lines of at most `width` columns, but for commands, which stay in one
 * piece.
 */
export function renderTerminal(data: ReportData, { width, color }: TerminalOptions): string {
  const paint = paintIf(color);
  const columns = Math.max(NARROWEST, width);
  const blocks = [
    voids(data, columns, paint),
    data.method === null ? results(data, columns, paint) : differenceLines(data, columns, paint),
    allSentences(data).flatMap((sentence) => wrap(sentence, columns, 2)),
    ...ownerLines(data, columns, paint),
    coldStartLines(data, columns, paint),
    ...suggestedCommands(data).map(({ reason, command }) => [
      ...wrap(reason, columns, 0),
      // In one piece, to be copied.
      `  ${terminalLine(command)}`,
    ]),
    cautions(data, columns),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

/** Writes what the owner of an app asks beside times. */
function ownerLines(data: ReportData, width: number, paint: Paint): readonly (readonly string[])[] {
  return ownerTables(data).map(({ table, note }) => [
    ...fitting(table, width, paint),
    ...(note === "" ? [] : wrap(note, width, 0).map((line) => paint("dim", line))),
  ]);
}

/** Writes the table of cold starts; empty where none were measured. */
function coldStartLines(data: ReportData, width: number, paint: Paint): readonly string[] {
  const table = coldStartTable(data);
  if (table === null) {
    return [];
  }
  const note = wrap(COLD_START_NOTE, width, 0).map((line) => paint("dim", line));
  return [...fitting(table, width, paint), ...note];
}

/** Writes what makes results void, a line each. */
function voids({ notices }: ReportData, width: number, paint: Paint): readonly string[] {
  return notices
    .filter(({ severity }) => severity === "void")
    .map(({ title, details }) => paint("red", cutToWidth(`! ${title}: ${firstOf(details)}`, width)));
}

/** Writes the titles of all other notices. */
function cautions({ notices }: ReportData, width: number): readonly string[] {
  const titles = notices.flatMap(({ severity, title }) => (severity === "caution" ? [title] : []));
  if (titles.length === 0) {
    return [];
  }
  return wrap(`${counted(titles.length, "notice")}, see the report: ${titles.join("; ")}.`, width, 2);
}

/** Cuts a text that is longer than a line. */
function cutToWidth(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

/** Writes the first detail, and how many more there are. */
function firstOf(details: readonly string[]): string {
  const first = terminalLine(firstLine(details[0] ?? ""));
  return details.length > 1 ? `${first} (and ${details.length - 1} more)` : first;
}

/** Writes the table of comparisons with its head and key; of times where nothing was compared. */
function results(data: ReportData, width: number, paint: Paint): readonly string[] {
  const compared = data.cases.filter(isCompared);
  if (compared.length === 0) {
    const rows = verdictRows(data).map(({ report, target, summary }) => [
      report.manifest.id,
      target.name,
      formatMs(summary?.medianMs ?? null),
    ]);
    return rows.length === 0 ? [] : textTable({ head: ["case", "target", "time"], rows, numeric: [2] });
  }
  const used = new Set(compared.flatMap(shownVerdicts));
  const marksNote = caseMarksNote(compared, data.run);
  const wrapped = (text: string) => wrap(text, width, 0);
  const dim = (text: string) => wrapped(text).map((line) => paint("dim", line));
  return [
    ...wrapped(
      `${counted(compared.length, caseWord(data.run.plan))}, time to the ${metricsOf(compared)}, against ${spokenBaselines(data.targets, compared)}.`,
    ),
    ...dim(`${placeOf(data.run)}.`),
    ...dim(timeLine(data) ?? ""),
    "",
    ...comparisonTable(
      data.targets,
      compared.map((report) => ({ ...report, mark: caseMarks(report, data.run) })),
      width,
      paint,
    ),
    "",
    ...dim(
      VERDICTS.filter((verdict) => used.has(verdict))
        .map(markWords)
        .join("  "),
    ),
    ...([...used].some(isJudged) ? dim("− less time, + more; in brackets the 99 % interval.") : []),
    ...(used.has("same") ? dim(sameNote(used)) : []),
    ...(compared.some(({ manifest }) => manifest.notSameCode !== null)
      ? dim("* not the same code on all platforms")
      : []),
    ...(marksNote === "" ? [] : dim(marksNote)),
  ];
}

/** Lists the verdicts that a case's rows show: by time, and by CPU time where that decides what time does not. */
function shownVerdicts({ headline, cpuTime }: CaseReport): readonly Verdict[] {
  const comparisons = headline?.comparisons ?? [];
  return comparisons.flatMap(({ verdict, target }) => {
    const answer = cpuAnswer({ verdict, cpu: ofTarget(cpuTime?.comparisons, target) });
    return answer === null ? [verdict] : [verdict, answer.verdict];
  });
}

/** A case with its comparisons, of CPU time too where these are known. */
interface ComparedCase extends Pick<CaseReport, "headline" | "manifest"> {
  readonly cpuTime?: CaseReport["cpuTime"];
  /** Text behind the case's name: that its check failed. Default: none. */
  readonly mark?: string;
}

/** Writes comparisons as a table: a row for each case, and a second one where CPU time decides what time does not. */
function comparisonTable(
  targets: readonly ReportTarget[],
  compared: readonly ComparedCase[],
  width: number,
  paint: Paint,
  cellOf: (comparison: Comparison) => string = markedChange,
): readonly string[] {
  const columns = platformColumns(targets, compared);
  const rows = compared.flatMap((report) => {
    const { manifest, cpuTime = null } = report;
    const cells = columns.map(({ comparisonIn }) => {
      const comparison = comparisonIn(report);
      return comparison === null ? "" : cellOf(comparison);
    });
    const cpuCells = columns.map(({ comparisonIn }) => {
      const { verdict = "no result" } = comparisonIn(report) ?? {};
      const answer = cpuAnswer({ verdict, cpu: comparisonIn({ headline: cpuTime }) });
      return answer === null ? "" : markedChange(answer);
    });
    const name = `${manifest.id}${manifest.notSameCode === null ? "" : "*"}${report.mark ?? ""}`;
    const hasCpuAnswer = cpuCells.some((cell) => cell !== "");
    return [[name, ...cells], ...(hasCpuAnswer ? [["  CPU time", ...cpuCells]] : [])];
  });
  const table = { head: [caseWord({ targets }), ...columns.map(({ name }) => name)], rows };
  return fitting(table, width, paint);
}

/** Writes what a run that goes on has found so far; nothing where nothing is compared yet. */
export function renderSoFar(
  run: Run,
  analyses: readonly CaseAnalysis[],
  { width, color }: TerminalOptions,
): readonly string[] {
  // Of a cache nothing is compared at the end either.
  const computed = run.plan.cases.filter(({ cached }) => cached === undefined);
  const cases = computed.flatMap((manifest) => {
    const headline = analyses.find(({ caseId }) => caseId === manifest.id);
    return headline === undefined || headline.comparisons.length === 0 ? [] : [{ manifest, headline }];
  });
  if (cases.length === 0) {
    return [];
  }
  const trials = cases.flatMap(({ headline }) => headline.comparisons.map(({ byTrial }) => byTrial.length));
  const least = Math.min(...trials);
  const most = Math.max(...trials);
  const columns = Math.max(NARROWEST, width);
  const many = least === most ? counted(most, "trial") : `${least} to ${counted(most, "trial")}`;
  const same = sameNote(cases.flatMap(({ headline }) => headline.comparisons.map(({ verdict }) => verdict)));
  return [
    `So far, after ${many} of each case${most === 1 ? ", so without intervals" : ""}:`,
    ...comparisonTable(inReportOrder(run), cases, columns, paintIf(color), cellSoFar),
    ...(same === "" ? [] : wrap(same, columns, 0)),
  ];
}

/**
 * Writes a comparison that may have one trial: it has no interval, and the cell says what the trial came to.
 */
function cellSoFar(comparison: Comparison): string {
  const { ratio, byTrial, verdict } = comparison;
  const [only] = byTrial;
  if (ratio !== null || !isJudged(verdict) || only === undefined || byTrial.length > 1) {
    return markedChange(comparison);
  }
  return `${MARKS.unclear.sign} ${formatSingleChange(only)} (1 trial)`;
}

/** Fits a table into a width: where it is wider, each row is several lines. */
function fitting(table: Table, width: number, paint: Paint): readonly string[] {
  const lines = textTable(table);
  if (lines.every((line) => line.length <= width)) {
    return lines.map((line, index) => (index === 0 ? paint("bold", line) : line));
  }
  const [, ...columns] = table.head.map(textOf);
  const longest = Math.max(...columns.map((column) => column.length));
  return table.rows.flatMap(([id = "", ...cells]) => [
    cutToWidth(terminalLine(textOf(id)), width),
    ...cells.flatMap((cell, index) =>
      textOf(cell) === ""
        ? []
        : cutToWidth(`  ${terminalLine(columns[index] ?? "").padEnd(longest)}  ${textOf(cell)}`, width),
    ),
  ]);
}

/** Writes for each case how much longer than the baseline each target takes from each place. */
function differenceLines(data: ReportData, width: number, paint: Paint): readonly string[] {
  return differenceTables(data.cases, data.targets, false).flatMap(({ title, ...table }, index) => [
    ...(index === 0 ? [] : [""]),
    ...wrap(title, width, 2),
    ...fitting(table, width, paint),
  ]);
}
