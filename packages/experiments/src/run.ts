import { randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { formatDuration, UserError } from "@evenbench/core";
import { version } from "@evenbench/host";
import { counted } from "@evenbench/report/parts";
import {
  createRunFolder,
  EXPERIMENTS_SCHEMA_VERSION,
  type ExperimentsRun,
  readExperiments,
  writeExperiments,
} from "@evenbench/results";
import type { LocalTarget, Progress } from "@evenbench/runner";
import {
  type ClaimedMachine,
  claimMachine,
  deriveSeed,
  describeMachine,
  progressReporter,
} from "@evenbench/runner/engine";
import type { Bench } from "./compare.ts";
import type { Experiment } from "./define.ts";
import { createExperimentsPage } from "./page.ts";
import { runExperiment } from "./run-experiment.ts";
import { buildSides } from "./sides.ts";

export interface ExperimentOptions {
  readonly experiments: readonly Experiment[];
  readonly targets: readonly LocalTarget[];
  readonly missing: ReadonlyMap<string, string>;
  /** What each experiment may take, builds left out, in milliseconds. Default: each its own time. */
  readonly timeMs?: number;
  /** From 0 to 2^32 - 1. Default: random. */
  readonly seed?: number;
  /** Keeps from run to run what sides are found to need to be warm. Default: nothing is kept. */
  readonly warmUpFile?: string | null;
  readonly out: string;
  /** The folder of an earlier run to go on with, in place of a new one: what it finished is kept, its seed too. */
  readonly resume?: string;
  readonly signal: AbortSignal;
  onProgress?(progress: Progress): void;
  /** One line for something that a user wants to know meanwhile. */
  onEvent?(line: string): void;
}

export interface ExperimentsDone {
  readonly folder: string;
  readonly run: ExperimentsRun;
}

/** What an experiment may take, builds left out, in milliseconds. */
function timeOf({ timeS }: Experiment, timeMs: number | undefined): number {
  return timeMs ?? timeS * 1000;
}

/**
 * Runs experiments one after the other. Every finished one is written at once, so that a run that ends early
 * keeps what it measured; one that fails has the verdict "inconclusive".
 *
 * @throws {ResultsError} when the results folder cannot be written, or has no run to be resumed; {UserError}
 *   when that may not be.
 */
export async function runExperiments(given: ExperimentOptions): Promise<ExperimentsDone> {
  const earlier = given.resume === undefined ? null : await readToResume(given.resume);
  const finished = new Set(earlier?.results.map(({ id }) => id));
  const timeMs = earlier === null ? given.timeMs : timeOfBoth(earlier, given.timeMs);
  const options = {
    ...given,
    ...(timeMs === undefined ? {} : { timeMs }),
    experiments: given.experiments.filter(({ id }) => !finished.has(id)),
  };
  const place = given.resume === undefined ? await createRunFolder(options.out) : placeOf(given.resume);
  options.onEvent?.(announce(options));
  const missing = await buildSides(options);
  using claimed = claimMachine();
  const run = earlier === null ? firstState(place.id, options, claimed) : resumedState(earlier);
  // The claim on the machine lasts as long as this function.
  return await runInto({ ...options, missing }, claimed, { folder: place.folder, run });
}

function announce({ experiments, timeMs }: ExperimentOptions): string {
  const totalMs = experiments.reduce((sum, one) => sum + timeOf(one, timeMs), 0);
  return `${counted(experiments.length, "claim")}: about ${formatDuration(totalMs)} on a quiet machine, builds left out.`;
}

function placeOf(folder: string): { readonly id: string; readonly folder: string } {
  return { id: basename(resolve(folder)), folder: resolve(folder) };
}

async function runInto(
  options: ExperimentOptions,
  claimed: ClaimedMachine,
  { folder, ...beginning }: ExperimentsDone,
): Promise<ExperimentsDone> {
  const { experiments, signal, timeMs } = options;
  const targets = new Map(options.targets.map((target) => [target.name, target]));
  const ids = experiments.map((one) => one.id);
  let under = { index: 0, since: performance.now() };
  const reporter = progressReporter(options.onProgress, ids, (now) => {
    const [current = 0, ...later] = experiments.slice(under.index).map((one) => timeOf(one, timeMs));
    const ms = Math.max(0, under.since + current - now) + later.reduce((sum, one) => sum + one, 0);
    return { ms, why: null };
  });
  const tellOthers = (): void => {
    for (const sentence of claimed.newOthers()) options.onEvent?.(sentence);
  };
  tellOthers();
  let { run } = beginning;
  for (const [index, experiment] of experiments.entries()) {
    if (signal.aborted) break;
    under = { index, since: performance.now() };
    const bench: Bench = {
      experimentId: experiment.id,
      folder: join(folder, experiment.id),
      seed: deriveSeed(run.seed, experiment.id),
      signal,
      isTimeGiven: timeMs !== undefined,
      warmUpFile: options.warmUpFile ?? null,
      targets,
      missing: options.missing,
      identities: [],
      showProgress: (part, progress) =>
        reporter.show({ ...progress, caseId: `${experiment.id}: ${part}` }, index),
    };
    // What an earlier run began and did not finish.
    await rm(bench.folder, { recursive: true, force: true });
    const result = await runExperiment(experiment, bench, timeOf(experiment, timeMs));
    tellOthers();
    const unfinished = signal.aborted ? experiment.id : null;
    run = { ...run, results: [...run.results, result], unfinished };
    await save(folder, run);
  }
  run = { ...run, status: signal.aborted ? "interrupted" : "complete", finishedAt: new Date().toISOString() };
  await save(folder, run);
  return { folder, run };
}

async function save(folder: string, run: ExperimentsRun): Promise<void> {
  await writeExperiments(folder, run);
  await createExperimentsPage(folder, run);
}

function resumedState(earlier: ExperimentsRun): ExperimentsRun {
  return { ...earlier, status: "running", finishedAt: null, unfinished: null };
}

function firstState(
  id: string,
  { seed, timeMs }: ExperimentOptions,
  { machine }: ClaimedMachine,
): ExperimentsRun {
  return {
    schemaVersion: EXPERIMENTS_SCHEMA_VERSION,
    id,
    startedAt: new Date().toISOString(),
    finishedAt: null,
    status: "running",
    evenbenchVersion: version,
    machine,
    seed: seed ?? randomInt(2 ** 32),
    timeMs: timeMs ?? null,
    results: [],
    unfinished: null,
  };
}

/** What must be as it was, or results would stand in one table that are of different things. */
const SAME = ["system", "cpuModel", "cores", "clientNode"] as const;

/**
 * An earlier run of experiments with those that it finished: the one during which it was interrupted is not
 * among them.
 *
 * @throws {ResultsError} when there is none in the folder; {UserError} when another Evenbench or another
 *   machine made it.
 */
export async function readToResume(folder: string): Promise<ExperimentsRun> {
  const run = await readExperiments(folder);
  const machine = describeMachine(null);
  const other = SAME.find((fact) => run.machine[fact] !== machine[fact]);
  const difference =
    run.evenbenchVersion !== version
      ? `by Evenbench ${run.evenbenchVersion}, and this is ${version}`
      : other && `on another machine: ${run.machine[other]} instead of ${machine[other]}`;
  if (run.machine.coresApart !== null)
    throw new UserError(
      `The run in ${folder} kept a core for the client, and experiments share all cores now. Leave out --resume to begin a new one.`,
    );
  if (difference !== undefined)
    throw new UserError(
      `The run in ${folder} was made ${difference}. Leave out --resume to begin a new one.`,
    );
  return { ...run, results: run.results.filter(({ id }) => id !== run.unfinished) };
}

/**
 * What each experiment of a run that is gone on with may take: as much as each had before.
 *
 * @throws {UserError} when another time is asked for: results of two times in one table would not say so.
 */
function timeOfBoth({ timeMs }: ExperimentsRun, asked: number | undefined): number | undefined {
  if (asked === undefined || asked === timeMs) return timeMs ?? undefined;
  const before = timeMs === null ? "a time of its own" : formatDuration(timeMs);
  throw new UserError(
    `Each claim of that run had ${before}, and this asks for ${formatDuration(asked)}. Leave out --time, or leave out --resume to begin a new one.`,
  );
}
