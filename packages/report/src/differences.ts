import type { Markup, Table } from "@evenbench/page";
import type { Run, Sample } from "@evenbench/results";
import type { CaseQuestion, RatioInterval, Verdict } from "@evenbench/stats";
import type { ReportTarget } from "./names.ts";

/** The difference of one target from the baseline in one case, in milliseconds, and the verdict on it. */
export interface TargetDifference {
  readonly target: string;
  readonly verdict: Verdict;
  /** Why, in one sentence or more. */
  readonly reason: string;
  /** The mean over all places with its 99 % interval; null with too few of them. */
  readonly mean: RatioInterval | null;
  /** `mean`; null also where the places contradict one another. */
  readonly pooled: RatioInterval | null;
  /** `pooled` as tables have it; or why there is none, such as "the vantages disagree". */
  readonly words: string;
}

/** A table of one case with a line for each place. */
export interface DifferenceTable extends Table {
  /** Heading of the table. */
  readonly title: string;
  /** Why the places are taken together or not: a sentence for each target. */
  readonly note: string;
}

/** The part of a case's report that stands in the place of ratios where several places measured. */
export interface CaseDifferences {
  /** Comparisons of the targets but the baseline and its copy. */
  readonly comparisons: readonly TargetDifference[];
  /** The copy against the baseline; null without a copy. */
  readonly control: TargetDifference | null;
  /** Gives the table of the places. @param hasControl whether the A/A copy has a column. */
  table(targets: readonly ReportTarget[], hasControl: boolean): DifferenceTable;
  /** Draws what the page shows of the case at once. */
  draw(targets: readonly ReportTarget[]): Markup;
  /** Draws what each place measured, which the page folds away. */
  drawNumbers(targets: readonly ReportTarget[]): Markup;
}

/**
 * A method that compares targets by differences in milliseconds, in the place of ratios: for runs that several
 * places measured, since a ratio would be as much that of the routes. The package that makes such runs has
 * one; reports are given it.
 */
export interface DifferenceMethod {
  /** The sentence below the table of verdicts. */
  readonly tableNote: string;
  /** Words that such a report explains beside those of every report, and their meanings. */
  readonly words: Readonly<Record<string, string>>;
  /** Compares one case. @param samples of the case alone, all phases. */
  analyse(samples: readonly Sample[], question: CaseQuestion): CaseDifferences;
  /** Draws who measured, for the page's settings. */
  describePlaces(run: Run): Markup;
}

/**
 * Makes the tables of the cases that several places measured; none where one client measured.
 *
 * @param hasControl whether the A/A copy has a column.
 */
export function differenceTables(
  cases: readonly { readonly differences: CaseDifferences | null }[],
  targets: readonly ReportTarget[],
  hasControl: boolean,
): readonly DifferenceTable[] {
  return cases.flatMap(({ differences }) =>
    differences === null ? [] : [differences.table(targets, hasControl)],
  );
}
