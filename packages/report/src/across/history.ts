import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type CaseManifest, terminalLine } from "@evenbench/core";
import { EXPERIMENTS_FILE, LOAD_FILE, ResultsError, type Run } from "@evenbench/results";
import { readSummarised, type SummarisedRun } from "../analyse-run.ts";
import { counted, formatMs, formatPercent, listed } from "../format.ts";
import { textTable } from "../table.ts";
import { type AcrossOptions, type MedianInterval, medianOf } from "./compare.ts";
import { objectionsTo, unequalCase, unequalPlans } from "./objections.ts";

export interface Trend {
  readonly caseId: string;
  readonly target: string;
  readonly points: readonly { readonly runId: string; readonly median: MedianInterval }[];
  /** From the first to the newest, as a fraction; null where there is one point, or plans are unequal. */
  readonly change: number | null;
}

export interface History {
  readonly trends: readonly Trend[];
  readonly runs: number;
  /** What is left out, with the reason. */
  readonly skipped: readonly string[];
  readonly objections: readonly string[];
}

interface Course {
  readonly manifest: CaseManifest;
  readonly target: string;
  readonly points: { readonly run: Run; readonly median: MedianInterval }[];
}

const BARS = "▁▂▃▄▅▆▇█";
const NEWEST = 24;
const OBJECTIONS_SHOWN = 8;

/**
 * Every run in a results folder, without damaged and unfinished ones, and what was not warm, unless asked for.
 *
 * @throws {ResultsError} when the folder cannot be read.
 */
export async function readHistory(results: string, { anyway = false }: AcrossOptions = {}): Promise<History> {
  const skipped: string[] = [];
  const objections: string[] = [];
  const courses = new Map<string, Course>();
  let runs = 0;
  for (const name of await runFolders(results)) {
    let read: SummarisedRun;
    try {
      read = await readSummarised(join(results, name));
    } catch (error) {
      if (!(error instanceof ResultsError)) throw error;
      skipped.push(`${name}: ${error.message}`);
      continue;
    }
    const found = objectionsTo({ run: read.run, damage: read.summary.damage }).map(
      (objection) => `${name}: ${objection}`,
    );
    (anyway ? objections : skipped).push(...found);
    if (found.length > 0 && !anyway) continue;
    runs += 1;
    const cold = addTo(courses, read, anyway).map((what) => `${name}: ${what}`);
    (anyway ? objections : skipped).push(...cold);
  }
  const trends = [...courses.values()].map((course) => {
    const unequal = unequalWithNewest(course);
    objections.push(...unequal);
    return trendOf(course, anyway || unequal.length === 0);
  });
  return { trends, runs, skipped, objections: [...new Set(objections)] };
}

function addTo(
  courses: Map<string, Course>,
  { run, summary }: SummarisedRun,
  anyway: boolean,
): readonly string[] {
  return run.plan.cases.flatMap((manifest) => {
    const own = summary.rows.filter(
      ({ caseId, headline, medianMs }) => caseId === manifest.id && headline && medianMs !== null,
    );
    const cold = own.filter(({ notWarm }) => notWarm !== null);
    for (const row of own) {
      if (row.notWarm !== null && !anyway) continue;
      const key = `${manifest.id} ${row.target}`;
      const course = courses.get(key) ?? { manifest, target: row.target, points: [] };
      courses.set(key, course);
      course.points.push({ run, median: medianOf(row) });
    }
    return cold.length === 0
      ? []
      : [`${manifest.id} was not warm on ${listed(cold.map(({ target }) => target))}.`];
  });
}

function unequalWithNewest({ manifest, points }: Course): readonly string[] {
  const newest = points.at(-1)?.run;
  if (newest === undefined) return [];
  return points.flatMap(({ run }) => [
    ...unequalPlans(run, newest),
    ...[unequalCase(manifest, run, newest)].filter((one) => one !== null),
  ]);
}

function trendOf({ manifest, target, points }: Course, comparable: boolean): Trend {
  const [first, newest] = [points[0]?.median.estimate ?? 0, points.at(-1)?.median.estimate ?? 0];
  return {
    caseId: manifest.id,
    target,
    points: points.map(({ run, median }) => ({ runId: run.id, median })),
    change: comparable && points.length > 1 ? newest / first - 1 : null,
  };
}

/** Experiments and loads have folders beside those of runs. */
async function runFolders(results: string): Promise<string[]> {
  try {
    const entries = await readdir(results, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
    const names = folders.map(({ name }) => name).sort();
    const isOther = (name: string) =>
      [EXPERIMENTS_FILE, LOAD_FILE].some((file) => existsSync(join(results, name, file)));
    return names.filter((name) => !isOther(name));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ResultsError(`No history in ${results}: it cannot be read (${code}). Give a results folder.`);
  }
}

export function renderHistory({ trends, runs, skipped, objections }: History): string {
  const lines: string[] = [];
  const rows = trends.map(({ caseId, target, points, change }, index) => {
    const medians = points.map(({ median }) => median.estimate);
    const [first = 0, last = 0] = [medians[0], medians.at(-1)];
    return [
      trends[index - 1]?.caseId === caseId ? "" : caseId,
      target,
      String(points.length),
      bars(medians.slice(-NEWEST)),
      formatMs(first),
      formatMs(last),
      change === null ? "" : `${change >= 0 ? "+" : "−"}${formatPercent(Math.abs(change))}`,
    ];
  });
  const head = ["case", "target", "runs", "course", "first", "newest", "change"];
  lines.push(...(rows.length === 0 ? [nothingOf(runs)] : textTable({ head, rows, numeric: [2, 4, 5, 6] })));
  lines.push("", `${counted(runs, "run")}, not in turns: the machine's own changes are in these medians.`);
  for (const one of skipped) lines.push(terminalLine(`! left out: ${one}`));
  for (const one of objections.slice(0, OBJECTIONS_SHOWN)) lines.push(terminalLine(`! ${one}`));
  const more = objections.length - OBJECTIONS_SHOWN;
  if (more > 0) lines.push(`! and ${more} more like these`);
  if (trends.some(({ change, points }) => change === null && points.length > 1))
    lines.push("! So no change is shown. Pass --anyway to show it.");
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
