// From samples to one value for each instance, its cell: samples, then times by round, then cells.
import type { Metric, Sample } from "@evenbench/results";
import { type Cell, fitTwoWay } from "./model.ts";
import { interquartileMean, logMs, type MsByRound, mean, medianOfRounds } from "./numbers.ts";
import { RoundTimes } from "./round-times.ts";
import { type WarmInstances, type WhyCold, warmthOf } from "./warmth.ts";

/** The number of a target's trials from which on a comparison has an interval: one trial has no variance. */
export const TRIALS_FOR_INTERVAL = 2;

/** The number of rounds from which on a trial counts: with fewer a single slow request decides the trial's value. */
export const ROUNDS_FOR_TRIAL = 3;

/** The time of one target in one round. */
export interface RoundValue {
  readonly target: string;
  /** Index of the trial, from 0; or the number of a cold start's repetition. */
  readonly trial: number;
  /** Index of the round within its trial, from 0. */
  readonly round: number;
  /** The time, in milliseconds. */
  readonly ms: number;
}

/** Which instance something belongs to: every trial starts one of each target. */
export interface InstanceKey {
  readonly target: string;
  readonly trial: number;
}

/** The times of one instance of a target, without its failed requests. */
export interface InstanceTimes extends InstanceKey {
  readonly rounds: MsByRound;
}

/** An instance as one value. Its block is its trial, or the repetition of a cold start. */
export interface InstanceCell extends Cell {
  readonly block: number;
  /** The number of rounds that the value was made from. */
  readonly rounds: number;
  /** Logarithm of the median of its rounds, or of their mean where that was asked for, in log milliseconds. */
  readonly logMs: number;
  /** Why it was not warm; null where it was. */
  readonly cold: WhyCold | null;
}

type InstancesByMetric = Readonly<Record<Metric, readonly InstanceTimes[]>>;

/** The instances that were made of a list of samples, and its length then. */
interface MadeInstances {
  readonly length: number;
  /** Instances by their case and phase, once somebody asked for them. */
  readonly byQuestion: Map<string, InstancesByMetric>;
}

/** Several questions are asked of the same samples, and of millions of these each answer takes its time. */
const made = new WeakMap<readonly Sample[], MadeInstances>();

/**
 * Collects what each instance took in one case. Failed samples are not used. Nor are those of a process that
 * was replaced within its trial: the one after it was warmed up anew, so that they stand before the trial's
 * last warm-up.
 *
 * @param samples of any cases and phases. It may get longer from call to call, and does not change otherwise.
 * @param phase whose samples are collected.
 * @returns target by target, trials and rounds ascending.
 */
export function instancesOf(
  samples: readonly Sample[],
  caseId: string,
  metric: Metric,
  phase: Sample["phase"] = "measure",
): readonly InstanceTimes[] {
  let known = made.get(samples);
  if (known?.length !== samples.length) {
    known = { length: samples.length, byQuestion: new Map() };
    made.set(samples, known);
  }
  const question = `${phase} ${caseId}`;
  let instances = known.byQuestion.get(question);
  if (instances === undefined) {
    instances = collectInstances(samples, caseId, phase);
    known.byQuestion.set(question, instances);
  }
  return instances[metric];
}

/** Collects all metrics at once: what is asked of one is asked of the others, too. */
function collectInstances(
  samples: readonly Sample[],
  caseId: string,
  phase: Sample["phase"],
): InstancesByMetric {
  const warmSince = phase === "measure" ? lastWarmUps(samples, caseId) : new Map<string, never>();
  const grouped = new ByInstance((): GrowingMetrics => {
    return { rounds: [], firstByteMs: [], lastByteMs: [], cpuMs: [] };
  });
  for (const sample of samples) {
    if (sample.phase !== phase || sample.caseId !== caseId || sample.error !== null) {
      continue;
    }
    const { target, trial } = sample;
    if (sample.startedAtMs < (warmSince.get(target)?.get(trial) ?? 0)) {
      continue;
    }
    const metrics = grouped.of(target, trial);
    metrics.rounds.push(sample.roundIndex);
    metrics.firstByteMs.push(sample.firstByteMs ?? Number.NaN);
    metrics.lastByteMs.push(sample.lastByteMs ?? Number.NaN);
    metrics.cpuMs.push(sample.cpuMs ?? Number.NaN);
  }
  const all = grouped
    .all()
    .map(({ target, trial, kept }) => ({ target, trial, kept, rounds: new Float64Array(kept.rounds) }));
  const instancesBy = (metric: Metric): readonly InstanceTimes[] =>
    all
      .map(({ target, trial, kept, rounds }) => ({ target, trial, rounds: knownTimes(rounds, kept[metric]) }))
      .filter(({ rounds }) => rounds.size > 0);
  return {
    firstByteMs: instancesBy("firstByteMs"),
    lastByteMs: instancesBy("lastByteMs"),
    cpuMs: instancesBy("cpuMs"),
  };
}

/** The rounds of one instance as they come, and each metric of them in milliseconds: NaN where it is not known. */
interface GrowingMetrics extends Readonly<Record<Metric, number[]>> {
  readonly rounds: number[];
}

/** Puts the rounds whose time is known in order. @param ms the time of each of `rounds`; NaN where it is not known. */
function knownTimes(rounds: Float64Array, ms: readonly number[]): MsByRound {
  if (!ms.some(Number.isNaN)) {
    return RoundTimes.from(rounds, ms);
  }
  const isKnown = (_: number, index: number) => !Number.isNaN(ms[index]);
  return RoundTimes.from(rounds.filter(isKnown), ms.filter(isKnown));
}

/**
 * When the last request of each instance's warm-up was sent, in milliseconds since the start of the run, by target and
 * trial.
 */
function lastWarmUps(
  samples: readonly Sample[],
  caseId: string,
): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const last = new Map<string, Map<number, number>>();
  for (const sample of samples) {
    if (sample.phase !== "warmup" || sample.caseId !== caseId) {
      continue;
    }
    const ofTarget = last.get(sample.target) ?? new Map<number, number>();
    last.set(sample.target, ofTarget);
    ofTarget.set(sample.trial, Math.max(ofTarget.get(sample.trial) ?? 0, sample.startedAtMs));
  }
  return last;
}

interface GrowingTimes {
  readonly rounds: number[];
  /** The time of each round, in milliseconds. */
  readonly ms: number[];
}

/** A collection that keeps something for each instance, such as a list of its values as they come. */
class ByInstance<Kept> {
  readonly #targets = new Map<string, Map<number, Kept>>();
  readonly #begin: () => Kept;

  /** @param begin makes what is kept of an instance before its first value. */
  constructor(begin: () => Kept) {
    this.#begin = begin;
  }

  of(target: string, trial: number): Kept {
    let trials = this.#targets.get(target);
    if (trials === undefined) {
      trials = new Map();
      this.#targets.set(target, trials);
    }
    let kept = trials.get(trial);
    if (kept === undefined) {
      kept = this.#begin();
      trials.set(trial, kept);
    }
    return kept;
  }

  /** Lists what is kept target by target, trials ascending. */
  all(): readonly (InstanceKey & { readonly kept: Kept })[] {
    return [...this.#targets].flatMap(([target, trials]) =>
      [...trials].sort(([a], [b]) => a - b).map(([trial, kept]) => ({ target, trial, kept })),
    );
  }
}

/** Groups values by their instances: target by target, trials and rounds ascending. */
export function byInstance(values: readonly RoundValue[]): readonly InstanceTimes[] {
  const grouped = new ByInstance((): GrowingTimes => ({ rounds: [], ms: [] }));
  for (const { target, trial, round, ms } of values) {
    const times = grouped.of(target, trial);
    times.rounds.push(round);
    times.ms.push(ms);
  }
  return grouped
    .all()
    .map(({ target, trial, kept }) => ({ target, trial, rounds: RoundTimes.from(kept.rounds, kept.ms) }));
}

/** Copies the times of some instances into one array, in their order, in milliseconds. */
export function timesOf(instances: readonly InstanceTimes[]): Float64Array {
  const count = instances.reduce((total, { rounds }) => total + rounds.size, 0);
  const times = new Float64Array(count);
  let length = 0;
  for (const { rounds } of instances) {
    for (const ms of rounds.values()) {
      times[length] = ms;
      length += 1;
    }
  }
  return times;
}

/** Finds what belongs to an instance; undefined where nothing does. */
export function instanceIn<Found extends InstanceKey>(
  all: readonly Found[],
  { target, trial }: InstanceKey,
): Found | undefined {
  return all.find((instance) => instance.target === target && instance.trial === trial);
}

/** The value that stands for the rounds of an instance: the middle of them, or the mean of all. */
type RoundLevel = "middle" | "mean";

interface CellOptions {
  /** Which instances were warm. Default: all. */
  readonly warm?: WarmInstances | undefined;
  /** Instances with fewer rounds have no cell. Default: `ROUNDS_FOR_TRIAL`. */
  readonly minimumRounds?: number;
  /** The value that stands for the rounds of an instance. Default: their middle. */
  readonly level?: RoundLevel;
}

/** An instance with enough rounds, and whether it was warm. */
interface JudgedInstance extends InstanceTimes {
  readonly cold: WhyCold | null;
}

/**
 * Makes one value of each instance.
 *
 * CPU time is summarised by the mean of all rounds: what is paid is the sum, and of the two levels that a collector
 * makes which works in every second or third request, a middle says one. Times are summarised by their middle, which a
 * single wait does not move. There, if all targets of a trial share enough rounds with its warm ones, each round's
 * logarithm is taken less the mean of the warm targets in the same round, so that a trial whose speed changes on the
 * way moves none of them; the value is the mean of the middle half of these. Elsewhere it is the logarithm of the
 * instance's median.
 *
 * @param targets whose instances are used; the others are left out.
 * @returns trial by trial, in the order of `targets`.
 */
export function instanceCells(
  instances: readonly InstanceTimes[],
  targets: readonly string[],
  { warm, minimumRounds = ROUNDS_FOR_TRIAL, level = "middle" }: CellOptions = {},
): readonly InstanceCell[] {
  const asked = targets.flatMap((name) => instances.filter(({ target }) => target === name));
  const cells: InstanceCell[] = [];
  for (const ofTrial of Map.groupBy(asked, ({ trial }) => trial).values()) {
    const withEnough = ofTrial.filter(({ rounds }) => rounds.size >= minimumRounds);
    const judged = withEnough.map((instance) => withWarmth(instance, warm));
    cells.push(...(level === "mean" ? judged.map(meanCell) : cellsOfTrial(judged, minimumRounds)));
  }
  return cells;
}

function withWarmth(instance: InstanceTimes, warm: WarmInstances | undefined): JudgedInstance {
  return { ...instance, cold: warmthOf(warm, instance.target, instance.trial) };
}

function cellsOfTrial(instances: readonly JudgedInstance[], minimumRounds: number): readonly InstanceCell[] {
  const warm = instances.filter(({ cold }) => cold === null);
  const means = meansOfSharedRounds(warm.map(({ rounds }) => rounds));
  const placed = instances.map((instance) => ({
    instance,
    relative: relativeTo(means, instance.rounds),
  }));
  const areShared = placed.every(({ relative }) => relative.length >= minimumRounds);
  return placed.map(({ instance, relative }): InstanceCell => {
    const { target, trial, rounds, cold } = instance;
    const medianLog = logMs(medianOfRounds(rounds));
    return {
      target,
      block: trial,
      rounds: rounds.size,
      logMs: medianLog,
      value: areShared ? interquartileMean(relative) : medianLog,
      cold,
    };
  });
}

function meanCell({ target, trial, rounds, cold }: JudgedInstance): InstanceCell {
  const meanLog = logMs(mean(Float64Array.from(rounds.values())));
  return { target, block: trial, rounds: rounds.size, logMs: meanLog, value: meanLog, cold };
}

/** Computes the mean logarithm of all instances in each round that all of them have. */
function meansOfSharedRounds(all: readonly MsByRound[]): MsByRound {
  const shared: number[] = [];
  const means: number[] = [];
  for (const round of all[0]?.keys() ?? []) {
    const logs = logsOf(all, round);
    if (logs.length === all.length) {
      shared.push(round);
      means.push(mean(logs));
    }
  }
  return RoundTimes.from(shared, means);
}

function logsOf(all: readonly MsByRound[], round: number): readonly number[] {
  const logs: number[] = [];
  for (const rounds of all) {
    const ms = rounds.get(round);
    if (ms !== undefined) {
      logs.push(logMs(ms));
    }
  }
  return logs;
}

/** The logarithms of those rounds that have a mean, less that mean. */
function relativeTo(means: MsByRound, rounds: MsByRound): readonly number[] {
  const relative: number[] = [];
  for (const [round, meanLog] of means) {
    const ms = rounds.get(round);
    if (ms !== undefined) {
      relative.push(logMs(ms) - meanLog);
    }
  }
  return relative;
}

/**
 * How much a cell's value varies because its instance answered no more rounds: the two halves of its rounds
 * against each other, what moves all targets of a trial taken out.
 *
 * @returns a variance in squared log units; null where no trial says it.
 */
export function varianceOfRounds(
  instances: readonly InstanceTimes[],
  targets: readonly string[],
): number | null {
  const first = instanceCells(
    instances.map((instance) => withRoundsOf(instance, firstHalf)),
    targets,
  );
  const second = instanceCells(
    instances.map((instance) => withRoundsOf(instance, secondHalf)),
    targets,
  );
  const differences: Cell[] = [];
  for (const { block, target, value } of first) {
    const other = second.find((cell) => cell.block === block && cell.target === target);
    if (other !== undefined) {
      differences.push({ target: "all", block, value: value - other.value });
    }
  }
  const { variance, freedom } = fitTwoWay(differences);
  // The difference of two halves varies twice as much as a half, and a half twice as much as the whole.
  return freedom === 0 ? null : variance / 4;
}

function withRoundsOf(instance: InstanceTimes, part: (rounds: MsByRound) => MsByRound): InstanceTimes {
  return { ...instance, rounds: part(instance.rounds) };
}

function firstHalf(rounds: MsByRound): MsByRound {
  return new Map([...rounds].slice(0, Math.floor(rounds.size / 2)));
}

function secondHalf(rounds: MsByRound): MsByRound {
  return new Map([...rounds].slice(Math.floor(rounds.size / 2)));
}

/** How many trials of a target were not warm, and why the first of them was not. */
export interface ColdTarget {
  readonly coldTrials: number;
  readonly trials: number;
  readonly first: WhyCold;
}

/**
 * Finds the targets without a verdict, since too few of their trials were warm: fewer than `TRIALS_FOR_INTERVAL`, or
 * than half. It is the one rule for warm.
 *
 * @returns by target, why.
 */
export function coldTargets(
  cells: readonly Pick<InstanceCell, "target" | "cold">[],
): ReadonlyMap<string, ColdTarget> {
  const found = new Map<string, ColdTarget>();
  for (const [target, ofTarget] of Map.groupBy(cells, (cell) => cell.target)) {
    const cold = ofTarget.flatMap((cell) => cell.cold ?? []);
    const [first] = cold;
    const warmTrials = ofTarget.length - cold.length;
    const isWarmEnough = warmTrials >= Math.max(TRIALS_FOR_INTERVAL, ofTarget.length / 2);
    if (first !== undefined && !isWarmEnough) {
      found.set(target, { coldTrials: cold.length, trials: ofTarget.length, first });
    }
  }
  return found;
}
