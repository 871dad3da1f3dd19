import { join } from "node:path";
import { messageOf } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import {
  type ComparisonResult,
  type Contrast,
  type Estimate,
  type InstanceUsage,
  readRun,
  type Sample,
  type SideResult,
  type UnmeasuredSide,
  type WarmUp,
} from "@evenbench/results";
import { RunError, run } from "@evenbench/runner";
import {
  type CaseFit,
  type CellFit,
  cellsOf,
  compare,
  cpuValues,
  fitCase,
  fitValues,
  geometricInterval,
  warmInstances,
} from "@evenbench/stats";
import type { Bench, ComparisonPlan, Side } from "./define.ts";
import { estimate } from "./judge.ts";
import { otherwiseOf } from "./sides.ts";

const PRECISION = 0.02;

export const copyOf = (side: string) => `${side}~copy`;

/**
 * Measures sides as a run measures targets. Without its first side a comparison has no result but the reason.
 *
 * @param time as in `RunOptions`: one that the user gave ends warm-up, too.
 */
export async function compareSides(
  plan: ComparisonPlan,
  bench: Bench,
  time: { readonly timeMs: number } | { readonly totalMs: number },
): Promise<ComparisonResult> {
  const without: UnmeasuredSide[] = [];
  const targets = plan.sides.flatMap((side) => {
    try {
      return [bench.targetOf(side)];
    } catch (error) {
      without.push({ name: side.name, why: messageOf(error) });
      return [];
    }
  });
  const [first] = plan.sides;
  if (first === undefined || targets[0]?.name !== first.name) return nothing(plan, without);
  const { app } = targets[0];
  const manifests = (await app.cases()).filter(({ id }) => id === plan.caseId);
  if (manifests.length === 0) throw new Error(`No target of the comparison serves a case "${plan.caseId}".`);
  const folder = join(bench.folder, plan.id);
  const done = await run({
    targets,
    cases: { [app.id]: manifests },
    sides: true,
    baseline: first.name,
    workers: Math.max(1, ...plan.sides.map(({ start }) => start?.workers ?? 1)),
    spacing: plan.spacing ?? 1,
    pauseMs: plan.pauseMs ?? 0,
    ...(plan.mostTrials !== undefined && { mostTrials: plan.mostTrials }),
    // Where a number of trials is given, nothing ends early.
    precision: plan.mostTrials === undefined ? (plan.precision ?? PRECISION) : 0,
    ...time,
    exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS,
    seed: bench.seed,
    out: { id: plan.id, folder },
    signal: bench.signal,
    onProgress: (progress) => bench.progress(plan.id, { ...progress, trials: Math.max(1, progress.trials) }),
  }).catch((error: unknown) => {
    if (error instanceof RunError) return error;
    throw error;
  });
  const { run: record, samples } = await readRun(folder);
  bench.identities.push(...Object.values(record.identities));
  const dropped = record.events.flatMap(({ target, detail }) =>
    plan.sides.some(({ name }) => name === target) && record.identities[target ?? ""] === undefined
      ? [{ name: target ?? "", why: detail }]
      : [],
  );
  const unmeasured = [...dropped, ...without];
  if (done instanceof RunError) {
    if (record.identities[first.name] !== undefined) throw done;
    return nothing(plan, unmeasured);
  }
  return analyseComparison({
    ...{ plan, unmeasured, usage: record.usage, warmUps: record.warmUps },
    expected: done.expectations[plan.caseId] ?? {},
    samples: [...samples].filter(({ phase }) => phase === "measure"),
    // What was not measured has its own place.
    events: record.events
      .filter(({ kind, detail }) => kind !== "target-dropped" || dropped.every(({ why }) => why !== detail))
      .map(({ detail }) => detail),
  });
}

function nothing({ id, caseId }: ComparisonPlan, unmeasured: readonly UnmeasuredSide[]): ComparisonResult {
  return { id, caseId, sides: [], unmeasured, contrasts: [], control: null, trials: 0, events: [] };
}

interface Measurements {
  readonly plan: ComparisonPlan;
  /** What every exchange was held against, by side: one that has none was not measured. */
  readonly expected: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
  readonly unmeasured: readonly UnmeasuredSide[];
  readonly samples: readonly Sample[];
  readonly usage: readonly InstanceUsage[];
  readonly warmUps: readonly WarmUp[];
  readonly events: readonly string[];
}

interface Fits {
  readonly firstByteMs: CaseFit;
  readonly lastByteMs: CaseFit;
  readonly cpu: CellFit;
}

/** By the fits of a run; a ratio to a side that was not warm is none. Pure. */
export function analyseComparison(given: Measurements): ComparisonResult {
  const { plan, expected, unmeasured, samples, events } = given;
  const sides = plan.sides.filter(({ name }) => expected[name] !== undefined);
  const baseline = sides[0]?.name ?? "";
  const copy = copyOf(baseline);
  const warm = warmInstances(samples, given.warmUps);
  const question = { baseline, copy, targets: [...sides.map(({ name }) => name), copy] };
  const timesOf = (metric: "firstByteMs" | "lastByteMs") =>
    fitCase(samples, { ...question, caseId: plan.caseId, metric, warm: warm.times });
  const fits: Fits = {
    firstByteMs: timesOf("firstByteMs"),
    lastByteMs: timesOf("lastByteMs"),
    cpu: fitValues(cpuValues(given.usage), { ...question, warm: warm.cpuTime }),
  };
  const results = sides.map((side) => sideResult(side, given, fits));
  const others = sides.slice(1).map(({ name }) => [name, baseline] as const);
  const contrasts = (plan.contrasts ?? others).filter((pair) => pair.every((name) => expected[name]));
  return {
    ...{ id: plan.id, caseId: plan.caseId, sides: results, unmeasured, events },
    contrasts: contrasts.map(([side, against]) =>
      contrast(fits, side, against, against === baseline ? [baseline, copy] : [against]),
    ),
    control: sides.length === 0 ? null : contrast(fits, copy, baseline, [baseline]),
    trials: new Set(samples.map(({ trial }) => trial)).size,
  };
}

function sideResult(side: Side, { expected, samples, usage }: Measurements, fits: Fits): SideResult {
  const { name } = side;
  const own = samples.filter(({ target }) => target === name);
  const used = usage.filter(({ target }) => target === name);
  const most = (values: readonly number[]) => (values.length === 0 ? null : Math.max(...values));
  return {
    ...{ name, target: side.target, otherwise: otherwiseOf(side) },
    bodyBytes: expected[name]?.bytes ?? 0,
    bodySha256: expected[name]?.sha256 ?? "",
    exchanges: own.filter(({ error }) => error === null).length,
    errors: own.filter(({ error }) => error !== null).length,
    rendersPerRequest: rendersPerRequest(own),
    firstByteMs: medianOf(fits.firstByteMs, name),
    lastByteMs: medianOf(fits.lastByteMs, name),
    cpuMsPerExchange: meanOf(fits.cpu, name),
    residentBytes: most(used.map(({ residentBytes }) => residentBytes)),
    peakResidentBytes: most(used.flatMap(({ peakResidentBytes }) => peakResidentBytes ?? [])),
  };
}

/** Distinct renderings (or calls of the handler) among the responses, divided by the responses. */
function rendersPerRequest(samples: readonly Sample[]): number | null {
  const told = samples.filter(({ error, instanceId }) => error === null && instanceId !== null);
  // Instances have random ids; a page that was rendered when it was built has one for all of them.
  const distinct = new Set(told.map(({ instanceId, served }) => `${instanceId} ${served}`));
  return told.length === 0 ? null : distinct.size / told.length;
}

function medianOf({ summaries }: CaseFit, side: string): Estimate | null {
  const {
    median = null,
    medianLow: low = null,
    medianHigh: high = null,
  } = summaries.find(({ target }) => target === side) ?? {};
  return median === null || low === null || high === null ? null : { estimate: median, low, high };
}

/** Of warm instances; of a side that has too few, of all. */
function meanOf(fit: CellFit, side: string): Estimate | null {
  return estimate(geometricInterval(cellsOf(fit, side).map(({ logMs }) => logMs)));
}

function contrast(fits: Fits, side: string, against: string, divisors: readonly string[]): Contrast {
  const [first, last, cpu] = [fits.firstByteMs, fits.lastByteMs, fits.cpu].map((fit) =>
    compare(fit, side, divisors),
  ) as [Ratio, Ratio, Ratio];
  return {
    ...{ side, against, firstByteMs: warmRatio(first), lastByteMs: warmRatio(last), cpu: warmRatio(cpu) },
    notWarm: [last, cpu].find(({ verdict }) => verdict === "not warm")?.reason ?? null,
  };
}

type Ratio = ReturnType<typeof compare>;

function warmRatio({ ratio, verdict }: Ratio): Estimate | null {
  return verdict === "not warm" ? null : estimate(ratio);
}
