import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { formatBytes, formatCount } from "@evenbench/page";
import {
  LOAD_FILE,
  type LoadSample,
  type LoadStage,
  RUN_FILE,
  type Sample,
  SampleWriter,
  SUMMARY_FILE,
} from "@evenbench/results";
import type { ProcessCost, ReportKind } from "./report-process.ts";
import { tableOf } from "./resample.ts";

/** The program that makes a report in a process of its own. */
const REPORT_PROCESS = join(import.meta.dirname, "report-process.ts");
/** Number of trials of each case, as many as a usual run has. */
const TRIALS = 5;
/** Number of requests of warm-up that each instance of a synthetic run gets. */
const WARM_UP_ROUNDS = 5;
/** Number of stages of a load: six loads on three targets in three trials. */
const STAGES = 54;
/** Number of samples that are written at a time. */
const SAMPLES_OF_FLUSH = 1000;
/** Milliseconds from the start of one run of the gallery to that of the next: half a day. */
const RUNS_APART_MS = 12 * 3600 * 1000;

/** Numbers that are studied, each in a process of its own. */
export interface ReportCostOptions {
  /** Numbers of samples of a run, and of a load. */
  readonly samples: readonly number[];
  /** Numbers of runs of a gallery. */
  readonly runs: readonly number[];
}

/**
 * Makes synthetic runs, loads and results folders, one after the other, and the report or gallery of each in a process
 * of its own.
 *
 * @param folder takes them; each is removed when it was reported.
 * @returns a table in Markdown, a row for each.
 */
export async function studyReportCost({ samples, runs }: ReportCostOptions, folder: string): Promise<string> {
  const rows: (readonly string[])[] = [];
  for (const count of samples) {
    rows.push(await rowOf("report", `run, ${formatCount(count)} samples`, await writeRunOf(count, folder)));
  }
  for (const count of samples) {
    rows.push(await rowOf("load", `load, ${formatCount(count)} samples`, await writeLoadOf(count, folder)));
  }
  for (const count of runs) {
    const size = `${formatCount(count)} runs`;
    rows.push(await rowOf("site", `gallery, ${size}`, await writeRuns(count, folder)));
    rows.push(
      await rowOf("published-site", `gallery with pictures, ${size}`, await writeRuns(count, folder)),
    );
  }
  const head = ["report of", "time", "CPU time", "peak memory"];
  const machine = `On ${cpus()[0]?.model}, Node.js ${process.version}:`;
  return [machine, "", ...tableOf(head, rows)].join("\n");
}

/** Makes a report in a process of its own, and removes what it was made of. @returns the row of a table. */
async function rowOf(kind: ReportKind, what: string, folder: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [REPORT_PROCESS, kind, folder]);
  await rm(folder, { recursive: true });
  const { wallMs, cpuMs, peakBytes } = JSON.parse(stdout) as ProcessCost;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return [what, seconds(wallMs), seconds(cpuMs), formatBytes(peakBytes)];
}

/** Writes a synthetic run of about so many samples, with all that a sample can have. @returns its folder. */
async function writeRunOf(count: number, folder: string): Promise<string> {
  const { syntheticRun, syntheticSamples, written } = await import("@evenbench/report/testing/synthetic");
  const run = syntheticRun({ trials: TRIALS });
  const instances = run.plan.cases.length * run.plan.targets.length * TRIALS;
  const rounds = Math.max(1, Math.round(count / instances) - WARM_UP_ROUNDS);
  const samples = syntheticSamples(run, { trials: TRIALS, rounds });
  return written(folder, run, samplesWithCosts(samples));
}

/** Gives samples what only servers with an account of their CPU time have, and an instance of their own each trial. */
function* samplesWithCosts(samples: Iterable<Sample>): Iterable<Sample> {
  for (const sample of samples) {
    const instanceId = (sample.trial * 16 + sample.position).toString(16).padStart(16, "0");
    const cpuMs = 0.9 * (sample.lastByteMs ?? 0);
    yield { ...sample, instanceId, cpuMs, minorFaults: 100 };
  }
}

/** Writes a synthetic load of about so many samples. @returns its folder. */
async function writeLoadOf(count: number, folder: string): Promise<string> {
  const { exampleLoad, exampleLoadSample, exampleStage } = await import("@evenbench/results/testing");
  const target = join(folder, "load");
  await mkdir(target);
  const ofStage = Math.ceil(count / STAGES);
  const stages = Array.from({ length: STAGES }, (_, index): LoadStage => {
    const load = { kind: "closed", connections: 2 ** (index % 6) } as const;
    return { ...exampleStage, trial: Math.floor(index / 6), load, sent: ofStage, completed: ofStage };
  });
  const trials = STAGES / 6;
  const run = { ...exampleLoad, plan: { ...exampleLoad.plan, trials }, stages };
  await writeFile(join(target, LOAD_FILE), JSON.stringify(run));
  const writer = new SampleWriter<LoadSample>(target);
  for (let index = 0; index < STAGES * ofStage; index++) {
    const startedAtMs = index / 2;
    const times = { intendedAtMs: startedAtMs, startedAtMs, firstByteMs: 1, lastByteMs: 2 + (index % 17) };
    const connection = index % 2 ** (Math.floor(index / ofStage) % 6);
    writer.append({ ...exampleLoadSample(Math.floor(index / ofStage)), ...times, connection });
    if (index % SAMPLES_OF_FLUSH === 0) {
      writer.flush();
    }
  }
  writer.close();
  return target;
}

/** Writes a results folder with so many runs, each with its summary and without its samples. @returns the folder. */
async function writeRuns(count: number, folder: string): Promise<string> {
  const { createReport } = await import("@evenbench/report");
  const one = await writeRunOf(1000, folder);
  await createReport(one);
  const record = await readFile(join(one, RUN_FILE), "utf8");
  const summary = await readFile(join(one, SUMMARY_FILE), "utf8");
  await rm(one, { recursive: true });
  const { id, startedAt } = JSON.parse(record) as { readonly id: string; readonly startedAt: string };
  const results = join(folder, "results");
  for (let index = 0; index < count; index++) {
    const start = new Date(Date.parse(startedAt) + index * RUNS_APART_MS).toISOString();
    const name = `${id}-${index}`;
    const ofRun = (text: string) => text.replaceAll(`"${id}"`, `"${name}"`).replaceAll(startedAt, start);
    await mkdir(join(results, name), { recursive: true });
    await writeFile(join(results, name, RUN_FILE), ofRun(record));
    await writeFile(join(results, name, SUMMARY_FILE), ofRun(summary));
  }
  return results;
}
