import { join } from "node:path";
import { messageOf } from "@evenbench/core";
import {
  type ComparisonResult,
  type Contrast,
  type Estimate,
  type Run,
  readRun,
  type Sample,
  type SideResult,
  type UnmeasuredSide,
} from "@evenbench/results";
import { type LocalTarget, RunError, type RunOptions, run } from "@evenbench/runner";
import {
  type CaseFit,
  type CellFit,
  cellsOf,
  compareCells,
  cpuValues,
  fitCase,
  fitValues,
  geometricInterval,
  warmInstances,
} from "@evenbench/stats";
import type { Bench, ComparisonPlan, Side } from "./define.ts";
import { otherwiseOf } from "./sides.ts";

const PRECISION = 0.02;

/** Names the A/A copy of a side. */
export const copyOf = (side: string) => `${side}~copy`;

/**
 * Measures sides as a run measures targets. Without its first side a comparison has no result but the reason.
 *
 * @param time as in `RunOptions`: one that the user gave ends warm-up, too.
 */
export async function compareSides(
  plan: ComparisonPlan,
  bench: Bench,
  time: Pick<RunOptions, "timeMs" | "totalMs">,
): Promise<ComparisonResult> {
  const { id, caseId, sides } = plan;
  const { targets, without } = targetsOf(sides, bench);
  const baseline = sides[0]?.name ?? "";
  const [first] = targets;
  if (first?.name !== baseline) {
    return nothingOf(plan, without);
  }
  const manifests = (await first.app.cases()).filter((manifest) => manifest.id === caseId);
  if (manifests.length === 0) {
    throw new Error(`No target of the comparison serves a case "${caseId}".`);
  }
  const folder = join(bench.folder, id);
  const options = { ...runOptions(plan, bench), ...time, targets, cases: { [first.app.id]: manifests } };
  const done = await run({ ...options, out: { id, folder } }).catch((error: unknown) => {
    if (error instanceof RunError) {
      return error;
    }
    throw error;
  });
  const { run: record, samples } = await readRun(folder);
  bench.identities.push(...Object.values(record.identities));
  const isDropped = ({ target }: Run["events"][number]) =>
    sides.some(({ name }) => name === target) && record.identities[target ?? ""] === undefined;
  const dropped = record.events.filter(isDropped);
  const unmeasured = [
    ...dropped.map(({ target, detail }) => ({ name: target ?? "", why: detail })),
    ...without,
  ];
  if (done instanceof RunError) {
    if (record.identities[baseline] !== undefined) {
      throw done;
    }
    return nothingOf(plan, unmeasured);
  }
  return analyseComparison(plan, {
    record,
    unmeasured,
    expected: done.expectations[caseId] ?? {},
    samples: [...samples].filter(({ phase }) => phase === "measure"),
    // What was not measured has its own place.
    events: record.events.filter((event) => !isDropped(event)).map(({ detail }) => detail),
  });
}

/** The targets of the sides of a comparison, in their order, and the sides that have none. */
interface SideTargets {
  readonly targets: readonly LocalTarget[];
  readonly without: readonly UnmeasuredSide[];
}

function targetsOf(sides: readonly Side[], bench: Bench): SideTargets {
  const targets: LocalTarget[] = [];
  const without: UnmeasuredSide[] = [];
  for (const side of sides) {
    try {
      targets.push(bench.targetOf(side));
    } catch (error) {
      without.push({ name: side.name, why: messageOf(error) });
    }
  }
  return { targets, without };
}

/** Makes the result of a comparison of which nothing could be measured. */
function nothingOf({ id, caseId }: ComparisonPlan, unmeasured: readonly UnmeasuredSide[]): ComparisonResult {
  return { id, caseId, sides: [], unmeasured, contrasts: [], control: null, trials: 0, events: [] };
}

/** Gives the options of the run that measures a comparison, but for its targets, cases, time and folder. */
function runOptions(plan: ComparisonPlan, bench: Bench): Omit<RunOptions, "targets" | "cases" | "out"> {
  const { id, caseId, sides, contrasts, weight, ...how } = plan;
  return {
    sides: true,
    baseline: sides[0]?.name ?? "",
    workers: Math.max(1, ...sides.map(({ start }) => start?.workers ?? 1)),
    // Where a number of trials is given, nothing ends early.
    precision: how.mostTrials === undefined ? PRECISION : 0,
    ...how,
    seed: bench.seed,
    signal: bench.signal,
    onProgress: (progress) => bench.progress(id, { ...progress, trials: Math.max(1, progress.trials) }),
  };
}

interface Measured {
  readonly record: Pick<Run, "usage" | "warmUps">;
  /** The body that every exchange was held against, by side: a side that has none was not measured. */
  readonly expected: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
  readonly unmeasured: readonly UnmeasuredSide[];
  readonly samples: readonly Sample[];
  readonly events: readonly string[];
}

interface Fits {
  readonly firstByteMs: CaseFit;
  readonly lastByteMs: CaseFit;
  readonly cpu: CellFit;
}

/** Analyses the samples of a comparison: the contrasts of its sides, and the A/A control of the first one. */
export function analyseComparison(plan: ComparisonPlan, measured: Measured): ComparisonResult {
  const { id, caseId } = plan;
  const { record, expected, unmeasured, samples, events } = measured;
  const sides = plan.sides.filter(({ name }) => expected[name] !== undefined);
  const baseline = sides[0]?.name ?? "";
  const copy = copyOf(baseline);
  const warm = warmInstances(samples, record.warmUps);
  const question = { caseId, baseline, copy, targets: [...sides.map(({ name }) => name), copy] };
  const fits: Fits = {
    firstByteMs: fitCase(samples, { ...question, metric: "firstByteMs", warm: warm.times }),
    lastByteMs: fitCase(samples, { ...question, metric: "lastByteMs", warm: warm.times }),
    cpu: fitValues(cpuValues(record.usage), { ...question, warm: warm.cpuTime }),
  };
  const others = sides.slice(1).map(({ name }) => [name, baseline] as const);
  const contrasts = (plan.contrasts ?? others).filter((pair) => pair.every((name) => expected[name]));
  return {
    id,
    caseId,
    unmeasured,
    events,
    sides: sides.map((side) => sideResult(side, measured, fits)),
    contrasts: contrasts.map(([side, against]) =>
      contrast(fits, side, against, against === baseline ? [baseline, copy] : [against]),
    ),
    control: sides.length === 0 ? null : contrast(fits, copy, baseline, [baseline]),
    trials: new Set(samples.map(({ trial }) => trial)).size,
  };
}

function sideResult(side: Side, { expected, samples, record }: Measured, fits: Fits): SideResult {
  const { name } = side;
  const sent = samples.filter(({ target }) => target === name);
  const used = record.usage.filter(({ target }) => target === name);
  const most = (values: readonly number[]) => (values.length === 0 ? null : Math.max(...values));
  const errors = sent.filter(({ error }) => error !== null).length;
  return {
    name,
    target: side.target,
    otherwise: otherwiseOf(side),
    errors,
    exchanges: sent.length - errors,
    bodyBytes: expected[name]?.bytes ?? 0,
    bodySha256: expected[name]?.sha256 ?? "",
    rendersPerRequest: rendersPerRequest(sent),
    firstByteMs: medianOf(fits.firstByteMs, name),
    lastByteMs: medianOf(fits.lastByteMs, name),
    // Of warm instances; of a side that has too few, of all.
    cpuMsPerExchange: geometricInterval(cellsOf(fits.cpu, name).map(({ logMs }) => logMs)),
    residentBytes: most(used.map(({ residentBytes }) => residentBytes)),
    peakResidentBytes: most(used.flatMap(({ peakResidentBytes }) => peakResidentBytes ?? [])),
  };
}

/** Distinct renderings (or calls of the handler) among the responses, divided by the responses. */
function rendersPerRequest(samples: readonly Sample[]): number | null {
  const answers = samples.filter(({ error, instanceId }) => error === null && instanceId !== null);
  // Instances have random ids; a page that was rendered when it was built has one for all of them.
  const distinct = new Set(answers.map(({ instanceId, served }) => `${instanceId} ${served}`));
  return answers.length === 0 ? null : distinct.size / answers.length;
}

function medianOf({ summaries }: CaseFit, side: string): Estimate | null {
  const { medianMs, medianLowMs, medianHighMs } = summaries.find(({ target }) => target === side) ?? {};
  if (medianMs == null || medianLowMs == null || medianHighMs == null) {
    return null;
  }
  return { estimate: medianMs, low: medianLowMs, high: medianHighMs };
}

/** A ratio to a side that was not warm is none. */
function contrast(fits: Fits, side: string, against: string, divisors: readonly string[]): Contrast {
  const all = [fits.firstByteMs, fits.lastByteMs, fits.cpu].map((fit) =>
    compareCells(fit, side, { by: divisors }),
  );
  const [firstByteMs = null, lastByteMs = null, cpu = null] = all.map(({ ratio, verdict }) =>
    verdict === "not warm" ? null : ratio,
  );
  const cold = all.slice(1).find(({ verdict }) => verdict === "not warm");
  return { side, against, firstByteMs, lastByteMs, cpu, notWarm: cold?.reason ?? null };
}
