import { randomInt } from "node:crypto";
import { join } from "node:path";
import type { ExperimentsRun } from "@evenbench/core";
import { createRunFolder, writeExperiments } from "@evenbench/results";
import type { LocalTarget, Progress } from "@evenbench/runner";
import {
  type CoresApart,
  deriveSeed,
  describeMachine,
  keepCoresApart,
  markMeasuring,
  ownVersion,
  progressReporter,
} from "@evenbench/runner/engine";
import { buildSides } from "./build-sides.ts";
import type { Bench } from "./compare.ts";
import type { Experiment } from "./define.ts";
import { runExperiment } from "./run-experiment.ts";

export interface ExperimentOptions {
  readonly experiments: readonly Experiment[];
  /** All local targets. */
  readonly targets: readonly LocalTarget[];
  /** Why targets could not be built, by name. */
  readonly missing: ReadonlyMap<string, string>;
  /** What each experiment may take, builds left out, in milliseconds. */
  readonly timeMs: number;
  /** From 0 to 2^32 - 1. Default: random. */
  readonly seed?: number;
  /** The folder that takes the run's own folder. */
  readonly out: string;
  readonly signal: AbortSignal;
  onProgress?(progress: Progress): void;
  /** One line for something that a user wants to know meanwhile. */
  onEvent?(line: string): void;
}

/** A run of experiments, and where its files are. */
export interface ExperimentsDone {
  readonly folder: string;
  readonly run: ExperimentsRun;
}

/**
 * Builds what experiments need beside the ordinary targets, then runs them one after the other. `experiments.json` has every
 * finished one at once, so an interrupted run keeps what it measured; an experiment that fails has the verdict "cannot tell" with
 * the reason, and the others go on.
 *
 * @throws {ResultsError} when the results folder cannot be written.
 */
export async function runExperiments(options: ExperimentOptions): Promise<ExperimentsDone> {
  const { id, folder } = await createRunFolder(options.out);
  const missing = await buildSides(options);
  const lock = markMeasuring(options.out);
  for (const pid of lock.others)
    options.onEvent?.(`Another run (pid ${pid}) is measuring here: expect more scatter.`);
  // Only now: builds want all cores.
  const cores = keepCoresApart();
  try {
    return await runInto({ ...options, missing }, { id, folder, cores });
  } finally {
    cores.restore();
    lock.release();
  }
}

async function runInto(
  options: ExperimentOptions,
  { id, folder, cores }: { readonly id: string; readonly folder: string; readonly cores: CoresApart },
): Promise<ExperimentsDone> {
  const { experiments, signal, timeMs } = options;
  const targets = new Map(options.targets.map((target) => [target.name, target]));
  const ids = experiments.map((one) => one.id);
  const reporter = progressReporter(options.onProgress, ids);
  reporter.plan(Object.fromEntries(ids.map((one) => [one, timeMs])));
  let run = firstState(id, options, cores);
  for (const experiment of experiments) {
    if (signal.aborted) break;
    reporter.startCase(experiment.id);
    const bench: Bench = {
      experimentId: experiment.id,
      folder: join(folder, experiment.id),
      machine: run.machine,
      seed: deriveSeed(run.seed, experiment.id),
      signal,
      cores,
      targets,
      missing: options.missing,
      identities: [],
      showProgress: (part, progress) => reporter.show({ ...progress, caseId: `${experiment.id}: ${part}` }),
    };
    const result = await runExperiment(experiment, bench, timeMs);
    run = { ...run, results: [...run.results, result] };
    await writeExperiments(folder, run);
  }
  run = { ...run, status: signal.aborted ? "interrupted" : "complete", finishedAt: new Date().toISOString() };
  await writeExperiments(folder, run);
  return { folder, run };
}

function firstState(id: string, { seed, timeMs }: ExperimentOptions, cores: CoresApart): ExperimentsRun {
  return {
    schemaVersion: 1,
    id,
    startedAt: new Date().toISOString(),
    finishedAt: null,
    status: "running",
    evenbenchVersion: ownVersion(),
    machine: describeMachine(cores.split),
    seed: seed ?? randomInt(2 ** 32),
    timeMs,
    results: [],
  };
}
