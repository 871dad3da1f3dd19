// What was found of a case that several places measured: differences in milliseconds, since a ratio would be as much that
// of the routes.
import type { Sample } from "@evenbench/results";
import {
  analyseVantages,
  type CaseQuestion,
  isJudged,
  type JudgedDifference,
  type VantageComparison,
} from "@evenbench/stats";
import type { CaseDetails } from "./details.ts";
import type { Answer, Change, Level } from "./facts.ts";
import { nearestFirst, type VantageRow, vantageRows } from "./place-rows.ts";
import { headOf, levelIn, NO_INTERVAL, numbersOf } from "./rows.ts";

/** What a target answered to one place. Who made the answers is known of the case. */
type PlacedAnswer = Omit<Answer, "from">;

/** What was found of one case that several places measured. */
export interface PlacedFindings {
  /** What each target took from each place, the nearest first. */
  readonly levels: readonly Level[];
  /** What each target answered to each place. */
  readonly answers: readonly PlacedAnswer[];
  /** How the targets differ over all places, in milliseconds; empty where nothing is compared. */
  readonly changes: readonly Change[];
  /** What else was seen from each place. */
  readonly places: CaseDetails["places"];
}

/** Compares the targets of a case that several places measured. @param samples of the case alone, all phases. */
export function placedFindings(samples: readonly Sample[], question: CaseQuestion): PlacedFindings {
  const { caseId, baseline } = question;
  const { cells, comparisons, control } = analyseVantages(samples, question);
  const rows = vantageRows(samples, question, cells);
  const ordered = nearestFirst(rows, baseline).flatMap((name) =>
    rows.filter(({ vantage }) => vantage === name),
  );
  const all = control === null ? comparisons : [...comparisons, control];
  return {
    levels: ordered.flatMap((row) => levelsOf(caseId, row)),
    answers: ordered.map((row) => answerOf(caseId, row)),
    changes:
      question.compares === false ? [] : all.flatMap((each) => changesOf(caseId, each, each === control)),
    places: ordered.map(({ vantage, target, connectMs, edges, instances }) => ({
      place: vantage,
      target,
      connectMs,
      edges,
      instances,
      difference: differenceFrom(all, vantage, target),
    })),
  };
}

function levelsOf(caseId: string, row: VantageRow): readonly Level[] {
  const level = (metric: Level["metric"], value: number | null, byTrial: readonly number[]): Level => ({
    ...levelIn(caseId)(row.target, metric, value),
    byTrial,
    place: row.vantage,
  });
  const time = level("lastByteMs", row.medianMs, row.trialMs);
  return row.computeMs === null ? [time] : [time, level("computeMs", row.computeMs, [])];
}

function answerOf(
  caseId: string,
  { vantage, target, exchanges, errors, resent, bytes }: VantageRow,
): PlacedAnswer {
  return {
    case: caseId,
    target,
    load: null,
    place: vantage,
    requests: exchanges,
    failed: errors,
    resent,
    bytes,
  };
}

/** Makes the changes of a target over all vantages: of time, and of compute time where that is known. */
function changesOf(
  caseId: string,
  { target, baseline, time, compute }: VantageComparison,
  isCopy: boolean,
): readonly Change[] {
  const change = (metric: Change["metric"], judged: JudgedDifference): Change => {
    const { verdict, why, boundMs, difference } = judged;
    const known = isJudged(verdict);
    return {
      ...headOf(caseId, target, baseline, metric),
      role: isCopy ? "copy" : "main",
      unit: "ms",
      ...(known ? numbersOf(difference.pooled, difference.equivalence) : NO_INTERVAL),
      boundMs: Number.isFinite(boundMs) ? boundMs : null,
      verdict: known ? verdict : "none",
      why,
    };
  };
  return [change("lastByteMs", time), ...(compute === null ? [] : [change("computeMs", compute)])];
}

/** Gives a target's difference from one vantage; null where it has none there. */
function differenceFrom(
  all: readonly VantageComparison[],
  vantage: string,
  target: string,
): PlacedFindings["places"][number]["difference"] {
  const of = all.find((comparison) => comparison.target === target);
  const found = of?.time.difference.vantages.find((each) => each.vantage === vantage);
  if (found === undefined) {
    return null;
  }
  const { estimate, interval } = found;
  return { estimateMs: estimate, lowMs: interval?.low ?? null, highMs: interval?.high ?? null };
}
