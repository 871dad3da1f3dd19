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

/**
 * Finds the capacity that the stages of a search show, in the trials in which it came to its end; in all where it came to
 * none.
 *
 * @param stages of one target in one case, of all trials.
 */
export function findCapacity(stages: readonly StageSummary[]): Capacity {
  const rates = stages.filter(({ stage }) => stage.load.kind === "open");
  const searches = [...Map.groupBy(rates, ({ stage }) => stage.trial).values()].map(searchOf);
  const over = searches.filter(({ isOver }) => isOver);
  const counted = over.length === 0 ? searches : over;
  const held = counted.flatMap((search) => search.held ?? []);
  return {
    byTrial: counted.map((search) => search.held),
    perSecond:
      held.length === 0 || held.length < counted.length
        ? null
        : { median: median(held), least: smallest(held), most: largest(held) },
    unbounded: counted.filter((search) => search.held !== null && search.failed === null).length,
    undecided: counted.filter((search) => search.held === null && search.isUndecided).length,
  };
}

/** What a search found in one trial. */
interface TrialSearch extends RateBracket {
  /** True where a rate had too few requests to decide it. */
  readonly isUndecided: boolean;
  /** False where it was interrupted, or its target was dropped. */
  readonly isOver: boolean;
}

function searchOf(stages: readonly StageSummary[]): TrialSearch {
  const steps = stages.flatMap(({ stage: { load }, held }) =>
    load.kind === "open" && held !== null ? { perSecond: load.perSecond, held } : [],
  );
  const isUndecided = steps.length < stages.length;
  const isOver = isUndecided || steps.length >= MAX_SEARCH_STEPS || nextRate(steps, 0) === null;
  return { ...bracketOf(steps), isUndecided, isOver };
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
