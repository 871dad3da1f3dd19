import { randomInt } from "node:crypto";
import { join } from "node:path";
import { formatDuration } from "@evenbench/core";
import { version } from "@evenbench/host";
import { counted } from "@evenbench/report/parts";
import { createRunFolder, EXPERIMENTS_FILE, type ExperimentsRun, writeJson } from "@evenbench/results";
import { claimMachine, deriveSeed, type Progress, progressReporter } from "@evenbench/runner";
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
  onProgress?(progress: Progress): void;
}

/**
 * Every finished experiment is written at once, so that a run that ends early keeps what it measured.
 *
 * @throws {ResultsError} when the folder cannot be written.
 */
export async function runExperiments(options: ExperimentOptions) {
  const { experiments, targets, signal, onEvent, timeMs = null } = options;
  const times = experiments.map(({ timeS }) => timeMs ?? timeS * 1000);
  const leftAfter = (done: number) => sum(times.slice(done));
  const { id: runId, folder } = await createRunFolder(options.out);
  onEvent?.(
    `${counted(experiments.length, "claim")}: about ${formatDuration(leftAfter(0))} on a quiet machine, builds left out.`,
  );
  const missing = await buildSides(options);
  using claimed = claimMachine();
  let run: ExperimentsRun = {
    ...{ schemaVersion: 2, id: runId, startedAt: new Date().toISOString() },
    ...{ evenbenchVersion: version, machine: claimed.machine, seed: options.seed ?? randomInt(2 ** 32) },
    ...{ timeMs, results: [], status: "running", finishedAt: null, unfinished: null },
  };
  let current = { index: 0, since: performance.now() };
  const ids = experiments.map(({ id }) => id);
  const reporter = progressReporter(options.onProgress, ids, (now) => {
    const { index, since } = current;
    return Math.max(0, since + (times[index] ?? 0) - now) + leftAfter(index + 1);
  });
  const save = async () => {
    await writeJson(join(folder, EXPERIMENTS_FILE), run);
    return createExperimentsPage(folder, run);
  };
  const tellOthers = (): void => {
    for (const sentence of claimed.newOthers()) onEvent?.(sentence);
  };
  tellOthers();
  for (const [index, experiment] of experiments.entries()) {
    if (signal.aborted) break;
    current = { index, since: performance.now() };
    const { id } = experiment;
    const bench: Bench = {
      ...{ folder: join(folder, id), seed: deriveSeed(run.seed, id), signal, identities: [] },
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
  return { folder, run, page: await save() };
}

const MEASURING = { phase: "measure", trial: 0, trials: 1, roundIndex: 0 } as const;
