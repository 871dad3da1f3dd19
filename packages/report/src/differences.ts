import type { Sample } from "@evenbench/results";
import type { CaseQuestion } from "@evenbench/stats";
import type { CaseDetails } from "./facts/details.ts";
import type { Answer, Change, Level } from "./facts/facts.ts";

/** What was found of one case that several places measured. */
export interface PlacedFindings {
  /** What each target took from each place, the nearest first. */
  readonly levels: readonly Level[];
  /** What each target answered to each place. */
  readonly answers: readonly Answer[];
  /** How the targets differ over all places, in milliseconds; empty where nothing is compared. */
  readonly changes: readonly Change[];
  /** What else was seen from each place. */
  readonly places: CaseDetails["places"];
}

/**
 * A method that compares targets by differences in milliseconds, in the place of ratios: for runs that several
 * places measured, since a ratio would be as much that of the routes. The package that makes such runs has
 * one; reports are given it.
 */
export interface DifferenceMethod {
  /** Compares one case. @param samples of the case alone, all phases. */
  analyse(samples: readonly Sample[], question: CaseQuestion): PlacedFindings;
}
