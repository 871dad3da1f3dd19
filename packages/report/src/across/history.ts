import {
  counted,
  fittedTable,
  formatMs,
  formatPercent,
  listed,
  terminalOptions,
  wrap,
} from "@evenbench/page";
import { ResultsError } from "@evenbench/results";
import { readSummarised } from "../summarised.ts";
import * as series from "./series.ts";

/** Bars of a trend, from the shortest time to the longest. */
const BARS = "▁▂▃▄▅▆▇█";
/** Number of bars of a trend: more are not told apart, and would not fit beside the numbers. */
const NEWEST = 24;
/** Largest number of objections that are written. */
const OBJECTIONS_SHOWN = 8;
/** The columns of a row that say what it is of: case and target. */
const NAMING_COLUMNS = 2;

/** The trend of one target in one case over several runs. */
interface Trend {
  readonly caseId: string;
  readonly target: string;
  /** Times of the target in each run that measured it, the oldest first. */
  readonly points: readonly { readonly runId: string; readonly median: series.MedianTime }[];
  /**
   * Change from the oldest to the newest run, as a fraction; null where there is one point, or plans are
   * unequal.
   */
  readonly change: number | null;
}

/** The histories of all targets over the runs of a folder. */
interface RunHistory {
  readonly trends: readonly Trend[];
  /** Number of runs that were read. */
  readonly runs: number;
  /** Folders that were left out, and why: a sentence each. */
  readonly skipped: readonly string[];
  /** Why some of the runs cannot be held against one another: a sentence each. */
  readonly objections: readonly string[];
}

/**
 * Reads the trend of each target over all runs in a results folder: without damaged and unfinished ones, and what was
 * not warm, unless they are asked for.
 *
 * @throws {ResultsError} when the folder cannot be read.
 */
export async function readHistory(
  results: string,
  { anyway = false }: series.AcrossOptions = {},
): Promise<RunHistory> {
  const objections: string[] = [];
  const { runs, skipped: unread } = await series.readEach(await series.runsIn(results), async (folder) => {
    const read = await readSummarised(folder);
    const against = series.objectionsTo(read.run, read.summary.damage);
    if (against.length > 0 && !anyway) {
      throw new ResultsError(against.join(" "));
    }
    objections.push(...against.map((objection) => `${read.run.id}: ${objection}`));
    return read;
  });
  const skipped = [...unread];
  for (const { run, summary } of runs) {
    const cold = summary.rows.filter((row) => series.isTime(row) && row.notWarm !== null);
    for (const [caseId, rows] of Map.groupBy(cold, (row) => row.caseId)) {
      (anyway ? objections : skipped).push(
        `${run.id}: ${caseId} was not warm on ${listed(rows.map(({ target }) => target))}.`,
      );
    }
  }
  const histories = series.historyByTarget(
    runs,
    (row) => series.isTime(row) && (anyway || row.notWarm === null),
  );
  const trends = histories.map(({ caseId, target, newest, points }) => {
    const reasons = points.flatMap(({ run }) => series.unequal(caseId, run, newest.run));
    objections.push(...reasons);
    const medians = points.map(({ run, row }) => ({ runId: run.id, median: series.medianTimeOf(row) }));
    const change = series.medianTimeOf(newest.row).estimate / (medians[0]?.median.estimate ?? Number.NaN) - 1;
    const isComparable = points.length > 1 && (anyway || reasons.length === 0);
    return { caseId, target, points: medians, change: isComparable ? change : null };
  });
  return { trends, runs: runs.length, skipped, objections: [...new Set(objections)] };
}

/** Writes trends for a terminal, in lines of at most `width` columns, as a table with a trend of bars. */
export function renderHistory(
  { trends, runs, skipped, objections }: RunHistory,
  { width } = terminalOptions(),
): string {
  const hasChanges = trends.some(({ change }) => change !== null);
  const rows = trends.map(({ caseId, target, points, change }, index) => {
    const medians = points.map(({ median }) => median.estimate);
    return [
      trends[index - 1]?.caseId === caseId ? "" : caseId,
      target,
      String(points.length),
      bars(medians.slice(-NEWEST)),
      formatMs(medians[0] ?? 0),
      formatMs(medians.at(-1) ?? 0),
      ...(hasChanges ? [changeText(change)] : []),
    ];
  });
  const head = ["case", "target", "runs", "trend", "first", "newest", ...(hasChanges ? ["change"] : [])];
  const more = objections.length - OBJECTIONS_SHOWN;
  const isCut = trends.some(({ points }) => points.length > NEWEST);
  const isWithheld = trends.some(({ change, points }) => change === null && points.length > 1);
  const remarks = [
    ...skipped.map((reason) => `left out: ${reason}`),
    ...objections.slice(0, OBJECTIONS_SHOWN),
    ...(more > 0 ? [`and ${more} more like these`] : []),
    ...(isWithheld ? ["So no change is shown. Pass --anyway to show it."] : []),
  ];
  const nothing = "There is no run to show. Give a folder that contains measured runs.";
  const wrapped = (text: string): readonly string[] => wrap(text, width, 2);
  const lines = [
    ...(rows.length === 0
      ? [nothing]
      : fittedTable({ head, rows, numeric: [2, 4, 5, 6] }, width, NAMING_COLUMNS)),
    "",
    ...wrapped("Bars: the lowest and the highest median of the row have the lowest and the highest bar."),
    ...(isCut
      ? wrapped(`The trend has the newest ${NEWEST} runs; first, newest and change are of all.`)
      : []),
    ...wrapped(`${counted(runs, "run")}, not in turns: the machine's own changes are in these medians.`),
    ...remarks.flatMap((remark) => wrapped(`! ${remark}`)),
  ];
  return `${lines.join("\n")}\n`;
}

/** Writes a change from the oldest to the newest run, with its sign: "+3.4 %"; empty for null. */
function changeText(change: number | null): string {
  if (change === null) {
    return "";
  }
  const sign = change >= 0 ? "+" : "−";
  return `${sign}${formatPercent(Math.abs(change))}`;
}

/** Draws values as bars, one letter each. */
function bars(values: readonly number[]): string {
  const least = Math.min(...values);
  const most = Math.max(...values);
  const step = (most - least) / (BARS.length - 1);
  return values.map((value) => BARS[step === 0 ? 0 : Math.round((value - least) / step)]).join("");
}
