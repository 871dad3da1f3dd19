import { randomInt } from "node:crypto";
import type { CaseManifest } from "@evenbench/core";
import type { LatencyCondition, LoadPlan, OfferedLoad } from "@evenbench/results";
import {
  comparisons,
  MEMORY_MS,
  type MeasuredTarget,
  type OpenFiles,
  type PreflightOutcome,
  runTargetOf,
  type Target,
  usualNeeds,
  WarmUpNeeds,
} from "@evenbench/runner";
import { sum } from "@evenbench/stats";
import { MAX_SEARCH_STEPS } from "./capacity.ts";
import type { LoadedTarget, LoadGoal, LoadOptions } from "./options.ts";
import { requestsFor } from "./stage-summary.ts";

/**
 * Default milliseconds for each case. A search takes its steps one after the other, and each must show a high
 * quantile.
 */
const TIME_MS = { sweep: 60_000, capacity: 120_000 } as const;
/** Default number of trials. */
const DEFAULT_TRIALS = 3;

/** Gives the milliseconds for each case: those of the options, else the default of the goal. */
export function timeOf({ timeMs, goal }: Pick<LoadOptions, "timeMs" | "goal">): number {
  return timeMs ?? TIME_MS[goal.kind];
}

/** The options that a load's plan is made of. */
type PlannedLoad = Pick<
  LoadOptions,
  "targets" | "cases" | "goal" | "trials" | "timeMs" | "seed" | "allow" | "memory"
> & {
  readonly engine?: LoadPlan["engine"];
};

/**
 * Makes the plan of a load, without the length of its stages: preflight has to be over for that.
 *
 * @throws {RunError} when there is nothing to load.
 */
export function firstPlan({ targets, goal, engine, ...options }: PlannedLoad): LoadPlan {
  const apps = comparisons({ targets, cases: options.cases });
  // Even the shortest stages of more than one trial would take longer.
  const isShort = (options.timeMs ?? Infinity) < lengthsPerTrial(goal, targets.length) * SHORTEST_STAGE_MS;
  return {
    cases: apps.flatMap(({ cases }) => cases),
    targets: targets.map((target) => {
      const { instances, workers } = target;
      return { ...runTargetOf(measuredAs(target)), instances, workers };
    }),
    loads: goal.kind === "sweep" ? goal.loads : [],
    condition: goal.kind === "capacity" ? goal.condition : null,
    trials: options.trials ?? (isShort ? 1 : DEFAULT_TRIALS),
    stageMs: 0,
    seed: options.seed ?? randomInt(2 ** 32),
    allowedPins: options.allow ?? [],
    engine: engine ? { name: engine.name, version: engine.version } : null,
    ...(options.memory === true && { memoryConnections: mostAtATime(goal) }),
  };
}

/** Most requests at a time while memory is read where a load is of rates: as many as a browser or two send. */
const MEMORY_CONNECTIONS = 8;

/** Gives the largest number of requests at a time of a sweep over these; the usual one for rates and capacities. */
function mostAtATime(goal: LoadGoal): number {
  const closed = goal.kind === "sweep" ? goal.loads.filter(({ kind }) => kind === "closed") : [];
  return closed.length === 0 ? MEMORY_CONNECTIONS : Math.max(...closed.map(({ connections }) => connections));
}

/**
 * Gives a target as the runner's warm-up and instances take it.
 *
 * @param name of its instance. Default: the target's own.
 */
export function measuredAs(target: Target, name = target.name): MeasuredTarget {
  return { name, target, copyOf: null };
}

/** Counts the processes of a target that answer requests. */
export function processesOf({ instances, workers }: LoadedTarget): number {
  return instances * workers;
}

/** The warm-up of a case's targets. */
export interface LoadNeeds {
  /** The knowledge of how many requests each needs. */
  readonly needs: WarmUpNeeds;
  /** Milliseconds from the start of all processes until each is warm. */
  readonly setUpMs: number;
  /** Milliseconds that the first process of each target costs beyond that, to find out what it needs. */
  readonly searchMs: number;
}

/** Estimates the warm-up of a case's targets: every process is warmed up by itself. */
export function needsOfCase(
  manifest: CaseManifest,
  targets: readonly LoadedTarget[],
  proved: Pick<PreflightOutcome, "identities" | "seen">,
): LoadNeeds {
  const seen = proved.seen[manifest.id] ?? { exchangeMs: {}, startMs: 0 };
  const measured = targets.map((target) => measuredAs(target));
  const needs = new WarmUpNeeds(usualNeeds(manifest, measured, proved.identities, proved.seen));
  const processes = targets.flatMap((target) =>
    new Array<MeasuredTarget>(processesOf(target)).fill(measuredAs(target)),
  );
  const { warmUpMs } = needs.costOf(processes, seen);
  const { searchMs } = needs.costOf(measured, seen);
  return { needs, setUpMs: seen.startMs + warmUpMs, searchMs };
}

/** Limits of a stage's length in milliseconds, whatever the time and the number of stages. */
const SHORTEST_STAGE_MS = 500;
const LONGEST_STAGE_MS = 30_000;
/**
 * k6 takes `startMs` milliseconds to start for each stage; stages shorter than `shortestStageMs` would be
 * mostly that.
 */
const K6 = { startMs: 3500, shortestStageMs: 1000 };
/**
 * Factor by which a stage of a capacity search may get longer at most, so that its quantile means something.
 */
const MAX_STRETCH = 4;

/**
 * Gives the usual length of a stage in milliseconds: the time that is left after starts and warm-up, in equal parts.
 */
export function stageMsOf(
  options: Pick<LoadOptions, "timeMs" | "goal" | "engine" | "targets">,
  trials: number,
  cases: readonly Pick<LoadNeeds, "setUpMs" | "searchMs">[],
): number {
  const lengths = lengthsPerTrial(options.goal, options.targets.length);
  const shares = cases.map(({ setUpMs, searchMs }) => {
    const trialMs = (timeOf(options) - searchMs) / trials;
    return (trialMs - setUpMs - engineMs(options)) / lengths;
  });
  const least = options.engine ? K6.shortestStageMs : SHORTEST_STAGE_MS;
  return Math.round(Math.max(least, Math.min(LONGEST_STAGE_MS, ...shares)));
}

/** Gives the milliseconds in a trial in which k6 starts. */
function engineMs({ goal, engine, targets }: Pick<LoadOptions, "goal" | "engine" | "targets">): number {
  return engine ? K6.startMs * stagesPerTrial(goal, targets.length) : 0;
}

/**
 * Gives the milliseconds that all cases of a load take at most as planned: the time that was asked for, or longer where
 * its stages cannot be as short as that.
 */
export function plannedMsOf(
  options: Pick<LoadOptions, "timeMs" | "goal" | "engine" | "targets">,
  { trials, stageMs, memoryConnections }: Pick<LoadPlan, "trials" | "stageMs" | "memoryConnections">,
  cases: readonly Pick<LoadNeeds, "setUpMs" | "searchMs">[],
): number {
  const { goal, targets } = options;
  const lengths =
    goal.kind === "sweep"
      ? lengthsPerTrial(goal, targets.length)
      : targets.length * (1 + MAX_SEARCH_STEPS * MAX_STRETCH);
  const stagesMs = lengths * stageMs + engineMs(options);
  const memoryMs = memoryConnections === undefined ? 0 : MEMORY_MS * targets.length;
  const ofCases = cases.map(({ setUpMs, searchMs }) => {
    return Math.max(timeOf(options), searchMs + trials * (setUpMs + stagesMs)) + memoryMs;
  });
  return sum(ofCases);
}

/** A load is ended once it took so many times as long as planned, and so many milliseconds more. */
const END = { times: 1.5, beyondMs: 30_000 } as const;
/** Longest delay of a timer of Node.js, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Gives the milliseconds after which a load is ended, from its first start on. @param plannedMs as `plannedMsOf` gives it. */
export function endsAfter(plannedMs: number): number {
  return Math.min(LONGEST_TIMER_MS, Math.round(END.times * plannedMs + END.beyondMs));
}

/** Counts the stages of one trial, at most. @param targets number of targets. */
export function stagesPerTrial(goal: LoadGoal, targets: number): number {
  return targets * (goal.kind === "sweep" ? goal.loads.length : 1 + MAX_SEARCH_STEPS);
}

/** Connections of a closed load that a stage of the usual length is long enough for. */
const CONNECTIONS_PER_LENGTH = 8;

/**
 * Gives the length of a load's stage, in usual ones. A high concurrency gets longer stages: each connection
 * is answered several times.
 */
export function stageLengthOf(load: OfferedLoad): number {
  return load.kind === "closed" ? Math.max(1, load.connections / CONNECTIONS_PER_LENGTH) : 1;
}

/** Adds up the lengths of one trial's stages, in usual ones. */
function lengthsPerTrial(goal: LoadGoal, targets: number): number {
  if (goal.kind === "capacity") {
    return stagesPerTrial(goal, targets);
  }
  return targets * goal.loads.reduce((sum, load) => sum + stageLengthOf(load), 0);
}

/**
 * Gives the length of a stage of a capacity search, in milliseconds. A quantile needs as many requests as `requestsFor`
 * says: at a low rate that takes longer.
 *
 * @param stageMs the usual length.
 * @param measuredShare fraction of a stage that is measured.
 */
export function stretchedTime(
  stageMs: number,
  perSecond: number,
  { quantile }: LatencyCondition,
  measuredShare: number,
): number {
  const neededMs = (1000 * requestsFor(quantile)) / perSecond / measuredShare;
  return Math.round(Math.min(Math.max(stageMs, neededMs), stageMs * MAX_STRETCH));
}

/**
 * Counts the files that a load has open at most. All targets keep their connections through a trial; those of
 * k6 are its own process's.
 */
export function openFilesOfLoad({
  targets,
  goal,
  engine,
}: Pick<LoadOptions, "targets" | "goal" | "engine">): OpenFiles {
  const ofLoads = goal.kind === "sweep" ? goal.loads.map((load) => load.connections) : [goal.connections];
  const most = engine ? 0 : Math.max(...ofLoads);
  const connections = targets.map((target) => Math.max(most, processesOf(target)));
  const local = targets.filter(({ place }) => place === "local");
  return { connections: sum(connections), processes: sum(local.map(({ instances }) => instances)) };
}
