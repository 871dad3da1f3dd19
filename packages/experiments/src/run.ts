import { randomInt } from "node:crypto";
import { dirname, join, relative } from "node:path";
import { formatDuration, type Identity, reasonOf } from "@evenbench/core";
import { version } from "@evenbench/host";
import { counted } from "@evenbench/page";
import {
  type AskedFor,
  createRunFolder,
  EXPERIMENTS_FILE,
  type ExperimentResult,
  type ExperimentsRun,
  type Outcome,
  readRun,
  writeJson,
} from "@evenbench/results";
import {
  deriveSeed,
  describeClockStep,
  type LocalTarget,
  type Progress,
  type ProgressReporter,
  progressReporter,
  type RegisteredRun,
  RunClock,
  registerRun,
} from "@evenbench/runner";
import { sum } from "@evenbench/stats";
import { compareSides, partsIn } from "./compare.ts";
import type { Bench, ComparisonPlan, Evidence, Experiment, LoadAnswer, Side, SideLoad } from "./define.ts";
import { decided } from "./judge.ts";
import { loadSides } from "./load-sides.ts";
import { createExperimentsPage, type ExperimentsPage } from "./page.ts";
import type { ComparisonResult } from "./side-results.ts";
import { buildSides, deployableOf, type SideBuildOptions, targetOfSide } from "./sides.ts";

/** Experiments to measure, and how. */
export interface ExperimentOptions extends SideBuildOptions {
  /** Milliseconds for each claim. Default: its own time. */
  readonly timeMs?: number;
  /** Number that all random order is made from: from 0 to 2^32 - 1. Default: random. */
  readonly seed?: number;
  /** The command line that asks for them, for the records. Default: none did. */
  readonly asked?: AskedFor;
  /** Folder for the run's own folder. */
  readonly out: string;
  onProgress?(progress: Progress): void;
}

/** The files and results of a run of experiments. */
export interface MeasuredClaims {
  readonly folder: string;
  readonly run: ExperimentsRun;
  /** The page of the run, and what it says in a terminal. */
  readonly page: ExperimentsPage;
  /** Ids of experiments of which a side, or all, could not be measured. */
  readonly partial: readonly string[];
}

/**
 * Measures experiments one after the other. Every finished one is written at once, so that a run that ends
 * early keeps what it measured.
 *
 * @throws {ResultsError} when the folder cannot be written.
 */
export async function runExperiments(options: ExperimentOptions): Promise<MeasuredClaims> {
  const { experiments, signal, onEvent, timeMs = null } = options;
  const times = experiments.map(({ timeS }) => timeMs ?? timeS * 1000);
  const { id: runId, folder } = await createRunFolder(options.out);
  onEvent?.(
    `${counted(experiments.length, "claim")}: about ${formatDuration(sum(times))} on a quiet machine, builds left out.`,
  );
  const missing = await buildSides(options);
  using claimed = registerRun();
  const clock = new RunClock();
  let run = emptyRecord(runId, options, clock.startedAt, claimed.machine);
  const progress = new ClaimProgress(options, times);
  const partial: string[] = [];
  const save = async () => {
    await writeJson(join(folder, EXPERIMENTS_FILE), run);
    return createExperimentsPage(folder, run);
  };
  const reportDisturbances = (): void => {
    for (const sentence of disturbances(claimed, clock)) {
      onEvent?.(sentence);
    }
  };
  reportDisturbances();
  for (const [index, experiment] of experiments.entries()) {
    if (signal.aborted) {
      break;
    }
    const { id } = experiment;
    const bench: Bench = {
      folder: join(folder, id),
      seed: deriveSeed(run.seed, id),
      asked: options.asked ?? {},
      signal,
      identities: [],
      tell({ message, quotes }) {
        if (quotes.length > 0) {
          onEvent?.(`${id}: ${message}`, quotes);
        }
      },
      targetOf: (side) => targetFor(side, id, options.targets, missing),
      progress: progress.begin(index),
    };
    const time = { ms: times[index] ?? 0, isGiven: timeMs !== null };
    const { result, isPartial } = await runExperiment(experiment, bench, time, clock.now());
    reportDisturbances();
    if (isPartial && !signal.aborted) {
      partial.push(id);
    }
    run = { ...run, results: [...run.results, result], unfinished: signal.aborted ? id : null };
    await save();
  }
  run = { ...run, status: signal.aborted ? "interrupted" : "complete", finishedAt: clock.now() };
  return { folder, run, page: await save(), partial };
}

function emptyRecord(
  id: string,
  { seed, timeMs, asked }: Pick<ExperimentOptions, "seed" | "timeMs" | "asked">,
  startedAt: string,
  machine: RegisteredRun["machine"],
): ExperimentsRun {
  return {
    schemaVersion: 3,
    id,
    startedAt,
    evenbenchVersion: version,
    ...asked,
    machine,
    seed: seed ?? randomInt(2 ** 32),
    timeMs: timeMs ?? null,
    results: [],
    status: "running",
    finishedAt: null,
    unfinished: null,
  };
}

/** Shows how far a run of experiments is. */
class ClaimProgress {
  readonly #ids: readonly string[];
  readonly #times: readonly number[];
  readonly #reporter: ProgressReporter;
  #index = 0;
  #since = performance.now();

  /** @param times the time of each experiment, in milliseconds. */
  constructor({ experiments, onProgress }: ExperimentOptions, times: readonly number[]) {
    this.#ids = experiments.map(({ id }) => id);
    this.#times = times;
    this.#reporter = progressReporter(onProgress, this.#ids, (now) => this.#leftMs(now));
  }

  /** Begins with an experiment, and gives what shows its progress. */
  begin(index: number): Bench["progress"] {
    this.#index = index;
    this.#since = performance.now();
    const id = this.#ids[index];
    return (what, at = MEASURING) => this.#reporter.show({ ...at, caseId: `${id}: ${what}` }, index);
  }

  #leftMs(now: number): number {
    const endsAt = this.#since + (this.#times[this.#index] ?? 0);
    return Math.max(0, endsAt - now) + sum(this.#times.slice(this.#index + 1));
  }
}

/** Lists what has happened on the machine since the last call and may disturb what is measured, a sentence each. */
function disturbances(claimed: RegisteredRun, clock: RunClock): readonly string[] {
  const others = claimed.newOthers();
  const stepMs = clock.newStepMs();
  return stepMs === null ? others : [...others, describeClockStep(stepMs)];
}

/**
 * Gives the target of a side.
 *
 * @param missing why some cannot be used.
 * @throws {Error} when it is one of them, or there is none.
 */
function targetFor(
  side: Side,
  experimentId: string,
  targets: readonly LocalTarget[],
  missing: ReadonlyMap<string, string>,
): LocalTarget {
  const target = targets.find(({ name }) => name === side.target);
  if (target === undefined) {
    throw new Error(`there is no target "${side.target}".`);
  }
  const why = missing.get(deployableOf(experimentId, side) ?? side.target);
  if (why !== undefined) {
    throw new Error(why);
  }
  return targetOfSide(experimentId, side, target);
}

/** Progress of what has no trials of its own. */
const MEASURING = { phase: "measure", trial: 0, trials: 1, roundIndex: 0 } as const;

interface MeasuredExperiment {
  readonly result: ExperimentResult;
  /** True where a side, or all, could not be measured: its build failed, or it did not start. */
  readonly isPartial: boolean;
}

interface ClaimTime {
  readonly ms: number;
  /** True where the user gave it: warm-up ends with it then, too. */
  readonly isGiven: boolean;
}

/** Measures one experiment, and decides. What goes wrong makes the verdict "unclear", with the reason. */
async function runExperiment(
  experiment: Experiment,
  bench: Bench,
  time: ClaimTime,
  startedAt: string,
): Promise<MeasuredExperiment> {
  const begun = performance.now();
  const { id, title, claim, source, published } = experiment;
  const shell = { id, title, claim, source, published, startedAt };
  const comparisons: ComparisonResult[] = [];
  const versions = () => versionsOf(bench.identities, comparisons);
  let loads: readonly string[] = [];
  let outcome: Outcome;
  let hasFailed = false;
  try {
    const measured = await measureParts(experiment, bench, time, comparisons);
    loads = Object.values(measured.loads).map((load) => relative(dirname(bench.folder), load.folder));
    const byId = Object.fromEntries(comparisons.map((comparison) => [comparison.id, comparison]));
    outcome = decided(experiment, { comparisons: byId, ...measured, versions: versions() });
  } catch (error) {
    hasFailed = true;
    const why = reasonOf(error);
    bench.tell(why);
    outcome = { verdict: "unclear", reason: `It could not be measured: ${why.message}`, figures: [] };
  }
  const durationMs = performance.now() - begun;
  const recorded = comparisons.map(({ sides, contrasts, ...comparison }) => comparison);
  return {
    result: { ...shell, ...outcome, comparisons: recorded, loads, versions: versions(), durationMs },
    isPartial: hasFailed || comparisons.some(({ unmeasured }) => unmeasured.length > 0),
  };
}

/**
 * Measures an experiment's comparisons, which it puts into `comparisons` at once, its loads, and its own `measure`.
 *
 * @throws {Error} where it was interrupted.
 */
async function measureParts(
  experiment: Experiment,
  bench: Bench,
  { ms: timeMs, isGiven }: ClaimTime,
  comparisons: ComparisonResult[],
): Promise<Pick<Evidence<unknown>, "loads" | "measured">> {
  const endsAt = performance.now() + timeMs;
  const { loads = [], figures = [], timeBesideComparisons = 0 } = experiment;
  const plans = besideFirst(experiment);
  const besideMs = timeMs * timeBesideComparisons;
  for (const [index, plan] of plans.entries()) {
    const leftMs = endsAt - besideMs - performance.now();
    // The least trials of one comparison may take longer than its part: that is not taken from the others.
    const partMs = Math.max(
      timeOfComparison(plan, plans.slice(index), leftMs),
      timeOfComparison(plan, plans, timeMs - besideMs),
    );
    const time = isGiven ? { timeMs: partMs } : { totalMs: partMs };
    const known = Object.fromEntries(comparisons.map((comparison) => [comparison.id, comparison]));
    comparisons.push(await compareSides(plan, bench, time, { figures, known }));
    refuseInterrupted(bench);
  }
  const leftMs = Math.max(besideMs, endsAt - performance.now());
  const loaded: Record<string, LoadAnswer> = {};
  for (const load of loads) {
    loaded[load.id] = await loadSides(
      bench,
      load,
      (leftMs * weightOfLoad(load)) / sum(loads.map(weightOfLoad)),
    );
    refuseInterrupted(bench);
  }
  const measured = await experiment.measure?.({
    ...bench,
    timeMs: leftMs,
    async samplesOf(id) {
      if (!comparisons.some((comparison) => comparison.id === id && comparison.sides.length > 0)) {
        return [];
      }
      const { samples } = await readRun(join(bench.folder, id));
      return [...samples].filter(({ phase }) => phase === "measure");
    },
  });
  refuseInterrupted(bench);
  return { loads: loaded, measured };
}

/**
 * Orders comparisons: those that no part of the claim asks for come first, so that the time which they leave goes to
 * its parts.
 */
export function besideFirst({
  comparisons = [],
  figures = [],
}: Pick<Experiment, "comparisons" | "figures">): readonly ComparisonPlan[] {
  return comparisons.toSorted(
    (a, b) => Number(partsIn(a, figures).length > 0) - Number(partsIn(b, figures).length > 0),
  );
}

/** Throws where the run was interrupted: a part of what was to be measured gives no verdict. */
function refuseInterrupted({ signal }: Bench): void {
  if (signal.aborted) {
    throw new Error("it was interrupted.");
  }
}

/** Gives the part of `ms` that one of `plans` has by its weight. */
function timeOfComparison(plan: ComparisonPlan, plans: readonly ComparisonPlan[], ms: number): number {
  return (ms * weightOfComparison(plan)) / sum(plans.map(weightOfComparison));
}

/** Gives a comparison's weight; by default its exchanges in a round, with those of the first side's copy. */
function weightOfComparison({ weight, sides }: ComparisonPlan): number {
  return weight ?? sides.length + 1;
}

function weightOfLoad({ weight }: SideLoad): number {
  return weight ?? 1;
}

/** Names of frameworks, by the pin that has the version. */
const FRAMEWORKS: Readonly<Record<string, string>> = { next: "Next.js", react: "React in Next.js" };

/** A version as an identity gives it; null or undefined where it gives none. */
interface IdentityVersion {
  readonly name: string;
  readonly version: string | null | undefined;
}

/** Collects the versions of what took part, by name ("V8 in Node.js"), from the identities of the sides. */
function versionsOf(
  identities: readonly Identity[],
  comparisons: readonly ComparisonResult[],
): Record<string, string> {
  const names = {
    ...FRAMEWORKS,
    ...Object.fromEntries(comparisons.map(({ caseId }) => [`${caseId}.react`, `React in ${caseId}`])),
  };
  const found: IdentityVersion[] = [];
  for (const { pins, facts, platform } of identities) {
    const [runtime = "", version] = facts.runtime?.split(" ") ?? [];
    found.push({ name: runtime, version });
    if (version !== undefined) {
      found.push({ name: `V8 in ${runtime}`, version: facts.v8 });
    }
    found.push({ name: `adapter on ${platform}`, version: facts.adapter });
    for (const [pin, name] of Object.entries(names)) {
      found.push({ name, version: pins[pin] });
    }
  }
  const known = found.filter(({ version }) => version != null);
  // Sides may be served by different versions.
  return Object.fromEntries(
    [...Map.groupBy(known, ({ name }) => name)].map(([name, same]) => [
      name,
      [...new Set(same.map(({ version }) => version))].join(" and "),
    ]),
  );
}
