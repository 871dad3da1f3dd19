// What was found of a case that several places measured: differences in milliseconds, since a ratio would be as much that
// of the routes.
import type { Sample } from "@evenbench/results";
import {
  analyseVantages,
  type CaseQuestion,
  isJudged,
  type JudgedDifference,
  type PlacedCell,
  type VantageComparison,
} from "@evenbench/stats";
import { meanOrNull, medianOrNull } from "../series.ts";
import type { CaseDetails } from "./details.ts";
import type { Answer, Change, Level } from "./facts.ts";
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
  const { caseId } = question;
  const { cells, comparisons, control } = analyseVantages(samples, question);
  const seen = seenTargets(samples, question, cells);
  const all = control === null ? comparisons : [...comparisons, control];
  return {
    levels: seen.flatMap((each) => levelsOf(caseId, each)),
    answers: seen.map((each) => answerOf(caseId, each)),
    changes:
      question.compares === false ? [] : all.flatMap((each) => changesOf(caseId, each, each === control)),
    places: seen.map((each) => placeOf(each, all)),
  };
}

/** A target as it was seen from one vantage. */
interface SeenTarget {
  readonly vantage: string;
  readonly target: string;
  readonly exchanges: readonly Sample[];
  /** The same by trial. */
  readonly cells: readonly PlacedCell[];
}

/** Lists the targets that each vantage asked, by the baseline's time from there; vantages where it has none come last. */
function seenTargets(
  samples: readonly Sample[],
  { targets, baseline }: CaseQuestion,
  cells: readonly PlacedCell[],
): readonly SeenTarget[] {
  const placed = samples.filter(({ from }) => from !== undefined);
  const byVantage = Map.groupBy(placed, ({ from }) => from?.vantage ?? "");
  const cellsOf = (vantage: string, target: string) =>
    cells.filter((cell) => cell.vantage === vantage && cell.target === target);
  const distanceOf = (vantage: string) =>
    meanOrNull(cellsOf(vantage, baseline).map(({ ms }) => ms)) ?? Number.MAX_VALUE;
  const nearestFirst = [...byVantage].toSorted(([a], [b]) => distanceOf(a) - distanceOf(b));
  return nearestFirst.flatMap(([vantage, all]) =>
    targets.flatMap((target) => {
      const exchanges = all.filter((sample) => sample.target === target);
      return exchanges.length === 0 ? [] : [{ vantage, target, exchanges, cells: cellsOf(vantage, target) }];
    }),
  );
}

function levelsOf(caseId: string, { vantage, target, cells }: SeenTarget): readonly Level[] {
  const level = (metric: Level["metric"], value: number | null, byTrial: readonly number[]): Level => ({
    ...levelIn(caseId)(target, metric, value),
    byTrial,
    place: vantage,
  });
  const trialMs = cells.map(({ ms }) => ms);
  const computeMs = meanOrNull(cells.map((cell) => cell.computeMs));
  const time = level("lastByteMs", meanOrNull(trialMs), trialMs);
  return computeMs === null ? [time] : [time, level("computeMs", computeMs, [])];
}

function answerOf(caseId: string, { vantage, target, exchanges }: SeenTarget): PlacedAnswer {
  const measured = exchanges.filter(({ phase }) => phase === "measure");
  const good = measured.filter(({ error }) => error === null);
  return {
    case: caseId,
    target,
    load: null,
    place: vantage,
    requests: good.length,
    failed: measured.length - good.length,
    resent: good.filter(({ resent }) => resent === true).length,
    bytes: meanOrNull(good.map(({ bodyBytes }) => bodyBytes)),
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

/** Gives what else was seen from a place, with the difference from the baseline there; null where there is none. */
function placeOf(
  { vantage, target, exchanges }: SeenTarget,
  all: readonly VantageComparison[],
): CaseDetails["places"][number] {
  const of = all.find((comparison) => comparison.target === target);
  const found = of?.time.difference.vantages.find((each) => each.vantage === vantage);
  return {
    place: vantage,
    target,
    connectMs: medianOrNull(exchanges.map(({ connectMs }) => connectMs)),
    edges: distinct(exchanges.map(({ from }) => from?.edge)).sort(),
    instances: distinct(exchanges.map(({ instanceId }) => instanceId)).length,
    difference:
      found === undefined
        ? null
        : {
            estimateMs: found.estimate,
            lowMs: found.interval?.low ?? null,
            highMs: found.interval?.high ?? null,
          },
  };
}

/** Each text once; what names none is left out. */
function distinct(texts: readonly (string | null | undefined)[]): string[] {
  return [...new Set(texts.filter((text) => text != null))];
}
