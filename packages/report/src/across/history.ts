import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { EXPERIMENTS_FILE, LOAD_FILE, ResultsError, readRun } from "@evenbench/results";
import { generationMedians, type MedianInterval, medianInterval } from "@evenbench/stats";
import { counted, formatMs, formatPercent } from "../format.ts";
import { plainTable } from "./table.ts";

/** One target of one case over time. Times in milliseconds to the case's headline byte. */
export interface Trend {
  readonly caseId: string;
  readonly target: string;
  /** Oldest first. */
  readonly points: readonly { readonly runId: string; readonly median: MedianInterval }[];
}

export interface History {
  readonly trends: readonly Trend[];
  readonly runs: number;
  /** Folders that hold no run that can be read, with the reason. */
  readonly skipped: readonly string[];
}

const BARS = "▁▂▃▄▅▆▇█";
/** Points that a terminal's line has room for. */
const NEWEST = 24;

/**
 * Reads every run in a results folder.
 *
 * @throws {ResultsError} when the folder cannot be read.
 */
export async function readHistory(results: string): Promise<History> {
  const skipped: string[] = [];
  const trends = new Map<string, { caseId: string; target: string; points: Trend["points"][number][] }>();
  let runs = 0;
  for (const name of await runFolders(results)) {
    let read: Awaited<ReturnType<typeof readRun>>;
    try {
      read = await readRun(join(results, name));
    } catch (error) {
      if (!(error instanceof ResultsError)) throw error;
      skipped.push(`${name}: ${error.message}`);
      continue;
    }
    runs += 1;
    const { run, samples } = read;
    const originals = new Set(
      run.plan.targets.filter(({ twinOf }) => twinOf === null).map((one) => one.name),
    );
    for (const { id, headline } of run.plan.cases) {
      for (const [target, medians] of generationMedians(samples.ofCase(id), id, headline)) {
        const median = medianInterval(medians);
        if (median === null || !originals.has(target)) continue;
        const trend = trends.get(`${id} ${target}`) ?? { caseId: id, target, points: [] };
        trends.set(`${id} ${target}`, trend);
        trend.points.push({ runId: run.id, median });
      }
    }
  }
  return { trends: [...trends.values()], runs, skipped };
}

/** Experiments and loads have folders beside those of runs; what they measured is no history of a target. */
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

/** One line for each case and target: its course, its first and its newest median, and the change. */
export function renderHistory({ trends, runs, skipped }: History): string {
  const lines: string[] = [];
  const rows = trends.map(({ caseId, target, points }, index) => {
    const medians = points.map(({ median }) => median.estimate);
    const [first = 0, last = 0] = [medians[0], medians.at(-1)];
    return [
      trends[index - 1]?.caseId === caseId ? "" : caseId,
      target,
      String(points.length),
      bars(medians.slice(-NEWEST)),
      formatMs(first),
      formatMs(last),
      points.length < 2 ? "" : `${last >= first ? "+" : "−"}${formatPercent(Math.abs(last / first - 1))}`,
    ];
  });
  const head = ["case", "target", "runs", "course", "first", "newest", "change"];
  lines.push(rows.length === 0 ? "There is no measured run yet." : plainTable(head, rows, [2, 4, 5, 6]));
  lines.push("", `${counted(runs, "run")}, not interleaved: the machine's own changes are in these medians.`);
  for (const one of skipped) lines.push(`! left out: ${one}`);
  return `${lines.join("\n")}\n`;
}

/** The course of numbers as bars between their least and their most. */
function bars(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = (most - least) / (BARS.length - 1);
  return values.map((value) => BARS[step === 0 ? 0 : Math.round((value - least) / step)]).join("");
}
