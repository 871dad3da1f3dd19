// Capacity: the highest rate at which a target holds a condition, and the search for it.
import { largest, median, smallest } from "@evenbench/stats";
import type { StageSummary } from "./stage-summary.ts";

/** The highest rate at which a target held a condition. */
export interface Capacity {
  /** The highest rate that held, by trial; null where none did. */
  readonly byTrial: readonly (number | null)[];
  /** The rates over all trials; null where in one of them no rate held, or it could not be decided. */
  readonly perSecond: CapacityRates | null;
  /** Number of trials in which every rate held that was tried. */
  readonly unbounded: number;
  /** Number of trials in which no rate held, and one had too few requests to decide it. */
  readonly undecided: number;
}

/** Requests per second, over trials. */
interface CapacityRates {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Finds the capacity that the stages of a search show. @param stages of one target in one case, of all trials. */
export function findCapacity(stages: readonly StageSummary[]): Capacity {
  const trials = new Set(stages.map(({ stage }) => stage.trial)).size;
  const tries = stages.flatMap(({ stage, held }) =>
    stage.load.kind === "open" && held !== null
      ? [{ trial: stage.trial, perSecond: stage.load.perSecond, held }]
      : [],
  );
  const heldIn = new Set(tries.filter(({ held }) => held).map(({ trial }) => trial));
  const undecidedIn = stages.filter(
    ({ stage, held }) => stage.load.kind === "open" && held === null && !heldIn.has(stage.trial),
  );
  const brackets = [...Map.groupBy(tries, ({ trial }) => trial).values()].map(bracketOf);
  const held = brackets.flatMap((bracket) => bracket.held ?? []);
  return {
    byTrial: brackets.map((bracket) => bracket.held),
    perSecond:
      held.length === 0 || held.length < trials
        ? null
        : { median: median(held), least: smallest(held), most: largest(held) },
    unbounded: brackets.filter((bracket) => bracket.held !== null && bracket.failed === null).length,
    undecided: new Set(undecidedIn.map(({ stage }) => stage.trial)).size,
  };
}

/** A rate that a search tried. */
export interface SearchStep {
  /** The rate, in requests per second. */
  readonly perSecond: number;
  /** True if the condition held at it. */
  readonly held: boolean;
}

/** The two rates, in requests per second, between which a capacity lies. */
export interface RateBracket {
  /** The highest that held below all that failed; null where none did. */
  readonly held: number | null;
  /** The lowest that failed; null where none did. */
  readonly failed: number | null;
}

/** Largest number of steps of a search. */
export const MAX_SEARCH_STEPS = 8;
/** Factor between one rate and the next, as long as only one side of the capacity is known. */
const STRIDE = 1.5;
/** Ratio of the rates of a bracket at which a search ends. */
const CLOSE_ENOUGH = 1.05;

/** Gives the bracket that steps show. A rate that held above one that failed was luck. */
export function bracketOf(steps: readonly SearchStep[]): RateBracket {
  const failed = steps.filter(({ held }) => !held).map(({ perSecond }) => perSecond);
  const lowestFailed = failed.length > 0 ? smallest(failed) : null;
  const held = steps
    .filter((step) => step.held && (lowestFailed === null || step.perSecond < lowestFailed))
    .map(({ perSecond }) => perSecond);
  return { held: held.length > 0 ? largest(held) : null, failed: lowestFailed };
}

/**
 * Gives the rate that a search tries next; null where it ends.
 *
 * @param first the rate that it begins with, in requests per second.
 */
export function nextRate(steps: readonly SearchStep[], first: number): number | null {
  const { held, failed } = bracketOf(steps);
  if (held === null) {
    return failed === null ? first : failed / STRIDE;
  }
  if (failed === null) {
    return held * STRIDE;
  }
  return failed / held <= CLOSE_ENOUGH ? null : Math.sqrt(held * failed);
}
