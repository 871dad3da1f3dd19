import type { Sample } from "@evenbench/results";
import type { CaseQuestion } from "./analyse-case.ts";
import { coldTargets, instanceCells, seriesByTarget, TRIALS_FOR_INTERVAL } from "./cells.ts";
import { basesOf, othersOf } from "./compare.ts";
import { computeValues } from "./costs.ts";
import { LEVEL, meanInterval } from "./model.ts";
import { mean, meanOrNull, medianOf, medianOrNull, type Rounds, variance } from "./numbers.ts";
import { judge, type RatioInterval, type Verdict } from "./verdict.ts";

/** From so many vantages on Student's t is no longer wide because they are few. */
const ADVISED = 5;

/** An estimate in milliseconds with its 99 % interval. */
export type MsInterval = Omit<RatioInterval, "level">;

export type VantageAnalysis = ReturnType<typeof analyseVantages>;
export type VantageRow = VantageAnalysis["rows"][number];
export type VantageComparison = VantageAnalysis["comparisons"][number];
export type DifferenceAcross = ReturnType<typeof differenceAcross>;
type VantageDifference = DifferenceAcross["vantages"][number];

/** An instance with where it was seen from. A trial is one client's. */
type PlacedCell = ReturnType<typeof placedCells>[number];

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
    ...{ target, baseline, time: judgeAcross(cells, target, by) },
    /** Of the last byte, each side without its own transfer time. */
    compute: [target, baseline].every((name) => computed.some((cell) => cell.target === name))
      ? judgeAcross(computed, target, by)
      : null,
  });
  return {
    rows: vantageRows(placed, question.targets, cells),
    comparisons: othersOf(question).map((target) => compare(target, basesOf(question))),
    control: copy === null ? null : compare(copy, [baseline]),
  };
}

function placedCells(placed: readonly Sample[], { caseId, metric, targets, warm }: CaseQuestion) {
  const trials = Map.groupBy(placed, ({ target, trial }) => `${trial} ${target}`);
  const computed = new Map(computeValues(placed).map((one) => [`${one.trial} ${one.target}`, one]));
  const series = seriesByTarget(placed, caseId, metric);
  return instanceCells(series, targets, warm).flatMap((cell) => {
    const key = `${cell.block} ${cell.target}`;
    const own = trials.get(key) ?? [];
    const from = own[0]?.from;
    if (from === undefined) return [];
    const edges = own.flatMap((one) => one.from?.edge ?? []);
    // Through which most of its exchanges went.
    const [most] = [...Map.groupBy(edges, (edge) => edge).values()].toSorted((a, b) => b.length - a.length);
    const { transferMs = null, ms: computeMs = null } = computed.get(key) ?? {};
    const ms = medianOf(series.get(cell.target)?.trials.get(cell.block) as Rounds);
    const { vantage, client } = from;
    return [{ ...cell, ...{ vantage, client, edge: most?.[0] ?? null, ms, transferMs, computeMs } }];
  });
}

function judgeAcross(cells: readonly PlacedCell[], target: string, by: readonly string[]) {
  const sides = cells.filter((cell) => cell.target === target || by.includes(cell.target));
  const places = Map.groupBy(sides, ({ vantage }) => vantage);
  const coldAt = new Map(
    [...places].flatMap(([vantage, own]) =>
      [...coldTargets(own).values()].slice(0, 1).map((why) => [vantage, `${vantage} (${why})`] as const),
    ),
  );
  const isCold = coldAt.size > 0 && coldAt.size >= places.size / 2;
  const counting = isCold ? sides : sides.filter((cell) => cell.cold === null && !coldAt.has(cell.vantage));
  const difference = differenceAcross(counting, target);
  const notes = coldAt.size === 0 ? [] : [`Not warm at ${[...coldAt.values()].join(", at ")}.`];
  if (isCold) return { difference, verdict: "not warm" as Verdict, reason: notes.join("") };
  // From the nearest vantage, where the least of it is the route.
  const bases = counting.filter((cell) => cell.target !== target);
  const levels = [...Map.groupBy(bases, ({ vantage }) => vantage).values()].map((own) =>
    mean(own.map(({ ms }) => ms)),
  );
  const { verdict, reason } = judgeDifference(difference, Math.min(...levels));
  return { difference, verdict, reason: [reason, ...notes].join(" ") };
}

/** Each trial is of one client. Of two targets, the two-way fit is the mean of their differences. */
function differenceAcross(cells: readonly PlacedCell[], target: string) {
  const trials = [...Map.groupBy(cells, ({ block }) => block).values()].flatMap((trial) => {
    const own = trial.find((cell) => cell.target === target);
    const others = trial.filter((cell) => cell !== own);
    const [other] = others;
    if (own === undefined || other === undefined) return [];
    const way = own.edge === null && other.edge === null ? null : `${own.edge ?? "–"}, ${other.edge ?? "–"}`;
    return [{ vantage: own.vantage, client: own.client, way, ms: own.ms - mean(others.map(({ ms }) => ms)) }];
  });
  const measured = [...Map.groupBy(trials, ({ vantage }) => vantage)].map(([vantage, own]) => {
    const ways = Map.groupBy(own, ({ way }) => way);
    // Clients behind the same edges are no evidence of others.
    const equals = ways.size > 1 ? [...ways.values()] : own.map((one) => [one]);
    const values = equals.map((all) => mean(all.map(({ ms }) => ms)));
    const told = {
      ...{ vantage, estimate: mean(values), interval: meanInterval(values), trials: own.length },
      clients: new Set(own.map(({ client }) => client)).size,
      edges: [...ways.keys()].filter((way) => way !== null),
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
  const areApart = Math.max(...known.map(({ low }) => low)) > Math.min(...known.map(({ high }) => high));
  const signs = new Set(known.map(({ low, high }) => (low > 0 ? 1 : high < 0 ? -1 : 0)));
  const onOneSide = known.length === vantages.length && signs.size === 1 && !signs.has(0);
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
function judgeDifference(difference: DifferenceAcross, baselineMs: number): ReturnType<typeof judge> {
  const { vantages, units, disagree, pooled } = difference;
  const inconclusive = (reason: string) => ({ verdict: "inconclusive" as const, reason });
  if (vantages.length === 0) return inconclusive("No vantage has a trial with both targets.");
  if (units.length < TRIALS_FOR_INTERVAL) {
    const [{ vantage, interval }] = vantages as [VantageDifference];
    const seen = interval === null ? "" : `, ${asMsInterval(interval)} there`;
    const what =
      vantages.length === 1
        ? `Only one vantage, ${vantage}${seen}`
        : `All ${vantages.length} vantages stand behind the same edges and are one unit`;
    const advice = `Measure from two vantages or more; ${ADVISED} are advised.`;
    return inconclusive(`${what}: it says nothing about other routes. ${advice}`);
  }
  if (disagree || pooled === null) {
    const each = vantages
      .map((one) => `${one.vantage} ${asMsInterval(one.interval ?? { estimate: one.estimate })}`)
      .join(", ");
    return inconclusive(
      `The vantages disagree: ${each}. Read each on its own; there is no common difference.`,
    );
  }
  const ratioOf = (ms: number) => Math.max(Number.EPSILON, 1 + ms / Math.max(baselineMs, Number.EPSILON));
  const [low, high] = [ratioOf(pooled.low), ratioOf(pooled.high)];
  const { verdict } = judge({ estimate: ratioOf(pooled.estimate), low, high, level: LEVEL });
  const behindOne = units.some((unit) => unit.length > 1);
  const counted = `${units.length} ${behindOne ? "units (vantages behind the same edges are one)" : "vantages"}`;
  const advice = units.length < ADVISED ? ` ${ADVISED} vantages or more are advised.` : "";
  const interval = `interval over ${counted}, ${asMsInterval(pooled)}`;
  const near = "lies within 5 % of what the baseline takes from the nearest vantage";
  if (verdict === "same") return { verdict, reason: `The ${interval}, ${near}.` };
  if (verdict === "inconclusive") return inconclusive(`The ${interval}, includes 0.${advice}`);
  return { verdict, reason: `The whole ${interval}, lies ${low > 1 ? "above" : "below"} 0.${advice}` };
}

function vantageRows(placed: readonly Sample[], targets: readonly string[], cells: readonly PlacedCell[]) {
  return [...Map.groupBy(placed, ({ from }) => from?.vantage ?? "")].flatMap(([vantage, seen]) =>
    targets.flatMap((target) => {
      const exchanges = seen.filter((one) => one.target === target);
      if (exchanges.length === 0) return [];
      const own = cells.filter((cell) => cell.vantage === vantage && cell.target === target);
      const measured = exchanges.filter(({ phase }) => phase === "measure");
      const good = measured.filter(({ error }) => error === null);
      const each = (of: (sample: Sample) => string | null | undefined) => [
        ...new Set(exchanges.flatMap((one) => of(one) ?? [])),
      ];
      return {
        ...{ vantage, target, clients: each(({ from }) => from?.client).length },
        trials: new Set(exchanges.map(({ trial }) => trial)).size,
        exchanges: good.length,
        errors: measured.length - good.length,
        medianMs: meanOrNull(own.map(({ ms }) => ms)),
        transferMs: meanOrNull(own.map(({ transferMs }) => transferMs)),
        computeMs: meanOrNull(own.map(({ computeMs }) => computeMs)),
        connectMs: medianOrNull(exchanges.map(({ connectMs }) => connectMs)),
        edges: each(({ from }) => from?.edge).sort(),
        instances: each(({ instanceId }) => instanceId).length,
        httpVersions: each(({ from }) => from?.httpVersion).sort(),
      };
    }),
  );
}

/** A difference in milliseconds with its interval: "4.88 ms (3.04 to 6.65)", or without one: "−0.12 ms". */
export function asMsInterval({
  estimate,
  low,
  high,
}: Pick<MsInterval, "estimate"> & Partial<MsInterval>): string {
  const isAlone = low === undefined || high === undefined;
  const size = isAlone ? Math.abs(estimate) : high - low;
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
  const signed = (ms: number) => {
    const text = Math.abs(ms).toFixed(decimals);
    return ms < 0 && Number(text) !== 0 ? `−${text}` : text;
  };
  return `${signed(estimate)} ms${isAlone ? "" : ` (${signed(low)} to ${signed(high)})`}`;
}
