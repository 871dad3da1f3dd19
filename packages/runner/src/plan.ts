import { createHash, randomInt } from "node:crypto";
import { type Identity, OWN_SERVER_APP, openRecord, recordOfPlatform, USUAL_BASELINE } from "@evenbench/core";
import { discoverPlatforms } from "@evenbench/host";
import { MOST_CASES, MOST_TARGETS, planSettings, type RunPlan, type RunTarget } from "@evenbench/results";
import { sum } from "@evenbench/stats";
import { RunError, type RunOptions, type Target } from "./options.ts";
import { appIdOf, measuredTargetsOf, runTargetOf } from "./targets.ts";
import type { CaseCost } from "./warm-up-needs.ts";

/** In any case, and while a comparison is open. */
export const LEAST_TRIALS = 3;
const MOST_TRIALS = 10;

/** An even number: where a collector runs in every second exchange, the median of an odd one lies on one level or the other. */
export const LEAST_ROUNDS = 6;
/** Within these times. */
const USUAL_ROUNDS = 24;
const SHORTEST_ROUNDS_MS = 2000;
const LONGEST_ROUNDS_MS = 5000;
/** And for this part of its warm-up: instances that cost so much are worth measuring better. */
const LEAST_SHARE_OF_WARM_UP = 0.25;

/** Seven cases have six minutes together, about what three trials take. */
const USUAL_CASE_MS = 52_000;

/** Of bodies in a warm-up that are not the same as one before, every n-th is checked by digest, the first one always. */
export const DIGEST_EVERY = 20;

export function usualTotal(cases: number): number {
  return cases * USUAL_CASE_MS;
}

export function defaultMeasureMs({
  roundMs,
  warmUpMs,
  rounds,
}: Omit<CaseCost, "startMs" | "searchMs">): number {
  if (rounds !== undefined) {
    return rounds * roundMs;
  }
  const roundsMs = Math.min(Math.max(USUAL_ROUNDS * roundMs, SHORTEST_ROUNDS_MS), LONGEST_ROUNDS_MS);
  return Math.max(roundsMs, LEAST_ROUNDS * roundMs, LEAST_SHARE_OF_WARM_UP * warmUpMs);
}

/** Of trials whose case knows its variances. */
const BEST_ROUNDS_MS = { least: 1000, most: 6000 };

/**
 * Where rounds say little, more of them; where instances differ, more instances. Kalibera & Jones, "Rigorous benchmarking
 * in reasonable time" (ISMM 2013), section 6.
 *
 * @param instanceMs what an instance costs before its first round.
 * @param roundsMs how long its rounds took; `ofRounds` is the variance because of them, `ofAll` that of instances, too.
 */
export function optimalMeasureMs({
  instanceMs,
  roundsMs,
  ofRounds,
  ofAll,
}: Readonly<Record<"instanceMs" | "roundsMs" | "ofRounds" | "ofAll", number>>): number {
  // Few trials know their variance badly: neither is taken for nothing.
  const ofInstances = Math.max(ofAll - ofRounds, Math.max(ofAll, ofRounds) / 4);
  const bestMs = Math.sqrt((instanceMs * roundsMs * ofRounds) / ofInstances);
  return Math.min(Math.max(bestMs, BEST_ROUNDS_MS.least), BEST_ROUNDS_MS.most);
}

export function trialMs(cost: CaseCost, rounds: number | null = null): number {
  return cost.startMs + cost.warmUpMs + roundsMs(cost, rounds);
}

export function roundsMs(cost: CaseCost, rounds: number | null): number {
  return rounds === null ? defaultMeasureMs(cost) : rounds * cost.roundMs;
}

type Compared<T> = Pick<RunOptions, "cases" | "baseline"> & { readonly targets: readonly T[] };

/** @throws {RunError} when there is nothing to measure. */
export function comparisons<T extends Target>(options: Compared<T>) {
  const compared = Object.entries(options.cases)
    .filter(([, cases]) => cases.length > 0)
    .map(([appId, cases]) => ({
      cases,
      targets: options.targets.filter((target) => appIdOf(target) === appId),
      measuredTargets: measuredTargetsOf(options.targets, appId, options.baseline ?? USUAL_BASELINE),
    }));
  if (compared.length === 0) {
    throw new RunError("There is nothing to measure: no case was given.");
  }
  const empty = compared.find(({ targets }) => targets.length === 0)?.cases[0];
  if (empty !== undefined) {
    throw new RunError(`There is nothing to measure: no target serves "${empty.id}".`);
  }
  return compared;
}

type Costs = Readonly<Record<string, CaseCost>>;

export function planOf(options: RunOptions, costs: Costs): RunPlan {
  const plan = firstPlan(options);
  return { ...plan, caseBudgetMs: budgetsOf(plan, costs, options) };
}

/** @throws {RunError} when there is nothing to measure, or too much for one run. */
export function firstPlan(options: RunOptions): RunPlan {
  const compared = comparisons(options);
  const cases = compared.flatMap((comparison) => comparison.cases);
  const targets = compared.flatMap(({ measuredTargets }) => measuredTargets.map(runTargetOf));
  if (targets.length > MOST_TARGETS || cases.length > MOST_CASES) {
    throw new RunError(
      `A run has at most ${MOST_TARGETS} targets, A/A copies among them, and ${MOST_CASES} cases: these are ${targets.length} and ${cases.length}. Measure them in several runs.`,
    );
  }
  return {
    cases,
    targets,
    seed: options.seed ?? randomInt(2 ** 32),
    caseBudgetMs: openRecord(),
    trials: { minimum: LEAST_TRIALS, maximum: options.mostTrials ?? MOST_TRIALS },
    spacing: options.spacing ?? 1,
    pauseMs: options.pauseMs ?? 0,
    digestEvery: DIGEST_EVERY,
    ...planSettings(options),
    ...(options.usualCases && { usualCases: options.usualCases }),
    ...(options.sameWork && options.sameWork !== "proven" && { sameWork: options.sameWork }),
  };
}

function leastTimes(
  { trials: { minimum } }: RunPlan,
  costs: Costs,
  rounds: number | null,
): (readonly [id: string, ms: number])[] {
  return Object.entries(costs).map(([id, cost]) => [id, cost.searchMs + minimum * trialMs(cost, rounds)]);
}

function budgetsOf(
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
  const least = leastTimes(plan, costs, plan.roundsPerTrial);
  const all = sum(least.map(([, ms]) => ms));
  const shareOf = (ms: number) => (all > 0 ? ms / all : 1 / least.length);
  return openRecord(least.map(([id, ms]) => [id, Math.round(totalMs * shareOf(ms))] as const));
}

/** Costs differ from one preflight to the next: whoever gives the time that is named is not refused again. */
const MARGIN = 1.25;

/** What is said of the times that were asked for: which are too short; or for how many trials there is room. */
export function describeTimes(
  plan: RunPlan,
  costs: Costs,
): { readonly neededMs: Readonly<Record<string, number>>; readonly room: string | null } {
  const nothing = { neededMs: {}, room: null };
  // Who says how many requests warm an instance up asks for nothing that could be missed.
  if (plan.warmUpExchanges !== null) {
    return nothing;
  }
  const short = leastTimes(plan, costs, plan.roundsPerTrial ?? LEAST_ROUNDS).filter(
    ([id, ms]) => ms > (plan.caseBudgetMs[id] ?? Number.POSITIVE_INFINITY),
  );
  if (short.length > 0) {
    return {
      ...nothing,
      neededMs: openRecord(short.map(([id, ms]) => [id, 1000 * Math.ceil((MARGIN * ms) / 1000)] as const)),
    };
  }
  const { minimum, maximum } = plan.trials;
  const trials = Object.entries(plan.caseBudgetMs).map(([id, budgetMs]) => {
    const cost = costs[id] as CaseCost;
    const fitting = Math.floor((budgetMs - cost.searchMs) / trialMs(cost, plan.roundsPerTrial));
    return Math.min(maximum, Math.max(minimum, fitting));
  });
  if (trials.length === 0) {
    return nothing;
  }
  const least = Math.min(...trials);
  const most = Math.max(...trials);
  const range = least === most ? most : `${least} to ${most}`;
  return { ...nothing, room: `about ${range} trials${trials.length > 1 ? " each" : ""}` };
}

/** Targets with what their platforms say of themselves, and who is measured where nobody names any. */
export async function describeTargets<T extends RunTarget>(
  targets: readonly T[],
  identities: Readonly<Record<string, Identity>>,
): Promise<Pick<RunPlan, "usualPlatforms"> & { readonly targets: readonly T[] }> {
  // Whoever measures servers of their own needs nothing of what runs ours.
  if (targets.every(({ app }) => app === OWN_SERVER_APP)) {
    return { targets };
  }
  const platforms = await discoverPlatforms(undefined, () => {});
  return {
    targets: targets.map((target) => {
      const id = target.platform ?? identities[target.copyOf ?? target.name]?.platform ?? null;
      const platform = platforms.find((known) => known.id === id);
      return {
        ...target,
        platform: id,
        ...(platform && { about: recordOfPlatform(platform, target.place) }),
      };
    }),
    usualPlatforms: platforms.filter(({ offUnlessNamed }) => !offUnlessNamed).map(({ id }) => id),
  };
}

export function deriveSeed(seed: number, ...purpose: readonly (string | number)[]): number {
  return createHash("sha256")
    .update([seed, ...purpose].join("/"))
    .digest()
    .readUInt32BE(0);
}
