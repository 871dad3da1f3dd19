import { randomInt } from "node:crypto";
import { type Identity, OWN_SERVER_APP, openRecord, recordOfPlatform } from "@evenbench/core";
import { discoverPlatforms } from "@evenbench/host";
import { MAX_CASES, MAX_TARGETS, planSettings, type RunPlan, type RunTarget } from "@evenbench/results";
import { sum } from "@evenbench/stats";
import { comparisons } from "./comparisons.ts";
import { RunError, type RunOptions } from "./options.ts";
import { runTargetOf } from "./targets.ts";
import { MIN_ROUNDS, trialMs } from "./trial-time.ts";
import type { CaseCost } from "./warm-up-needs.ts";

/** Number of trials that every case has, unless the user asks for another one. */
export const MIN_TRIALS = 3;
/** Number of trials that a case has at most while a comparison is undecided. */
const MAX_TRIALS = 10;

/**
 * Time of a run while comparisons are undecided, in milliseconds: for any case, and for each. The seven cases of a
 * usual run have about four minutes together, and a single one has one.
 */
const USUAL_TIME = { anyMs: 30_000, eachMs: 31_000 };

/**
 * Every n-th body of a warm-up is checked by its digest if it differs from the one before; the first one
 * always is.
 */
export const DIGEST_EVERY = 20;

/**
 * Computes the time in milliseconds that cases share while comparisons are undecided, where nobody asked for a time.
 *
 * @param cases their number.
 */
export function usualTotal(cases: number): number {
  return USUAL_TIME.anyMs + cases * USUAL_TIME.eachMs;
}

/** Expected times of one trial, by case id. */
type Costs = Readonly<Record<string, CaseCost>>;

/**
 * Makes the plan of a run whose preflight has shown what trials cost: `firstRunPlan` with a time limit for each case.
 *
 * @throws {RunError} as `firstRunPlan` does.
 */
export function runPlanOf(options: RunOptions, costs: Costs): RunPlan {
  const plan = firstRunPlan(options);
  return { ...plan, caseLimitMs: timeLimitsOf(plan, costs, options) };
}

/**
 * Makes the plan of a run before its preflight: times are not known yet.
 *
 * @throws {RunError} if there is nothing to measure, or too much for one run.
 */
export function firstRunPlan(options: RunOptions): RunPlan {
  const compared = comparisons(options);
  const cases = compared.flatMap((comparison) => comparison.cases);
  const targets = compared.flatMap(({ measuredTargets }) => measuredTargets.map(runTargetOf));
  if (targets.length > MAX_TARGETS || cases.length > MAX_CASES) {
    throw new RunError(
      `A run has at most ${MAX_TARGETS} targets, A/A copies among them, and ${MAX_CASES} cases: these are ${targets.length} and ${cases.length}. Measure them in several runs.`,
    );
  }
  return {
    cases,
    targets,
    seed: options.seed ?? randomInt(2 ** 32),
    caseLimitMs: openRecord(),
    trials: { minimum: MIN_TRIALS, maximum: options.mostTrials ?? MAX_TRIALS },
    spacing: options.spacing ?? 1,
    pauseMs: options.pauseMs ?? 0,
    digestEvery: DIGEST_EVERY,
    ...planSettings(options),
    ...(options.ownApp && { ownApp: options.ownApp }),
    ...(options.sameWork && options.sameWork !== "proven" && { sameWork: options.sameWork }),
  };
}

/** The shortest time of a case in which all of its trials are warm. */
interface ShortestTime {
  readonly caseId: string;
  /** Expected time of its search and its smallest number of trials, in milliseconds. */
  readonly ms: number;
}

/**
 * Computes the shortest time of each case.
 *
 * @param rounds number of rounds in a trial; null: as many as it usually has.
 */
function shortestTimes(
  { trials: { minimum } }: RunPlan,
  costs: Costs,
  rounds: number | null,
): readonly ShortestTime[] {
  return Object.entries(costs).map(([caseId, cost]) => ({
    caseId,
    ms: cost.searchMs + minimum * trialMs(cost, rounds),
  }));
}

/** Time limits by case id, in milliseconds; none where nobody asked for a time. */
function timeLimitsOf(
  plan: RunPlan,
  costs: Costs,
  { timeMs = null, totalMs, sides = false }: RunOptions,
): Record<string, number> {
  if (timeMs !== null) {
    return openRecord(plan.cases.map(({ id }) => [id, timeMs] as const));
  }
  // Sides that nobody gave a time have three warm trials in any case.
  if (totalMs === undefined || sides) {
    return openRecord();
  }
  const shortest = shortestTimes(plan, costs, plan.roundsPerTrial);
  const allMs = sum(shortest.map(({ ms }) => ms));
  const shareOf = (ms: number) => (allMs > 0 ? ms / allMs : 1 / shortest.length);
  return openRecord(shortest.map(({ caseId, ms }) => [caseId, Math.round(totalMs * shareOf(ms))] as const));
}

/**
 * A time that is named as long enough is this many times what was expected: costs differ from one preflight
 * to the next, and whoever gives it is not to be refused again.
 */
const NEEDED_TIME_FACTOR = 1.25;

/**
 * Gives times that would be long enough for warm trials, in milliseconds, by id of each case whose time is not, by what
 * trials are expected to cost.
 */
export function neededTimes(plan: RunPlan, costs: Costs): Readonly<Record<string, number>> {
  // Who says how many requests warm an instance up asks for nothing that could be missed.
  if (plan.warmUpExchanges !== null) {
    return {};
  }
  const tooShort = shortestTimes(plan, costs, plan.roundsPerTrial ?? MIN_ROUNDS).filter(
    ({ caseId, ms }) => ms > (plan.caseLimitMs[caseId] ?? Number.POSITIVE_INFINITY),
  );
  const inSeconds = (ms: number) => 1000 * Math.ceil((NEEDED_TIME_FACTOR * ms) / 1000);
  return openRecord(tooShort.map(({ caseId, ms }) => [caseId, inSeconds(ms)] as const));
}

/** Adds to targets what their platforms say of themselves. @param identities by name of the target. */
export async function describeTargets<T extends RunTarget>(
  targets: readonly T[],
  identities: Readonly<Record<string, Identity>>,
): Promise<readonly T[]> {
  // Whoever measures servers of their own needs nothing of what runs ours.
  if (targets.every(({ app, platform }) => app === OWN_SERVER_APP && platform === null)) {
    return targets;
  }
  const platforms = await discoverPlatforms(undefined, () => {});
  return targets.map((target) => {
    const id = target.platform ?? identities[target.copyOf ?? target.name]?.platform ?? null;
    const platform = platforms.find((known) => known.id === id);
    return {
      ...target,
      platform: id,
      ...(platform && { about: recordOfPlatform(platform, target.place) }),
    };
  });
}
