// Differences of times that several places measured, in milliseconds.
import type { Sample } from "@evenbench/results";
import type { CaseQuestion } from "./analyse-case.ts";
import {
  coldTargets,
  type InstanceCell,
  type InstanceKey,
  instanceCells,
  instanceIn,
  instancesOf,
} from "./cells.ts";
import { baselinesOf, nonBaselinesOf } from "./compare.ts";
import { computeValues } from "./costs.ts";
import { meanInterval } from "./model.ts";
import { largest, mean, medianOfRounds, smallest, variance } from "./numbers.ts";
import { EQUIVALENCE_LEVEL, type RatioInterval, SAME_WITHIN, type Verdict, verdictOfMs } from "./verdict.ts";

/** An instance and its vantage. Its block, a trial, is one client's. Times are in milliseconds. */
export interface PlacedCell extends InstanceCell {
  readonly vantage: string;
  /** The edge through which most of its exchanges went; null where none was named. */
  readonly edge: string | null;
  /** Median of its rounds. */
  readonly ms: number;
  /** `ms` to the last byte less the median of its transfer rounds; null where there were none. */
  readonly computeMs: number | null;
}

/** The difference of a target's time from that of its baseline, from one vantage. */
export interface VantageDifference {
  readonly vantage: string;
  /** Mean difference in milliseconds. */
  readonly estimate: number;
  /** The mean difference with its interval; null with fewer than two trials, or pairs of edges. */
  readonly interval: RatioInterval | null;
  /** The pairs of edges of target and baseline, as "FRA, AMS". Empty where none was named. */
  readonly edges: readonly string[];
}

/** The difference of a target's time from that of its baseline over all vantages, in milliseconds. */
export interface DifferenceAcross {
  readonly vantages: readonly VantageDifference[];
  /**
   * True where intervals of vantages lie apart and not all on one side of 0: there is no common difference
   * then.
   */
  readonly disagree: boolean;
  /** Mean over the units, which are vantages that share no pair of edges, with its interval; null with fewer than two. */
  readonly mean: RatioInterval | null;
  /** `mean`, or null where the vantages disagree. */
  readonly pooled: RatioInterval | null;
  /** `pooled` with the ends of its 90 % interval, by which sameness is judged. */
  readonly equivalence: RatioInterval | null;
}

/** Why a difference has no verdict, or none over all vantages. */
type WhyNoDifference =
  | "not-warm" // at half of the vantages or more
  | "few-places" // fewer than two vantages that do not share their edges
  | "places-disagree";

/** A difference over all vantages, and its verdict. */
export interface JudgedDifference {
  readonly difference: DifferenceAcross;
  readonly verdict: Verdict;
  /** null where there is a verdict. */
  readonly why: WhyNoDifference | null;
  /** How far from 0 is still the same, in milliseconds: a part of what the baseline takes from the nearest vantage. */
  readonly boundMs: number;
}

/** A target against its baseline in one case, over all vantages. */
export interface VantageComparison {
  readonly target: string;
  /** Name of the target that it is compared with; where that has a copy, the mean of both is used. */
  readonly baseline: string;
  /** The time that the case's metric names. */
  readonly time: JudgedDifference;
  /** Time to the last byte, each side without its transfer time; null where that is not known. */
  readonly compute: JudgedDifference | null;
}

/** The analysis of a case that was measured from several vantages. */
export interface VantageAnalysis {
  readonly cells: readonly PlacedCell[];
  /** Comparisons of the targets but the baseline and its copy. */
  readonly comparisons: readonly VantageComparison[];
  /** The copy against the baseline; null without a copy. */
  readonly control: VantageComparison | null;
}

/**
 * Compares targets that were measured from several vantages, by differences in milliseconds: a raw ratio is
 * as much that of the routes as that of the targets. The vantage is the unit: its trials share a route, and
 * are no evidence of other routes.
 *
 * @param samples of one case, all phases; those without a vantage are left out.
 */
export function analyseVantages(samples: readonly Sample[], question: CaseQuestion): VantageAnalysis {
  const { copy, baseline } = question;
  const cells = placedCells(
    samples.filter(({ from }) => from !== undefined),
    question,
  );
  return {
    cells,
    comparisons: nonBaselinesOf(question).map((target) =>
      compareAcross(cells, question, target, baselinesOf(question)),
    ),
    control: copy === null ? null : compareAcross(cells, question, copy, [baseline]),
  };
}

/** Compares a target over all vantages. @param by the names of its baseline and of the baseline's copy. */
function compareAcross(
  cells: readonly PlacedCell[],
  { baseline }: CaseQuestion,
  target: string,
  by: readonly string[],
): VantageComparison {
  const computed: PlacedCell[] = [];
  for (const cell of cells) {
    if (cell.computeMs !== null) {
      computed.push({ ...cell, ms: cell.computeMs });
    }
  }
  const isKnown = [target, baseline].every((name) => computed.some((cell) => cell.target === name));
  return {
    target,
    baseline,
    time: judgeAcross(cells, target, by),
    compute: isKnown ? judgeAcross(computed, target, by) : null,
  };
}

/** Makes the cells of a case. @param placed its samples that name their vantage. */
function placedCells(placed: readonly Sample[], question: CaseQuestion): readonly PlacedCell[] {
  const { caseId, metric, targets, warm } = question;
  const computed = computeValues(placed);
  const instances = instancesOf(placed, caseId, metric);
  return instanceCells(instances, targets, { warm }).map((cell): PlacedCell => {
    const key: InstanceKey = { target: cell.target, trial: cell.block };
    const exchanges = placed.filter(({ target, trial }) => target === key.target && trial === key.trial);
    const compute = instanceIn(computed, key);
    return {
      ...cell,
      vantage: exchanges[0]?.from?.vantage ?? "",
      edge: usualEdge(exchanges),
      ms: medianOfRounds(instanceIn(instances, key)?.rounds ?? new Map()),
      computeMs: compute?.ms ?? null,
    };
  });
}

/** Finds the edge through which most exchanges went; the first of equals, null where none was named. */
function usualEdge(exchanges: readonly Sample[]): string | null {
  const edges = exchanges.map(({ from }) => from?.edge ?? null).filter((edge) => edge !== null);
  const groups = [...Map.groupBy(edges, (edge) => edge)].toSorted(([, a], [, b]) => b.length - a.length);
  return groups[0]?.[0] ?? null;
}

/** Estimates and judges a difference, without the vantages at which a side was not warm. */
function judgeAcross(cells: readonly PlacedCell[], target: string, by: readonly string[]): JudgedDifference {
  const sides = cells.filter((cell) => cell.target === target || by.includes(cell.target));
  const byVantage = Map.groupBy(sides, ({ vantage }) => vantage);
  const cold = [...byVantage].flatMap(([vantage, ofVantage]) =>
    coldTargets(ofVantage).size > 0 ? vantage : [],
  );
  const isCold = cold.length > 0 && cold.length >= byVantage.size / 2;
  const counting = isCold
    ? sides
    : sides.filter((cell) => cell.cold === null && !cold.includes(cell.vantage));
  const difference = differenceAcross(counting, target);
  const boundMs = SAME_WITHIN * nearestLevel(counting.filter((cell) => cell.target !== target));
  const judged = isCold
    ? { verdict: "not warm" as const, why: "not-warm" as const }
    : judgeDifference(difference, boundMs);
  return { difference, ...judged, boundMs };
}

/** Gives the mean milliseconds from the nearest vantage, where the route is the smallest part; Infinity of no cell. */
function nearestLevel(cells: readonly PlacedCell[]): number {
  const byVantage = [...Map.groupBy(cells, ({ vantage }) => vantage).values()];
  return smallest(byVantage.map((ofVantage) => mean(ofVantage.map(({ ms }) => ms))));
}

/** The difference that one trial shows, which is one client's. */
interface TrialDifference {
  readonly vantage: string;
  /** The pair of edges: the target's, the baseline's; null where neither was named. */
  readonly edges: string | null;
  /** The target's time less the mean of those that it is compared with, in milliseconds. */
  readonly ms: number;
}

/** The difference that one vantage shows, and its error. */
interface MeasuredVantage {
  readonly difference: VantageDifference;
  /** Variance of its mean by its own trials, in squared milliseconds. */
  readonly errorVariance: number;
}

/**
 * Estimates a target's difference over all vantages: with two targets, the two-way fit is the mean of their
 * differences.
 */
function differenceAcross(cells: readonly PlacedCell[], target: string): DifferenceAcross {
  const byVantage = Map.groupBy(trialDifferences(cells, target), ({ vantage }) => vantage);
  const measured = [...byVantage].map(([vantage, trials]) => measureVantage(vantage, trials));
  const vantages = measured.map(({ difference }) => difference);
  const units = unitsOf(vantages);
  // Units that agree by chance, or by a coarse clock, are no surer than their own trials.
  const minimumVariance = mean(measured.map(({ errorVariance }) => errorVariance)) / units.length;
  const unitMeans = units.map((unit) => mean(unit.map(({ estimate }) => estimate)));
  const over = meanInterval(unitMeans, { minimumVariance });
  const equivalence = meanInterval(unitMeans, { minimumVariance, level: EQUIVALENCE_LEVEL });
  const disagree = vantagesDisagree(vantages);
  return {
    vantages,
    disagree,
    mean: over,
    pooled: disagree ? null : over,
    equivalence: disagree ? null : equivalence,
  };
}

function trialDifferences(cells: readonly PlacedCell[], target: string): readonly TrialDifference[] {
  const differences: TrialDifference[] = [];
  for (const trial of Map.groupBy(cells, ({ block }) => block).values()) {
    const cell = trial.find((candidate) => candidate.target === target);
    const others = trial.filter((candidate) => candidate !== cell);
    const [other] = others;
    if (cell === undefined || other === undefined) {
      continue;
    }
    const isUnnamed = cell.edge === null && other.edge === null;
    differences.push({
      vantage: cell.vantage,
      edges: isUnnamed ? null : `${cell.edge ?? "–"}, ${other.edge ?? "–"}`,
      ms: cell.ms - mean(others.map(({ ms }) => ms)),
    });
  }
  return differences;
}

/** Estimates the difference of one vantage. @param trials of the vantage, at least one. */
function measureVantage(vantage: string, trials: readonly TrialDifference[]): MeasuredVantage {
  const byEdges = Map.groupBy(trials, ({ edges }) => edges);
  // Clients behind the same edges are no evidence of others: where there are several pairs, each counts once.
  const groups = byEdges.size > 1 ? [...byEdges.values()] : trials.map((trial) => [trial]);
  const values = groups.map((group) => mean(group.map(({ ms }) => ms)));
  const difference: VantageDifference = {
    vantage,
    estimate: mean(values),
    interval: meanInterval(values),
    edges: [...byEdges.keys()].filter((edges) => edges !== null),
  };
  return { difference, errorVariance: variance(values) / values.length };
}

/** Tells whether some vantages' intervals lie apart, and they do not all say slower, or all faster. */
function vantagesDisagree(vantages: readonly VantageDifference[]): boolean {
  const known = vantages.map(({ interval }) => interval).filter((interval) => interval !== null);
  const areApart = largest(known.map(({ low }) => low)) > smallest(known.map(({ high }) => high));
  const areAllKnown = known.length === vantages.length;
  const isOneSided = known.every(({ low }) => low > 0) || known.every(({ high }) => high < 0);
  return areApart && !(areAllKnown && isOneSided);
}

/** Joins the vantages that share a pair of edges, with all that share one with any of them. */
function unitsOf(vantages: readonly VantageDifference[]): readonly (readonly VantageDifference[])[] {
  let units: readonly (readonly VantageDifference[])[] = [];
  for (const vantage of vantages) {
    const shares = (unit: readonly VantageDifference[]): boolean =>
      unit.some(({ edges }) => edges.some((pair) => vantage.edges.includes(pair)));
    const joined = units.filter(shares).flat();
    units = [...units.filter((unit) => !shares(unit)), [...joined, vantage]];
  }
  return units;
}

/** Judges a difference over all vantages. @param boundMs as in `JudgedDifference`. */
function judgeDifference(
  { mean: over, pooled, equivalence }: DifferenceAcross,
  boundMs: number,
): Pick<JudgedDifference, "verdict" | "why"> {
  if (over === null) {
    return { verdict: "unclear", why: "few-places" };
  }
  if (pooled === null || equivalence === null) {
    return { verdict: "unclear", why: "places-disagree" };
  }
  return { verdict: verdictOfMs(pooled, equivalence, boundMs), why: null };
}
