// What the samples of a comparison say of its sides.
import { coldTargetWords } from "@evenbench/report";
import type { Estimate, Run, Sample } from "@evenbench/results";
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
  VERDICT_CONFIDENCE,
  warmInstances,
} from "@evenbench/stats";
import type { ComparisonPlan } from "./define.ts";
import type { ComparisonResult, Contrast, SideResult } from "./side-results.ts";

/** Names the A/A copy of a side. */
export const copyOf = (side: string) => `${side}~copy`;

interface MeasuredSides {
  readonly record: Pick<Run, "usage" | "warmUps">;
  readonly names: readonly string[];
  readonly samples: readonly Sample[];
}

interface SideFits {
  readonly firstByteMs: CaseFit;
  readonly lastByteMs: CaseFit;
  readonly cpu: CellFit;
}

/**
 * Analyses the samples of a comparison. It is no run's report: it also judges while the run goes on, by another
 * confidence, and compares any side with any other.
 *
 * @param confidence levels of its intervals. Default: those of verdicts.
 */
export function analyseComparison(
  plan: ComparisonPlan,
  measured: MeasuredSides,
  confidence: Confidence = VERDICT_CONFIDENCE,
): Pick<ComparisonResult, "sides" | "contrasts"> {
  const { caseId } = plan;
  const { record, names, samples } = measured;
  const sides = plan.sides.map(({ name }) => name).filter((name) => names.includes(name));
  const [baseline = "", ...others] = sides;
  const copy = copyOf(baseline);
  const warm = warmInstances(samples, record.warmUps);
  const question = { caseId, baseline, copy, targets: [...sides, copy] };
  const fits: SideFits = {
    firstByteMs: fitCase(samples, { ...question, metric: "firstByteMs", warm: warm.times }),
    lastByteMs: fitCase(samples, { ...question, metric: "lastByteMs", warm: warm.times }),
    cpu: fitValues(cpuValues(record.usage), { ...question, warm: warm.cpuTime }),
  };
  const pairs = plan.contrasts ?? others.map((name) => [name, baseline] as const);
  const contrasts = pairs.filter((pair) => pair.every((name) => names.includes(name)));
  return {
    sides: sides.map((name) => sideResult(name, samples, fits, confidence)),
    contrasts: contrasts.map(([side, against]) =>
      contrastOf(fits, side, against, {
        by: against === baseline ? [baseline, copy] : [against],
        confidence,
      }),
    ),
  };
}

function sideResult(
  name: string,
  samples: readonly Sample[],
  fits: SideFits,
  { difference: level }: Confidence,
): SideResult {
  return {
    name,
    firstByteMs: trialMeanOf(fits.firstByteMs, name, level),
    lastByteMs: trialMeanOf(fits.lastByteMs, name, level),
    // Of warm instances; of a side that has too few, of all.
    cpuMsPerExchange: geometricInterval(
      cellsOf(fits.cpu, name).map(({ logMs }) => logMs),
      level,
    ),
    rendersPerRequest: rendersPerRequest(samples.filter(({ target }) => target === name)),
  };
}

/** Computes the distinct renderings, or calls of the handler, for each response; null where none says who rendered it. */
function rendersPerRequest(samples: readonly Sample[]): number | null {
  const answers = samples.filter(({ error, instanceId }) => error === null && instanceId !== null);
  // Instances have random ids; a page that was rendered when it was built has one for all of them.
  const distinct = new Set(answers.map(({ instanceId, served }) => `${instanceId} ${served}`));
  return answers.length === 0 ? null : distinct.size / answers.length;
}

/** Computes the geometric mean of a side's trials' medians with its interval, in milliseconds; null with fewer than two. */
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
