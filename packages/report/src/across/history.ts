import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { terminalLine } from "@evenbench/core";
import {
  EXPERIMENTS_FILE,
  LOAD_FILE,
  ResultsError,
  type Run,
  type SummaryRow,
  systemReason,
} from "@evenbench/results";
import { readSummarised, type SummarisedRun } from "../analyse-run.ts";
import { counted, formatMs, formatPercent, listed } from "../format.ts";
import { textTable } from "../table.ts";
import { type AcrossOptions, headlinesOf, medianOf } from "./compare.ts";
import { objectionsTo, unequalCase, unequalPlans } from "./objections.ts";

const BARS = "▁▂▃▄▅▆▇█";
const NEWEST = 24;
const OBJECTIONS_SHOWN = 8;

/**
 * Every run in a results folder, without damaged and unfinished ones, and what was not warm, unless asked for.
 *
 * @throws {ResultsError} when the folder cannot be read.
 */
export async function readHistory(results: string, { anyway = false }: AcrossOptions = {}) {
  const skipped: string[] = [];
  const objections: string[] = [];
  const found: Point[] = [];
  let runs = 0;
  for (const name of await runFolders(results)) {
    const object = (objection: string) => (anyway ? objections : skipped).push(`${name}: ${objection}`);
    let read: SummarisedRun;
    try {
      read = await readSummarised(join(results, name));
    } catch (error) {
      if (!(error instanceof ResultsError)) throw error;
      skipped.push(`${name}: ${error.message}`);
      continue;
    }
    const { run, summary } = read;
    const against = objectionsTo(run, summary.damage);
    against.forEach(object);
    if (against.length > 0 && !anyway) continue;
    runs += 1;
    for (const { id } of run.plan.cases) {
      const rows = headlinesOf(read, id);
      const cold = rows.filter(({ notWarm }) => notWarm !== null);
      if (cold.length > 0) object(`${id} was not warm on ${listed(cold.map(({ target }) => target))}.`);
      found.push(...rows.flatMap((row) => (anyway || !cold.includes(row) ? [{ run, row }] : [])));
    }
  }
  const courses = Map.groupBy(found, ({ row }) => `${row.caseId} ${row.target}`);
  const trends = [...courses.values()].map((points) => {
    const { run: newest, row } = points.at(-1) as Point;
    const unequal = points.flatMap(({ run }) => [
      ...unequalPlans(run, newest),
      ...unequalCase(row.caseId, run, newest),
    ]);
    objections.push(...unequal);
    return trendOf(points, anyway || unequal.length === 0);
  });
  return { trends, runs, skipped, objections: [...new Set(objections)] };
}

interface Point {
  readonly run: Run;
  readonly row: SummaryRow;
}

/** Oldest first. Its change is a fraction, null where there is one point, or plans are unequal. */
function trendOf(points: readonly Point[], comparable: boolean) {
  const { caseId, target } = (points[0] as Point).row;
  const told = points.map(({ run, row }) => ({ runId: run.id, median: medianOf(row) }));
  const [first, newest] = [told[0], told.at(-1)].map((point) => point?.median.estimate ?? 0);
  const change = comparable && told.length > 1 ? (newest as number) / (first as number) - 1 : null;
  return { caseId, target, points: told, change };
}

/** Experiments and loads have folders beside those of runs. */
async function runFolders(results: string): Promise<readonly string[]> {
  const entries = await readdir(results, { withFileTypes: true }).catch((error) => {
    const why = systemReason(error);
    throw new ResultsError(`No history in ${results}: it cannot be read (${why}). Give a results folder.`);
  });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  const isOther = (name: string) =>
    [EXPERIMENTS_FILE, LOAD_FILE].some((file) => existsSync(join(results, name, file)));
  return folders
    .map(({ name }) => name)
    .filter((name) => !isOther(name))
    .sort();
}

type History = Awaited<ReturnType<typeof readHistory>>;

export function renderHistory({ trends, runs, skipped, objections }: History): string {
  const rows = trends.map(({ caseId, target, points, change }, index) => {
    const medians = points.map(({ median }) => median.estimate);
    return [
      trends[index - 1]?.caseId === caseId ? "" : caseId,
      target,
      String(points.length),
      bars(medians.slice(-NEWEST)),
      formatMs(medians[0] ?? 0),
      formatMs(medians.at(-1) ?? 0),
      change === null ? "" : `${change >= 0 ? "+" : "−"}${formatPercent(Math.abs(change))}`,
    ];
  });
  const head = ["case", "target", "runs", "course", "first", "newest", "change"];
  const more = objections.length - OBJECTIONS_SHOWN;
  const isWithheld = trends.some(({ change, points }) => change === null && points.length > 1);
  const remarks = [
    ...skipped.map((one) => `left out: ${one}`),
    ...objections.slice(0, OBJECTIONS_SHOWN),
    ...(more > 0 ? [`and ${more} more like these`] : []),
    ...(isWithheld ? ["So no change is shown. Pass --anyway to show it."] : []),
  ];
  const lines = [
    ...(rows.length === 0 ? [nothingOf(runs)] : textTable({ head, rows, numeric: [2, 4, 5, 6] })),
    "",
    `${counted(runs, "run")}, not in turns: the machine's own changes are in these medians.`,
    ...remarks.map((remark) => terminalLine(`! ${remark}`)),
  ];
  return `${lines.join("\n")}\n`;
}

function nothingOf(runs: number): string {
  return runs === 0
    ? "There is no measured run here. Give a folder that contains runs."
    : "There is nothing to show: every run is left out.";
}

function bars(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = (most - least) / (BARS.length - 1);
  return values.map((value) => BARS[step === 0 ? 0 : Math.round((value - least) / step)]).join("");
}
