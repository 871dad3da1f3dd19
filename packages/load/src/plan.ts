import { randomInt } from "node:crypto";
import type { LatencyCondition, LoadPlan, OfferedLoad } from "@evenbench/results";
import { appIdOf, RunError } from "@evenbench/runner";
import { type ConnectionWarmUp, runTargetOf } from "@evenbench/runner/engine";
import type { LoadGoal, LoadOptions } from "./options.ts";
import type { CaseNeeds } from "./session.ts";

/** Time for each case. A search takes its steps one after the other, and each must show a high quantile. */
const TIME_MS = { sweep: 60_000, capacity: 120_000 } as const;

export function timeOf({ timeMs, goal }: LoadOptions): number {
  return timeMs ?? TIME_MS[goal.kind];
}

export function firstPlan({ targets, cases, goal, ...options }: LoadOptions): LoadPlan {
  const all = Object.entries(cases).flatMap(([app, own]) => own.map((manifest) => ({ app, manifest })));
  if (all.length === 0) throw new RunError("There is nothing to load: no case was given.");
  const unserved = all.find(({ app }) => targets.every(({ target }) => appIdOf(target) !== app));
  if (unserved !== undefined)
    throw new RunError(`There is nothing to load: no target serves "${unserved.manifest.id}".`);
  return {
    cases: all.map(({ manifest }) => manifest),
    targets: targets.map(({ target, ...choice }) => ({
      ...choice,
      target: runTargetOf({ name: choice.name, target, copyOf: null }),
    })),
    loads: goal.kind === "sweep" ? goal.loads : [],
    condition: goal.kind === "capacity" ? goal.condition : null,
    trials: options.trials ?? trialsWithin(options.timeMs, lengthsPerTrial(goal, targets.length)),
    stageMs: 0,
    seed: options.seed ?? randomInt(2 ** 32),
    allowedPins: options.allow ?? [],
    engine: options.engine ? { name: options.engine.name, version: options.engine.version } : null,
  };
}

export function stageMsOf(options: LoadOptions, trials: number, cases: readonly CaseNeeds[]): number {
  const engineMs = (options.engine?.startMs ?? 0) * stagesPerTrial(options.goal, options.targets.length);
  const times = cases.map(({ setUpMs, searchMs }) =>
    stageTime({
      timeMs: timeOf(options),
      trials,
      lengthsPerTrial: lengthsPerTrial(options.goal, options.targets.length),
      setUpMs: setUpMs + engineMs,
      searchMs,
    }),
  );
  return Math.max(options.engine?.leastStageMs ?? 0, Math.min(...times));
}

const TRIALS = 3;

const SHORTEST_STAGE_MS = 500;
const LONGEST_STAGE_MS = 30_000;
/** A stage of a capacity search may get so many times longer, so that its quantile means something. */
const LONGEST_STRETCH = 4;

export interface StageBudget {
  readonly timeMs: number;
  readonly trials: number;
  readonly lengthsPerTrial: number;
  readonly setUpMs: number;
  /** What the first one costs beyond that, because it is still to be found out what the instances need. */
  readonly searchMs: number;
}

export const MOST_STEPS = 8;

export function stagesPerTrial(goal: LoadGoal, targets: number): number {
  return targets * (goal.kind === "sweep" ? goal.loads.length : 1 + MOST_STEPS);
}

const CONNECTIONS_PER_LENGTH = 8;

export function lengthOf(load: OfferedLoad): number {
  return load.kind === "closed" ? Math.max(1, load.connections / CONNECTIONS_PER_LENGTH) : 1;
}

function lengthsPerTrial(goal: LoadGoal, targets: number): number {
  if (goal.kind === "capacity") return stagesPerTrial(goal, targets);
  return targets * goal.loads.reduce((sum, load) => sum + lengthOf(load), 0);
}

export function trialsWithin(timeMs: number | undefined, lengths: number): number {
  return timeMs !== undefined && timeMs < lengths * SHORTEST_STAGE_MS ? 1 : TRIALS;
}

export function stageTime({ timeMs, trials, lengthsPerTrial, setUpMs, searchMs }: StageBudget): number {
  const share = ((timeMs - searchMs) / trials - setUpMs) / lengthsPerTrial;
  return Math.round(Math.min(Math.max(share, SHORTEST_STAGE_MS), LONGEST_STAGE_MS));
}

/**
 * A quantile needs at least 1 / (1 - p) exchanges, or it is the largest one: a stage at a low rate gets
 * longer for that, within bounds.
 */
export function stretchedTime(
  stageMs: number,
  perSecond: number,
  { quantile }: LatencyCondition,
  measuredShare: number,
): number {
  const neededMs = (1000 * Math.ceil(1 / (1 - quantile))) / perSecond / measuredShare;
  return Math.round(Math.min(Math.max(stageMs, neededMs), stageMs * LONGEST_STRETCH));
}

/** Of what is left of a case's time: so much may go into the warm-up of one trial. */
const WARM_UP_SHARE = 0.5;
const LEAST_WARM_UP_MS = 1500;

export function warmUpShares(caseEndsAt: number, connections: number, now = () => performance.now()) {
  const endsAt = now() + (caseEndsAt - now()) * WARM_UP_SHARE;
  let left = connections;
  return (): number => {
    const shareMs = (endsAt - now()) / Math.max(1, left);
    left -= 1;
    return now() + Math.max(LEAST_WARM_UP_MS, shareMs);
  };
}

export function describeShortWarmUp({ exchanges, needed, error }: ConnectionWarmUp): string {
  const came =
    needed === null
      ? `${exchanges} requests, too few to find out how many it needs`
      : `${exchanges} of the ${needed} requests that it needs`;
  return error === null
    ? `its time ended its warm-up after ${came}. More time for the load warms it up.`
    : `a failed request (${error.kind}: ${error.detail}) ended its warm-up after ${came}.`;
}
