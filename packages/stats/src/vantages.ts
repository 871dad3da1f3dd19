import type { Sample } from "@evenbench/results";
import type { CaseQuestion } from "./analyse-case.ts";
import { coldTargets, instanceCells, instanceIn, instancesOf, TRIALS_FOR_INTERVAL } from "./cells.ts";
import { baselinesOf, nonBaselinesOf } from "./compare.ts";
import { computeValues } from "./costs.ts";
import { meanInterval } from "./model.ts";
import { largest, mean, medianOf, smallest, variance } from "./numbers.ts";
import { type RatioInterval, type Verdict, verdictOf } from "./verdict.ts";

/** From so many vantages on Student's t is no longer wide because they are few. */
const ADVISED = 5;

export type VantageAnalysis = ReturnType<typeof analyseVantages>;
export type DifferenceAcross = ReturnType<typeof differenceAcross>;

/** An instance with where it was seen from. A trial is one client's. */
export type PlacedCell = ReturnType<typeof placedCells>[number];

/**
 * In milliseconds: a raw ratio is as much that of the routes as that of the targets. The vantage is the unit: its trials
 * share a route, and are no evidence of other routes.
 *
 * @param samples of one case, all phases.
 */
export function analyseVantages(samples: readonly Sample[], question: CaseQuestion) {
  const { baseline, copy } = question;
  const placed = samples.filter(({ from }) => from !== undefined);
  const cells = placedCells(placed, question);
  const computed = cells.flatMap((cell) =>
    cell.computeMs === null ? [] : [{ ...cell, ms: cell.computeMs }],
  );
  const compare = (target: string, by: readonly string[]) => ({
    target,
    baseline,
    time: judgeAcross(cells, target, by),
    /** Of the last byte, each side without its own transfer time. */
    compute: [target, baseline].every((name) => computed.some((cell) => cell.target === name))
      ? judgeAcross(computed, target, by)
      : null,
  });
  return {
    cells,
    comparisons: nonBaselinesOf(question).map((target) => compare(target, baselinesOf(question))),
    control: copy === null ? null : compare(copy, [baseline]),
  };
}

function placedCells(placed: readonly Sample[], { caseId, metric, targets, warm }: CaseQuestion) {
  const computed = computeValues(placed);
  const instances = instancesOf(placed, caseId, metric);
  return instanceCells(instances, targets, warm).map((cell) => {
    const { target, block: trial } = cell;
    const answered = placed.filter((sample) => sample.target === target && sample.trial === trial);
    const edges = answered.flatMap(({ from }) => from?.edge ?? []);
    // Through which most of its exchanges went.
    const [most] = [...Map.groupBy(edges, (edge) => edge).values()].toSorted((a, b) => b.length - a.length);
    const { transferMs = null, ms: computeMs = null } = instanceIn(computed, { target, trial }) ?? {};
    const ms = medianOf(instanceIn(instances, { target, trial })?.rounds ?? new Map());
    const { vantage = "" } = answered[0]?.from ?? {};
    return { ...cell, vantage, edge: most?.[0] ?? null, ms, transferMs, computeMs };
  });
}

function judgeAcross(cells: readonly PlacedCell[], target: string, by: readonly string[]) {
  const sides = cells.filter((cell) => cell.target === target || by.includes(cell.target));
  const coldAt = new Map(
    [...Map.groupBy(sides, ({ vantage }) => vantage)].map(
      ([vantage, vantageCells]) => [vantage, coldTargets(vantageCells).values().next().value] as const,
    ),
  );
  const cold = [...coldAt].flatMap(([vantage, why]) => (why === undefined ? [] : `${vantage} (${why})`));
  const notes = cold.length === 0 ? [] : [`Not warm at ${cold.join(", at ")}.`];
  const isCold = cold.length > 0 && cold.length >= coldAt.size / 2;
  const counting = isCold
    ? sides
    : sides.filter((cell) => cell.cold === null && coldAt.get(cell.vantage) === undefined);
  const difference = differenceAcross(counting, target);
  if (isCold) {
    return { difference, verdict: "not warm" as Verdict, reason: notes.join("") };
  }
  // From the nearest vantage, where the least of it is the route.
  const bases = counting.filter((cell) => cell.target !== target);
  const levels = [...Map.groupBy(bases, ({ vantage }) => vantage).values()].map((all) =>
    mean(all.map(({ ms }) => ms)),
  );
  const { verdict, reason } = judgeDifference(difference, smallest(levels));
  return { difference, verdict, reason: [reason, ...notes].join(" ") };
}

/** Each trial is of one client. Of two targets, the two-way fit is the mean of their differences. */
function differenceAcross(cells: readonly PlacedCell[], target: string) {
  const trials = [...Map.groupBy(cells, ({ block }) => block).values()].flatMap((trial) => {
    const cell = trial.find((each) => each.target === target);
    const others = trial.filter((each) => each !== cell);
    const [other] = others;
    if (cell === undefined || other === undefined) {
      return [];
    }
    const way =
      cell.edge === null && other.edge === null ? null : `${cell.edge ?? "–"}, ${other.edge ?? "–"}`;
    return [{ vantage: cell.vantage, way, ms: cell.ms - mean(others.map(({ ms }) => ms)) }];
  });
  const measured = [...Map.groupBy(trials, ({ vantage }) => vantage)].map(([vantage, vantageTrials]) => {
    const ways = Map.groupBy(vantageTrials, ({ way }) => way);
    // Clients behind the same edges are no evidence of others.
    const equals = ways.size > 1 ? [...ways.values()] : vantageTrials.map((trial) => [trial]);
    const values = equals.map((all) => mean(all.map(({ ms }) => ms)));
    const edges = [...ways.keys()].filter((way) => way !== null);
    const told = {
      vantage,
      estimate: mean(values),
      interval: meanInterval(values),
      trials: vantageTrials.length,
      edges,
    };
    return { told, error: variance(values) / values.length };
  });
  const vantages = measured.map(({ told }) => told);
  const units = unitsOf(vantages);
  // Units that agree by chance, or by a coarse clock, are no surer than their own trials.
  const least = mean(measured.map(({ error }) => error)) / units.length;
  const over = meanInterval(
    units.map((unit) => mean(unit.map(({ estimate }) => estimate))),
    least,
  );
  const known = vantages.flatMap(({ interval }) => interval ?? []);
  const areApart = largest(known.map(({ low }) => low)) > smallest(known.map(({ high }) => high));
  const onOneSide =
    known.length === vantages.length &&
    (known.every(({ low }) => low > 0) || known.every(({ high }) => high < 0));
  const disagree = areApart && !onOneSide;
  return {
    vantages,
    /** Vantages behind the same edges are one unit. */
    units: units.map((unit) => unit.map(({ vantage }) => vantage)),
    /** There is no common difference. */
    disagree,
    mean: over,
    pooled: disagree ? null : over,
  };
}

/** Vantages that share an edge stand together, with all that share one with any of them. */
function unitsOf<Vantage extends { readonly edges: readonly string[] }>(
  vantages: readonly Vantage[],
): readonly (readonly Vantage[])[] {
  return vantages.reduce<Vantage[][]>((units, vantage) => {
    const shares = (unit: readonly Vantage[]) =>
      unit.some(({ edges }) => edges.some((edge) => vantage.edges.includes(edge)));
    return [...units.filter((unit) => !shares(unit)), [...units.filter(shares).flat(), vantage]];
  }, []);
}

/** By the one judge: a difference in milliseconds is a ratio beside what the baseline takes. */
function judgeDifference(
  { vantages, units, disagree, pooled }: DifferenceAcross,
  baselineMs: number,
): ReturnType<typeof verdictOf> {
  const inconclusive = (reason: string) => ({ verdict: "inconclusive" as const, reason });
  const [first] = vantages;
  if (first === undefined) {
    return inconclusive("No vantage has a trial with both targets.");
  }
  if (units.length < TRIALS_FOR_INTERVAL) {
    const there = first.interval === null ? "" : `, ${asMsInterval(first.interval)} there`;
    const what =
      vantages.length === 1
        ? `Only one vantage, ${first.vantage}${there}`
        : `All ${vantages.length} vantages stand behind the same edges and are one unit`;
    return inconclusive(
      `${what}: it says nothing about other routes. Measure from two vantages or more; ${ADVISED} are advised.`,
    );
  }
  if (disagree || pooled === null) {
    const each = vantages.map(
      ({ vantage, interval, estimate }) => `${vantage} ${asMsInterval(interval ?? { estimate })}`,
    );
    return inconclusive(
      `The vantages disagree: ${each.join(", ")}. Read each on its own; there is no common difference.`,
    );
  }
  const ratioOf = (ms: number) => Math.max(Number.EPSILON, 1 + ms / Math.max(baselineMs, Number.EPSILON));
  const { verdict } = verdictOf({ low: ratioOf(pooled.low), high: ratioOf(pooled.high) });
  const behindOne = units.some((unit) => unit.length > 1);
  const counted = `${units.length} ${behindOne ? "units (vantages behind the same edges are one)" : "vantages"}`;
  const advice = units.length < ADVISED ? ` ${ADVISED} vantages or more are advised.` : "";
  const interval = `interval over ${counted}, ${asMsInterval(pooled)}`;
  const near = "lies within 5 % of what the baseline takes from the nearest vantage";
  if (verdict === "same") {
    return { verdict, reason: `The ${interval}, ${near}.` };
  }
  if (verdict === "inconclusive") {
    return inconclusive(`The ${interval}, includes 0.${advice}`);
  }
  return { verdict, reason: `The whole ${interval}, lies ${pooled.low > 0 ? "above" : "below"} 0.${advice}` };
}

/** A difference in milliseconds with its interval: "4.88 ms (3.04 to 6.65)", or without one: "−0.12 ms". */
export function asMsInterval({
  estimate,
  low,
  high,
}: Pick<RatioInterval, "estimate"> & Partial<RatioInterval>): string {
  const isAlone = low === undefined || high === undefined;
  const size = isAlone ? Math.abs(estimate) : high - low;
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
  const signed = (ms: number) => {
    const text = Math.abs(ms).toFixed(decimals);
    return ms < 0 && Number(text) !== 0 ? `−${text}` : text;
  };
  return `${signed(estimate)} ms${isAlone ? "" : ` (${signed(low)} to ${signed(high)})`}`;
}
