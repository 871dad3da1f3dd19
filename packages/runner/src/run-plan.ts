import { randomInt } from "node:crypto";
import { type Identity, openRecord, recordOfPlatform, STRANGER_APP, USUAL_BASELINE } from "@evenbench/core";
import { discoverPlatforms } from "@evenbench/host";
import { MOST_CASES, MOST_TARGETS, type RunPlan, type RunTarget } from "@evenbench/results";
import { RunError, type RunOptions } from "./options.ts";
import {
  type CaseCost,
  DIGEST_EVERY,
  divideTime,
  LEAST_TRIALS,
  mostTrials,
  timeOfTrials,
  USUAL_TRIALS,
  usualTime,
  usualTotal,
} from "./plan.ts";
import type { ToProve } from "./prove.ts";
import { appIdOf, runTargetOf, type Subject, subjectsOf } from "./targets.ts";

/** What is compared with one another: the targets and cases of one app. */
export interface Comparison extends ToProve {
  readonly subjects: readonly Subject[];
}

/** One for each app of which cases are measured. */
export function comparisons(options: RunOptions): Comparison[] {
  return Object.entries(options.cases)
    .filter(([, cases]) => cases.length > 0)
    .map(([appId, cases]) => ({
      cases,
      targets: options.targets.filter((target) => appIdOf(target) === appId),
      subjects: subjectsOf(options.targets, appId, options.baseline ?? USUAL_BASELINE),
    }));
}

/**
 * The plan of a run.
 *
 * @param costs what preflight saw each case to cost, by case id: they divide the time where cases have none
 *   of their own.
 */
export function planOf(options: RunOptions, costs: Readonly<Record<string, CaseCost>>): RunPlan {
  return withTime(firstPlan(options), costs, options);
}

/**
 * The plan as far as it is known before preflight.
 *
 * @throws {RunError} when there is nothing to measure.
 */
export function firstPlan(options: RunOptions): RunPlan {
  const compared = comparisons(options);
  const cases = compared.flatMap((comparison) => comparison.cases);
  if (cases.length === 0) throw new RunError("There is nothing to measure: no case was given.");
  const empty = compared.find(({ targets }) => targets.length === 0)?.cases[0];
  if (empty !== undefined) throw new RunError(`There is nothing to measure: no target serves "${empty.id}".`);
  const targets = compared.flatMap(({ subjects }) => subjects.map(runTargetOf));
  if (targets.length > MOST_TARGETS || cases.length > MOST_CASES)
    throw new RunError(
      `A run has at most ${MOST_TARGETS} targets, A/A copies among them, and ${MOST_CASES} cases: these are ${targets.length} and ${cases.length}. Measure them in several runs.`,
    );
  const least = options.trials ?? (options.rounds == null ? LEAST_TRIALS : USUAL_TRIALS);
  return {
    cases,
    targets,
    seed: options.seed ?? randomInt(2 ** 32),
    caseBudgetMs: openRecord(),
    trials: { minimum: least, maximum: least },
    roundsPerTrial: options.rounds ?? null,
    precision: options.precision ?? null,
    serverCores: options.serverCores ?? "all",
    spacing: options.spacing ?? 1,
    pauseMs: options.pauseMs ?? 0,
    workers: options.workers ?? 1,
    warmUpExchanges: options.warmUpExchanges ?? null,
    coldStarts: options.coldStarts ?? 0,
    digestEvery: DIGEST_EVERY,
    allowedPins: options.allow ?? [],
    ...(options.providerCpu && { cpu: "provider" as const }),
    ...(options.sameWork === "assumed" && { sameWork: "assumed" as const }),
  };
}

function withTime(plan: RunPlan, costs: Readonly<Record<string, CaseCost>>, options: RunOptions): RunPlan {
  const caseBudgetMs = budgetsOf(plan, costs, options);
  const withBudget = { ...plan, caseBudgetMs };
  const most = plan.cases.map(({ id }) => trialsOf(withBudget, costs, id));
  const maximum = options.trials ?? Math.max(...most);
  return { ...plan, caseBudgetMs, trials: { ...plan.trials, maximum } };
}

function budgetsOf(
  { cases }: RunPlan,
  costs: Readonly<Record<string, CaseCost>>,
  { timeMs = null, totalMs, trials: asked }: RunOptions,
): Record<string, number> {
  if (timeMs === null)
    return totalMs === undefined ? openRecord() : divideTime(costs, totalMs, asked ?? USUAL_TRIALS);
  return Object.fromEntries(
    cases.map(({ id }) => [id, typeof timeMs === "number" ? timeMs : (timeMs.get(id) ?? 0)]),
  );
}

/** Trials of a case, at most. */
export function trialsOf(plan: RunPlan, costs: Readonly<Record<string, CaseCost>>, caseId: string): number {
  const cost = costs[caseId];
  if (cost === undefined) return USUAL_TRIALS;
  return mostTrials(plan.caseBudgetMs[caseId] ?? null, plan.roundsPerTrial, cost);
}

/**
 * What each case will take, in milliseconds: its budget; or what its trials cost, where their number is
 * fixed; or what it is expected to cost, as far as the time of all has room for that.
 */
export function expectedTimes(
  plan: Pick<RunPlan, "caseBudgetMs" | "roundsPerTrial" | "trials">,
  costs: Readonly<Record<string, CaseCost>>,
): Record<string, number> {
  const { minimum, maximum } = plan.trials;
  const usual = Object.entries(costs).map(([id, cost]) => [id, caseTime(plan, cost)] as const);
  const total = usual.reduce((sum, [, ms]) => sum + ms, 0);
  const share = minimum === maximum ? 1 : Math.min(1, usualTotal(usual.length) / total);
  return Object.fromEntries(usual.map(([id, ms]) => [id, plan.caseBudgetMs[id] ?? Math.round(share * ms)]));
}

/** Without a budget. A plan whose trials are fixed has as many at least as at most. */
function caseTime(
  { roundsPerTrial, trials }: Pick<RunPlan, "roundsPerTrial" | "trials">,
  cost: CaseCost,
): number {
  const { minimum, maximum } = trials;
  if (minimum !== maximum) return usualTime(cost);
  return roundsPerTrial === null
    ? usualTime(cost, maximum)
    : timeOfTrials(cost, maximum, roundsPerTrial * cost.roundMs);
}

/** A URL's platform is what its identity says; that of a stranger is not known. */
export async function withPlatforms(
  plan: RunPlan,
  identities: Readonly<Record<string, Identity>>,
): Promise<RunPlan> {
  if (plan.targets.every(({ app }) => app === STRANGER_APP)) return plan;
  const targets = await describeTargets(plan.targets, identities);
  const platforms = await discoverPlatforms(undefined, () => {});
  const usualPlatforms = platforms.filter(({ offUnlessNamed }) => !offUnlessNamed).map(({ id }) => id);
  return { ...plan, targets, usualPlatforms };
}

/** The targets with their platforms as far as these are known here. */
export async function describeTargets(
  targets: readonly RunTarget[],
  identities: Readonly<Record<string, Identity>>,
): Promise<readonly RunTarget[]> {
  const platforms = await discoverPlatforms(undefined, () => {});
  return targets.map((target) => {
    const id = target.platform ?? identities[target.copyOf ?? target.name]?.platform ?? null;
    const platform = platforms.find((known) => known.id === id);
    return { ...target, platform: id, ...(platform && { about: recordOfPlatform(platform, target.place) }) };
  });
}
