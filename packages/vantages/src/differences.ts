import { formatDifference } from "@evenbench/page";
import { coldTargetWords } from "@evenbench/report";
import type { Sample } from "@evenbench/results";
import {
  baselinesOf,
  type CaseQuestion,
  coldTargets,
  computeValues,
  EQUIVALENCE_LEVEL,
  EQUIVALENCE_WORDS,
  type InstanceCell,
  type InstanceKey,
  type IntervalEnds,
  instanceCells,
  instanceIn,
  instancesOf,
  largest,
  mean,
  meanInterval,
  medianOfRounds,
  nonBaselinesOf,
  type RatioInterval,
  SAME_WITHIN_WORDS,
  smallest,
  TRIALS_FOR_INTERVAL,
  type Verdict,
  variance,
  verdictOf,
} from "@evenbench/stats";

/** Number of vantages from which on an interval by Student's t is no longer wide because they are few. */
const ADVISED_VANTAGES = 5;

/** An instance and its vantage. Its block, a trial, is one client's. Times are in milliseconds. */
export interface PlacedCell extends InstanceCell {
  /** Name of the vantage. */
  readonly vantage: string;
  /** The edge through which most of its exchanges went; null where none was named. */
  readonly edge: string | null;
  /** Median of its rounds. */
  readonly ms: number;
  /** Median of its transfer rounds; null where there were none. */
  readonly transferMs: number | null;
  /** `ms` to the last byte less `transferMs`; null where there were no transfer rounds. */
  readonly computeMs: number | null;
}

/** The difference of a target's time from that of its baseline, from one vantage. */
export interface VantageDifference {
  /** Name of the vantage. */
  readonly vantage: string;
  /** Mean difference in milliseconds. */
  readonly estimate: number;
  /** The mean difference with its interval; null with fewer than two trials, or pairs of edges. */
  readonly interval: RatioInterval | null;
  /** Number of trials with both sides. */
  readonly trials: number;
  /**
   * The pairs of edges that were gone through, as "FRA, AMS": the target's, the baseline's. Empty where none
   * was named.
   */
  readonly edges: readonly string[];
}

/** The difference of a target's time from that of its baseline over all vantages, in milliseconds. */
export interface DifferenceAcross {
  /** The difference from each vantage. */
  readonly vantages: readonly VantageDifference[];
  /** Names of the vantages that are counted as one: those that share a pair of edges. */
  readonly units: readonly (readonly string[])[];
  /**
   * True where intervals of vantages lie apart and not all on one side of 0: there is no common difference
   * then.
   */
  readonly disagree: boolean;
  /** Mean over the units with its interval; null with fewer than two. */
  readonly mean: RatioInterval | null;
  /** `mean`, or null where the vantages disagree. */
  readonly pooled: RatioInterval | null;
  /** `pooled` with the ends of its 90 % interval, by which sameness is judged. */
  readonly equivalence: RatioInterval | null;
}

/** A verdict with its grounds. */
interface Judgement {
  readonly verdict: Verdict;
  /** Why, in one sentence or more. */
  readonly reason: string;
}

/** A difference over all vantages, and its verdict. */
export interface JudgedDifference extends Judgement {
  readonly difference: DifferenceAcross;
}

/** A target against its baseline in one case, over all vantages. */
export interface VantageComparison {
  readonly target: string;
  /** Name of the target that it is compared with; where that has a copy, the mean of both is used. */
  readonly baseline: string;
  /** The time that the case's metric names. */
  readonly time: JudgedDifference;
  /**
   * Time to the last byte, each side without its own transfer time; null where that is not known of one side.
   */
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
      transferMs: compute?.transferMs ?? null,
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
  const cold = coldVantages(byVantage);
  const places = [...cold].map(([vantage, why]) => `${vantage} (${why})`);
  const notes = places.length === 0 ? [] : [`Not warm at ${places.join(", at ")}.`];
  if (cold.size > 0 && cold.size >= byVantage.size / 2) {
    const difference = differenceAcross(sides, target);
    return { difference, verdict: "not warm", reason: notes.join("") };
  }
  const counting = sides.filter((cell) => cell.cold === null && !cold.has(cell.vantage));
  const difference = differenceAcross(counting, target);
  const bases = counting.filter((cell) => cell.target !== target);
  const { verdict, reason } = judgeDifference(difference, nearestLevel(bases));
  return { difference, verdict, reason: [reason, ...notes].join(" ") };
}

/** Finds the vantages at which a side was not warm, each with the reason. */
function coldVantages(byVantage: ReadonlyMap<string, readonly PlacedCell[]>): ReadonlyMap<string, string> {
  const cold = new Map<string, string>();
  for (const [vantage, cells] of byVantage) {
    const [first] = coldTargets(cells);
    if (first !== undefined) {
      cold.set(vantage, coldTargetWords(...first));
    }
  }
  return cold;
}

/**
 * Gives the mean milliseconds from the nearest vantage, where the route is the smallest part of them; Infinity of no
 * cell.
 */
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
 * Estimates a target's difference over all vantages. With two targets alone, the two-way fit would be the
 * mean of their differences: that is taken here.
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
    units: units.map((unit) => unit.map(({ vantage }) => vantage)),
    disagree,
    mean: over,
    pooled: disagree ? null : over,
    equivalence: disagree ? null : equivalence,
  };
}

/** Lists the differences of the trials that have both sides. */
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
    trials: trials.length,
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

/**
 * Judges a difference as a ratio to the baseline's time, so that vantages and single machines have the same rule.
 *
 * @param baselineMs the baseline's time from the nearest vantage.
 */
function judgeDifference(
  { vantages, units, disagree, pooled, equivalence }: DifferenceAcross,
  baselineMs: number,
): Judgement {
  const [first] = vantages;
  if (first === undefined) {
    return { verdict: "unclear", reason: "No vantage has a trial with both targets." };
  }
  if (units.length < TRIALS_FOR_INTERVAL) {
    return { verdict: "unclear", reason: reasonOfOneUnit(first, vantages.length) };
  }
  if (disagree || pooled === null || equivalence === null) {
    return { verdict: "unclear", reason: reasonOfDisagreement(vantages) };
  }
  const asRatio = ({ low, high }: IntervalEnds): IntervalEnds => {
    return { low: ratioOf(low, baselineMs), high: ratioOf(high, baselineMs) };
  };
  const verdict = verdictOf(asRatio(pooled), asRatio(equivalence));
  const hasJoined = units.some((unit) => unit.length > 1);
  const counted = hasJoined ? "units (vantages behind the same edges are one)" : "vantages";
  const over = `over ${units.length} ${counted}`;
  if (verdict === "same") {
    const near = `lies ${SAME_WITHIN_WORDS} of what the baseline takes from the nearest vantage`;
    return {
      verdict,
      reason: `The ${EQUIVALENCE_WORDS} ${over}, ${formatDifference(equivalence)}, ${near}.`,
    };
  }
  const interval = `interval ${over}, ${formatDifference(pooled)}`;
  const advice = units.length < ADVISED_VANTAGES ? ` ${ADVISED_VANTAGES} vantages or more are advised.` : "";
  if (verdict === "unclear") {
    return { verdict, reason: `The ${interval}, includes 0.${advice}` };
  }
  const side = pooled.low > 0 ? "above" : "below";
  return { verdict, reason: `The whole ${interval}, lies ${side} 0.${advice}` };
}

/** Turns a difference from the baseline's time into a ratio. Neither can be 0 or below. */
function ratioOf(differenceMs: number, baselineMs: number): number {
  return Math.max(Number.EPSILON, 1 + differenceMs / Math.max(baselineMs, Number.EPSILON));
}

function reasonOfOneUnit({ vantage, interval }: VantageDifference, vantages: number): string {
  const found = interval === null ? "" : `, ${formatDifference(interval)} there`;
  const what =
    vantages === 1
      ? `Only one vantage, ${vantage}${found}`
      : `All ${vantages} vantages stand behind the same edges and are one unit`;
  const remedy = `Measure from two vantages or more; ${ADVISED_VANTAGES} are advised.`;
  return `${what}: it says nothing about other routes. ${remedy}`;
}

function reasonOfDisagreement(vantages: readonly VantageDifference[]): string {
  const each = vantages.map(
    ({ vantage, interval, estimate }) => `${vantage} ${formatDifference(interval ?? { estimate })}`,
  );
  return `The vantages disagree: ${each.join(", ")}. Read each on its own; there is no common difference.`;
}
