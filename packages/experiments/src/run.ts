import { randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { formatDuration, UserError } from "@evenbench/core";
import { version } from "@evenbench/host";
import { counted } from "@evenbench/report/parts";
import {
  createRunFolder,
  EXPERIMENTS_FILE,
  type ExperimentsRun,
  readExperiments,
  writeJson,
} from "@evenbench/results";
import {
  claimMachine,
  deriveSeed,
  describeMachine,
  type Progress,
  progressReporter,
} from "@evenbench/runner";
import { sum } from "@evenbench/stats";
import type { Bench } from "./define.ts";
import { createExperimentsPage } from "./page.ts";
import { runExperiment } from "./run-experiment.ts";
import { type BuildOptions, buildSides, deployableOf, targetOfSide } from "./sides.ts";

export interface ExperimentOptions extends BuildOptions {
  readonly timeMs?: number;
  /** From 0 to 2^32 - 1. Default: random. */
  readonly seed?: number;
  readonly out: string;
  /** The folder of an earlier run to go on with, in place of a new one: what it finished is kept, its seed too. */
  readonly resume?: string;
  onProgress?(progress: Progress): void;
}

/**
 * Every finished experiment is written at once, so that a run that ends early keeps what it measured.
 *
 * @throws {ResultsError} when the folder cannot be written or read; {UserError} when its run may not be resumed.
 */
export async function runExperiments(options: ExperimentOptions) {
  const { resume, targets, signal, onEvent } = options;
  const earlier = resume === undefined ? null : await readToResume(resume, options.timeMs);
  const experiments = options.experiments.filter(({ id }) =>
    (earlier?.results ?? []).every((result) => result.id !== id),
  );
  const timeMs = (earlier === null ? options.timeMs : earlier.timeMs) ?? null;
  const times = experiments.map(({ timeS }) => timeMs ?? timeS * 1000);
  const leftAfter = (done: number) => sum(times.slice(done));
  const { id: runId, folder } =
    resume === undefined
      ? await createRunFolder(options.out)
      : { id: basename(resolve(resume)), folder: resolve(resume) };
  onEvent?.(
    `${counted(experiments.length, "claim")}: about ${formatDuration(leftAfter(0))} on a quiet machine, builds left out.`,
  );
  const missing = await buildSides({ ...options, experiments });
  using claimed = claimMachine();
  const begun: Omit<ExperimentsRun, "status" | "finishedAt" | "unfinished"> = earlier ?? {
    ...{ schemaVersion: 2, id: runId, startedAt: new Date().toISOString() },
    ...{ evenbenchVersion: version, machine: claimed.machine, seed: options.seed ?? randomInt(2 ** 32) },
    ...{ timeMs, results: [] },
  };
  let run: ExperimentsRun = { ...begun, status: "running", finishedAt: null, unfinished: null };
  let current = { index: 0, since: performance.now() };
  const ids = experiments.map(({ id }) => id);
  const reporter = progressReporter(options.onProgress, ids, (now) => {
    const { index, since } = current;
    return Math.max(0, since + (times[index] ?? 0) - now) + leftAfter(index + 1);
  });
  const save = async (): Promise<void> => {
    await writeJson(join(folder, EXPERIMENTS_FILE), run);
    await createExperimentsPage(folder, run);
  };
  const tellOthers = (): void => {
    for (const sentence of claimed.newOthers()) onEvent?.(sentence);
  };
  tellOthers();
  for (const [index, experiment] of experiments.entries()) {
    if (signal.aborted) break;
    current = { index, since: performance.now() };
    const { id } = experiment;
    const own = join(folder, id);
    // What an earlier run began and did not finish.
    await rm(own, { recursive: true, force: true });
    const bench: Bench = {
      ...{ folder: own, seed: deriveSeed(run.seed, id), signal, identities: [] },
      targetOf(side) {
        const target = targets.find(({ name }) => name === side.target);
        if (target === undefined) throw new Error(`there is no target "${side.target}".`);
        const why = missing.get(deployableOf(id, side) ?? side.target);
        if (why !== undefined) throw new Error(why);
        return targetOfSide(id, side, target);
      },
      progress: (what, at = MEASURING) => reporter.show({ ...at, caseId: `${id}: ${what}` }, index),
    };
    const time = { ms: times[index] ?? 0, isGiven: timeMs !== null };
    const result = await runExperiment(experiment, bench, time);
    tellOthers();
    run = { ...run, results: [...run.results, result], unfinished: signal.aborted ? id : null };
    await save();
  }
  run = { ...run, status: signal.aborted ? "interrupted" : "complete", finishedAt: new Date().toISOString() };
  await save();
  return { folder, run };
}

const MEASURING = { phase: "measure", trial: 0, trials: 1, roundIndex: 0 } as const;

/** What must be as it was, or results would stand in one table that are of different things. */
const SAME = ["system", "cpuModel", "cores", "clientNode"] as const;

/**
 * Without the experiment during which it was interrupted.
 *
 * @param timeMs that is asked for: results of two times in one table would not say so.
 * @throws as `runExperiments`.
 */
export async function readToResume(folder: string, timeMs?: number): Promise<ExperimentsRun> {
  const run = await readExperiments(folder);
  const machine = describeMachine(null);
  const other = SAME.find((fact) => run.machine[fact] !== machine[fact]);
  const why =
    run.evenbenchVersion !== version
      ? `was made by Evenbench ${run.evenbenchVersion}, and this is ${version}`
      : other && `was made on another machine: ${run.machine[other]} instead of ${machine[other]}`;
  if (why !== undefined)
    throw new UserError(`The run in ${folder} ${why}. Leave out --resume to begin a new one.`);
  if (timeMs !== undefined && timeMs !== run.timeMs) {
    const before = run.timeMs === null ? "a time of its own" : formatDuration(run.timeMs);
    throw new UserError(
      `Each claim of that run had ${before}, and this asks for ${formatDuration(timeMs)}. Leave out --time, or leave out --resume to begin a new one.`,
    );
  }
  return { ...run, results: run.results.filter(({ id }) => id !== run.unfinished) };
}
