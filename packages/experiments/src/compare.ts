import { join } from "node:path";
import { messageOf } from "@evenbench/core";
import { coldTargetWords } from "@evenbench/report";
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
import {
  type LocalTarget,
  type MeasuredCase,
  RunError,
  type RunOptions,
  type RunResult,
  run,
} from "@evenbench/runner";
import {
  type CaseFit,
  type CellComparisonOptions,
  type CellFit,
  type ComparedCells,
  type Confidence,
  cellsOf,
  compareCells,
  cpuValues,
  fitCase,
  fitValues,
  geometricInterval,
  STOP_CONFIDENCE,
  VERDICT_CONFIDENCE,
  warmInstances,
} from "@evenbench/stats";
import type { Bench, ComparisonPlan, FigureQuestion, Side } from "./define.ts";
import { figureFor } from "./judge.ts";
import { otherwiseOf } from "./sides.ts";

/** Largest number of trials of a comparison while a part of its claim is open. */
const MOST_TRIALS = 60;

/** A claim of which a comparison is measured: what it asks, and what is known by then. */
export interface AskedClaim {
  readonly figures: readonly FigureQuestion[];
  /** Results of the comparisons that were measured before, by id. */
  readonly known: Readonly<Record<string, ComparisonResult>>;
}

/** Names the A/A copy of a side. */
export const copyOf = (side: string) => `${side}~copy`;

/**
 * Measures sides as a run measures targets. Without its first side a comparison has no result but the reason.
 *
 * @param time as in `RunOptions`: one that the user gave ends warm-up, too.
 * @param claim what the comparison is measured for: it goes on while a part of that is open.
 * @throws {RunError} where the run cannot begin for another reason than its first side.
 */
export async function compareSides(
  plan: ComparisonPlan,
  bench: Bench,
  time: Pick<RunOptions, "timeMs" | "totalMs">,
  claim: AskedClaim,
): Promise<ComparisonResult> {
  const { id, caseId, sides } = plan;
  const { targets, without } = sideTargetsOf(sides, bench);
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
  const done = await runOrRefusal({
    ...runOptions(plan, bench, claim),
    ...time,
    targets,
    cases: { [first.app.id]: manifests },
    out: { id, folder },
  });
  const { run: record, samples } = await readRun(folder);
  bench.identities.push(...Object.values(record.identities));
  const isSide = (target: string | null) => sides.some(({ name }) => name === target);
  // A side that preflight has dropped has no identity: its event is no event of the comparison, but the reason.
  const isDropped = ({ target }: Run["events"][number]) =>
    isSide(target) && record.identities[target ?? ""] === undefined;
  const reasons = record.events
    .filter(isDropped)
    .map(({ target, detail }) => ({ name: target ?? "", why: detail }));
  const unmeasured = [...reasons, ...without];
  if (!(done instanceof RunError)) {
    return analyseComparison(plan, {
      record,
      unmeasured,
      expected: done.expectations[caseId] ?? {},
      samples: [...samples].filter(({ phase }) => phase === "measure"),
      events: record.events.filter((event) => !isDropped(event)).map(({ detail }) => detail),
    });
  }
  if (record.identities[baseline] !== undefined) {
    throw done;
  }
  return nothingOf(plan, unmeasured);
}

/** Runs a benchmark. @returns its result; the error where it could not begin, since its record says more. */
async function runOrRefusal(options: RunOptions): Promise<RunResult | RunError> {
  try {
    return await run(options);
  } catch (error) {
    if (error instanceof RunError) {
      return error;
    }
    throw error;
  }
}

/** The targets of the sides of a comparison, in their order, and the sides that have none. */
interface SideTargets {
  readonly targets: readonly LocalTarget[];
  readonly without: readonly UnmeasuredSide[];
}

/** Makes the targets of sides; a side without one is listed with the reason. */
function sideTargetsOf(sides: readonly Side[], bench: Bench): SideTargets {
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
function runOptions(
  plan: ComparisonPlan,
  bench: Bench,
  claim: AskedClaim,
): Omit<RunOptions, "targets" | "cases" | "out"> {
  const { id, caseId, sides, contrasts, weight, ...how } = plan;
  return {
    sides: true,
    baseline: sides[0]?.name ?? "",
    workers: Math.max(1, ...sides.map(({ start }) => start?.workers ?? 1)),
    mostTrials: MOST_TRIALS,
    openTargets: (soFar) => openSides(plan, claim, soFar),
    ...how,
    seed: bench.seed,
    asked: bench.asked,
    signal: bench.signal,
    onProgress: (progress) => bench.progress(id, { ...progress, trials: Math.max(1, progress.trials) }),
  };
}

/**
 * Names the sides of a comparison that the open parts of its claim speak of, by what was measured so far. A part is
 * open while its rule does not decide at `STOP_CONFIDENCE`: it is looked at after each trial, and each look is a
 * chance to be wrong. What stands beside the claim keeps nothing open; a comparison that the claim's own `decide`
 * works on has as many trials as it says.
 */
export function openSides(
  plan: ComparisonPlan,
  { figures, known }: AskedClaim,
  soFar: Pick<MeasuredCase, "targets" | "samples" | "warmUps" | "usage">,
): readonly string[] {
  const parts = partsIn(plan, figures);
  if (parts.length === 0) {
    return plan.mostTrials === undefined ? [] : plan.sides.map(({ name }) => name);
  }
  const measured: MeasuredSides = {
    record: { usage: soFar.usage, warmUps: soFar.warmUps },
    expected: Object.fromEntries(soFar.targets.map(({ name }) => [name, UNKNOWN_BODY])),
    unmeasured: [],
    samples: soFar.samples,
    events: [],
  };
  const comparisons = { ...known, [plan.id]: analyseComparison(plan, measured, STOP_CONFIDENCE) };
  const open = parts.filter(
    (question) => figureFor({ comparisons, loads: {} }, question).verdict === "unclear",
  );
  return [...new Set(open.flatMap((question) => sidesAskedOf(plan, question)))];
}

/** Lists the questions that decide a claim and ask for this comparison. */
export function partsIn(plan: ComparisonPlan, figures: readonly FigureQuestion[]): readonly FigureQuestion[] {
  return figures.filter((question) => question.rule !== undefined && sidesAskedOf(plan, question).length > 0);
}

/** Stands for a side's body until the comparison has ended, when it is known: no part of a claim speaks of bodies. */
const UNKNOWN_BODY = { bytes: 0, sha256: "" };

/** Names the sides of a comparison that a question asks for; none where it asks for another comparison. */
function sidesAskedOf({ id }: ComparisonPlan, question: FigureQuestion): readonly string[] {
  if ("load" in question) {
    return [];
  }
  if ("unit" in question) {
    return question.comparison === id ? [question.side] : [];
  }
  const { beside } = question;
  const pairs = beside === undefined ? [question] : [question, beside];
  return pairs.filter(({ comparison }) => comparison === id).flatMap(({ side, against }) => [side, against]);
}

/** All that was measured of a comparison. */
interface MeasuredSides {
  readonly record: Pick<Run, "usage" | "warmUps">;
  /** The body that every exchange was held against, by side: a side that has none was not measured. */
  readonly expected: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
  readonly unmeasured: readonly UnmeasuredSide[];
  /** Samples of measured rounds. */
  readonly samples: readonly Sample[];
  /** Details of the run's events, a sentence each. */
  readonly events: readonly string[];
}

/** The fits of a comparison's sides, by metric. */
interface SideFits {
  readonly firstByteMs: CaseFit;
  readonly lastByteMs: CaseFit;
  readonly cpu: CellFit;
}

/**
 * Analyses the samples of a comparison: the contrasts of its sides, and the A/A control of the first one.
 *
 * @param confidence levels of its intervals. Default: those of verdicts.
 */
export function analyseComparison(
  plan: ComparisonPlan,
  measured: MeasuredSides,
  confidence: Confidence = VERDICT_CONFIDENCE,
): ComparisonResult {
  const { id, caseId } = plan;
  const { record, expected, unmeasured, samples, events } = measured;
  const sides = plan.sides.filter(({ name }) => expected[name] !== undefined);
  const baseline = sides[0]?.name ?? "";
  const copy = copyOf(baseline);
  const warm = warmInstances(samples, record.warmUps);
  const question = { caseId, baseline, copy, targets: [...sides.map(({ name }) => name), copy] };
  const fits: SideFits = {
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
    sides: sides.map((side) => sideResult(side, measured, fits, confidence)),
    contrasts: contrasts.map(([side, against]) =>
      contrastOf(fits, side, against, {
        by: against === baseline ? [baseline, copy] : [against],
        confidence,
      }),
    ),
    control: sides.length === 0 ? null : contrastOf(fits, copy, baseline, { by: [baseline], confidence }),
    trials: new Set(samples.map(({ trial }) => trial)).size,
  };
}

/** Makes the result of one side. */
function sideResult(
  side: Side,
  { expected, samples, record }: MeasuredSides,
  fits: SideFits,
  { difference: level }: Confidence,
): SideResult {
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
    firstByteMs: trialMeanOf(fits.firstByteMs, name, level),
    lastByteMs: trialMeanOf(fits.lastByteMs, name, level),
    // Of warm instances; of a side that has too few, of all.
    cpuMsPerExchange: geometricInterval(
      cellsOf(fits.cpu, name).map(({ logMs }) => logMs),
      level,
    ),
    residentBytes: most(used.map(({ residentBytes }) => residentBytes)),
    peakResidentBytes: most(used.flatMap(({ peakResidentBytes }) => peakResidentBytes ?? [])),
  };
}

/**
 * Computes the number of distinct renderings, or calls of the handler, for each response: 1 where each had its own;
 * null without a response that says who rendered it.
 */
function rendersPerRequest(samples: readonly Sample[]): number | null {
  const answers = samples.filter(({ error, instanceId }) => error === null && instanceId !== null);
  // Instances have random ids; a page that was rendered when it was built has one for all of them.
  const distinct = new Set(answers.map(({ instanceId, served }) => `${instanceId} ${served}`));
  return answers.length === 0 ? null : distinct.size / answers.length;
}

/**
 * Computes the geometric mean of the medians of a side's trials with its interval, in milliseconds; null with fewer
 * than two trials.
 */
function trialMeanOf({ summaries }: CaseFit, side: string, level: number): Estimate | null {
  const { trialMs = [] } = summaries.find(({ target }) => target === side) ?? {};
  return geometricInterval(trialMs.map(Math.log), level);
}

/** Computes the ratios of a side to another; by a metric in which one of both was not warm there is none. */
function contrastOf(fits: SideFits, side: string, against: string, options: CellComparisonOptions): Contrast {
  const firstByte = compareCells(fits.firstByteMs, side, options);
  const lastByte = compareCells(fits.lastByteMs, side, options);
  const cpu = compareCells(fits.cpu, side, options);
  // Both times have the same warm instances, so that the last byte speaks for the first one, too.
  const coldFit = isNotWarm(lastByte) ? fits.lastByteMs : fits.cpu;
  return {
    side,
    against,
    firstByteMs: isNotWarm(firstByte) ? null : firstByte.ratio,
    lastByteMs: isNotWarm(lastByte) ? null : lastByte.ratio,
    cpu: isNotWarm(cpu) ? null : cpu.ratio,
    notWarm: isNotWarm(lastByte) || isNotWarm(cpu) ? whyNotWarm(coldFit, [side, against]) : null,
  };
}

/** Says why one of two sides was not warm, in a sentence; null where both were. */
function whyNotWarm({ cold }: CellFit, sides: readonly string[]): string | null {
  const side = sides.find((name) => cold.has(name));
  const found = side === undefined ? undefined : cold.get(side);
  return side === undefined || found === undefined ? null : `Not warm in ${coldTargetWords(side, found)}.`;
}

function isNotWarm({ verdict }: Pick<ComparedCells, "verdict">): boolean {
  return verdict === "not warm";
}
