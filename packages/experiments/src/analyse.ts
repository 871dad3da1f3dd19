import type {
  ComparisonResult,
  Contrast,
  Estimate,
  InstanceUsage,
  Sample,
  SideResult,
  UnmeasuredSide,
  WarmUp,
} from "@evenbench/results";
import {
  analyseCase,
  type Comparison,
  compare,
  cpuValues,
  fitCells,
  geometricInterval,
  type Metric,
  valueCells,
  type Warm,
  warmInstances,
} from "@evenbench/stats";
import type { ComparisonPlan, Side } from "./define.ts";
import { estimate } from "./judge.ts";
import { otherwiseOf } from "./sides.ts";

/** A side that answered, and what every exchange with it was held against. */
export interface VerifiedSide {
  readonly side: Side;
  readonly request: { readonly expected: { readonly bytes: number; readonly sha256: string } };
}

export interface Measurements {
  readonly plan: ComparisonPlan;
  /** The first of them has the A/A copy. */
  readonly sides: readonly VerifiedSide[];
  readonly unmeasured: readonly UnmeasuredSide[];
  readonly samples: readonly Sample[];
  readonly usage: readonly InstanceUsage[];
  readonly warmUps: readonly WarmUp[];
  readonly events: readonly string[];
  readonly seed: number;
}

interface Known extends Measurements {
  readonly warm: Warm;
}

export const copyOf = (side: string) => `${side}~copy`;

/**
 * Medians, ratios and the control of a comparison, of warm instances; a ratio to a side that was not warm is
 * none. Pure.
 */
export function analyseComparison(given: Measurements): ComparisonResult {
  const { plan, sides, unmeasured, samples, warmUps, events } = given;
  const measured = { ...given, warm: warmInstances(samples, warmUps) };
  const results = sides.map((side) => analyseSide(side, measured));
  const first = sides[0]?.side.name;
  const wanted = pairsOf(plan, results).filter((pair) =>
    pair.every((name) => sides.some(({ side }) => side.name === name)),
  );
  return {
    id: plan.id,
    caseId: plan.caseId,
    sides: results,
    unmeasured,
    contrasts: wanted.map(([side, against]) => contrast(side, against, measured)),
    control: first === undefined ? null : contrast(copyOf(first), first, measured),
    trials: new Set(samples.map(({ trial }) => trial)).size,
    events,
  };
}

function pairsOf(
  { contrasts = "first" }: ComparisonPlan,
  results: readonly SideResult[],
): readonly (readonly [string, string])[] {
  if (typeof contrasts !== "string") return contrasts;
  const against = [results[0], ...(contrasts === "first" ? [] : [cheapestOf(results)])];
  return [...new Set(against)].flatMap((divisor) =>
    divisor === undefined
      ? []
      : results.filter((one) => one !== divisor).map(({ name }) => [name, divisor.name] as const),
  );
}

/** The side with the least CPU time, or, where the system does not report it, with the earliest last byte. */
function cheapestOf(results: readonly SideResult[]): SideResult | undefined {
  const costs = results.every(({ cpuMsPerExchange }) => cpuMsPerExchange !== null)
    ? (one: SideResult) => one.cpuMsPerExchange?.estimate
    : (one: SideResult) => one.lastByteMs?.estimate;
  return results.toSorted((a, b) => (costs(a) ?? Infinity) - (costs(b) ?? Infinity))[0];
}

function analyseSide({ side, request }: VerifiedSide, { samples, usage, warm, plan }: Known): SideResult {
  const own = samples.filter(({ target }) => target === side.name);
  const used = usage.filter(({ target }) => target === side.name);
  const most = (values: readonly number[]) => (values.length === 0 ? null : Math.max(...values));
  return {
    name: side.name,
    target: side.target,
    otherwise: otherwiseOf(side),
    bodyBytes: request.expected.bytes,
    bodySha256: request.expected.sha256,
    exchanges: own.filter(({ error }) => error === null).length,
    errors: own.filter(({ error }) => error !== null).length,
    rendersPerRequest: rendersPerRequest(own),
    firstByteMs: medianOf(own, "firstByteMs", plan, warm),
    lastByteMs: medianOf(own, "lastByteMs", plan, warm),
    lastToFirst: lastToFirst(own, plan, warm),
    cpuMsPerExchange: cpuOf(side.name, usage, warm),
    residentBytes: most(used.map(({ residentBytes }) => residentBytes)),
    peakResidentBytes: most(used.flatMap(({ peakResidentBytes }) => peakResidentBytes ?? [])),
  };
}

/** Distinct renderings (or calls of the handler) among the responses, divided by the responses. */
function rendersPerRequest(samples: readonly Sample[]): number | null {
  const told = samples.filter(({ error, instanceId }) => error === null && instanceId !== null);
  if (told.length === 0) return null;
  // Instances have random ids; a page that was rendered when it was built has one for all of them.
  const distinct = new Set(told.map(({ instanceId, served }) => `${instanceId} ${served}`));
  return distinct.size / told.length;
}

function medianOf(
  samples: readonly Sample[],
  metric: Metric,
  { caseId }: ComparisonPlan,
  warm: Warm,
): Estimate | null {
  const target = samples[0]?.target;
  if (target === undefined) return null;
  const question = { caseId, metric, baseline: target, copy: null, targets: [target], warm: warm.times };
  const {
    median = null,
    medianLow = null,
    medianHigh = null,
  } = analyseCase(samples, question).summaries[0] ?? {};
  return median === null || medianLow === null || medianHigh === null
    ? null
    : { estimate: median, low: medianLow, high: medianHigh };
}

function cpuOf(side: string, usage: readonly InstanceUsage[], warm: Warm): Estimate | null {
  const cells = valueCells(cpuValues(usage), warm.cpuTime).filter(({ target }) => target === side);
  const kept = cells.filter(({ cold }) => cold === null);
  // By the one rule for warm: of a side that has too few warm instances all count.
  const isCold = fitCells(cells, { baseline: side, copy: null, targets: [side] }).cold.has(side);
  return estimate(geometricInterval((isCold ? cells : kept).map(({ logMs }) => logMs)));
}

/** The last byte against the first one of the same exchanges: as if they were two targets of one round. */
function lastToFirst(samples: readonly Sample[], { caseId }: ComparisonPlan, warm: Warm): Estimate | null {
  const both = samples.flatMap((sample) => [
    { ...sample, target: "last" },
    { ...sample, target: "first", lastByteMs: sample.firstByteMs },
  ]);
  const seen = warm.times.get(samples[0]?.target ?? "") ?? new Map();
  const question = {
    ...({ caseId, metric: "lastByteMs", baseline: "first", copy: null, targets: ["last"] } as const),
    warm: new Map([
      ["last", seen],
      ["first", seen],
    ]),
  };
  return estimate(analyseCase(both, question).comparisons[0]?.ratio ?? null);
}

function contrast(side: string, against: string, { plan, samples, usage, warm }: Known): Contrast {
  const sides = { baseline: against, copy: null, targets: [side] };
  const compareTimes = (metric: Metric) =>
    analyseCase(samples, { ...sides, caseId: plan.caseId, metric, warm: warm.times }).comparisons[0];
  const [first, last] = [compareTimes("firstByteMs"), compareTimes("lastByteMs")];
  const cpu = compare(fitCells(valueCells(cpuValues(usage), warm.cpuTime), sides), side);
  const isCpuCold = cpu.verdict === "not warm";
  return {
    side,
    against,
    firstByteMs: ratioOf(first),
    lastByteMs: ratioOf(last),
    cpu: isCpuCold ? null : estimate(cpu.ratio),
    notWarm: last?.verdict === "not warm" ? last.reason : isCpuCold ? CPU_COLD : null,
  };
}

const CPU_COLD = "Not warm: its CPU time still moved while it was measured.";

/** null where a side was not warm, too. */
function ratioOf(comparison: Comparison | undefined): Estimate | null {
  return comparison === undefined || comparison.verdict === "not warm" ? null : estimate(comparison.ratio);
}
