// What a trial sends to its targets: the loads of a sweep, or the steps of a search.
import { interleave } from "@evenbench/probe";
import { MAX_SEARCH_STEPS, nextRate, type SearchStep } from "./capacity.ts";
import { UNMEASURED_SHARE } from "./engine/window.ts";
import type { LoadGoal } from "./options.ts";
import { stageLengthOf, stretchedTime } from "./plan.ts";
import type { TrialLoad } from "./trial-load.ts";

/** Sends every load to every target, in one random order over both, so that a drift meanwhile meets all alike. */
export async function sweepLoads(
  trial: TrialLoad,
  { loads }: Extract<LoadGoal, { kind: "sweep" }>,
): Promise<void> {
  const cells = trial.targets.flatMap((target) => loads.map((load) => ({ target, load })));
  for (const { target, load } of interleave(cells, trial.seedOf("order"))()) {
    await trial.stage(target, load, trial.work.plan.stageMs * stageLengthOf(load));
  }
}

/** Connections of the closed load by which a search begins, where the user allows as many. */
const FIRST_CONNECTIONS = 8;
/** Fraction of the closed load's rate that a search tries first. */
const FIRST_SHARE = 0.7;

/** The search for the highest rate at which a target keeps the condition. */
interface CapacitySearch {
  /** The rate of the first step, in requests per second. */
  readonly first: number;
  readonly steps: SearchStep[];
}

/**
 * Searches on all targets side by side: each step is taken on every target, in random order, before the next
 * one.
 */
export async function searchCapacity(
  trial: TrialLoad,
  goal: Extract<LoadGoal, { kind: "capacity" }>,
): Promise<void> {
  const nextOrder = interleave(trial.targets, trial.seedOf("order"));
  const searches = await beginSearches(trial, goal, nextOrder());
  for (let step = 0; step < MAX_SEARCH_STEPS; step++) {
    for (const target of nextOrder()) {
      const search = searches.get(target);
      if (search !== undefined && !(await takeStep(trial, goal, target, search))) {
        searches.delete(target);
      }
    }
  }
}

/** Begins the searches: a closed load shows how much each target answers. One that answers nothing has no search. */
async function beginSearches(
  trial: TrialLoad,
  { connections }: Extract<LoadGoal, { kind: "capacity" }>,
  order: readonly string[],
): Promise<Map<string, CapacitySearch>> {
  const searches = new Map<string, CapacitySearch>();
  const load = { kind: "closed", connections: Math.min(FIRST_CONNECTIONS, connections) } as const;
  for (const target of order) {
    const { perSecond = 0 } = (await trial.stage(target, load, trial.work.plan.stageMs)) ?? {};
    if (perSecond > 0) {
      searches.set(target, { first: FIRST_SHARE * perSecond, steps: [] });
    }
  }
  return searches;
}

/** Tries the next rate of a search that is not over. @returns whether the search goes on. */
async function takeStep(
  trial: TrialLoad,
  { condition, arrivals, connections }: Extract<LoadGoal, { kind: "capacity" }>,
  target: string,
  { first, steps }: CapacitySearch,
): Promise<boolean> {
  const perSecond = nextRate(steps, first);
  if (perSecond === null) {
    return false;
  }
  const neededMs = stretchedTime(trial.work.plan.stageMs, perSecond, condition, 1 - UNMEASURED_SHARE);
  const seen = await trial.stage(target, { kind: "open", perSecond, arrivals, connections }, neededMs);
  const held = seen?.held ?? null;
  if (held === null) {
    // Nearby rates could not be decided either.
    return false;
  }
  steps.push({ perSecond, held });
  return true;
}
