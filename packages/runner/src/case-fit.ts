import type { CaseManifest } from "@evenbench/core";
import type { InstanceUsage, RunPlan, Sample, WarmUp } from "@evenbench/results";
import {
  type CaseFit,
  fitCase,
  instancesOf,
  oneProcessTargets,
  varianceOfRounds,
  warmInstances,
} from "@evenbench/stats";
import { optimalMeasureMs } from "./trial-time.ts";

/** The samples of a case so far, with all that is needed to fit it. */
export interface MeasuredCase {
  readonly manifest: Pick<CaseManifest, "id" | "headline" | "scatter" | "rounds">;
  readonly plan: Pick<RunPlan, "targets" | "roundsPerTrial">;
  /** Name of the target that the others are compared with. */
  readonly baseline: string;
  /** Targets that are still measured. */
  readonly targets: readonly { readonly name: string; readonly copyOf: string | null }[];
  /** Samples of measured rounds, of all trials. */
  readonly samples: readonly Sample[];
  /** The run's warm-ups, of all cases. */
  readonly warmUps: readonly WarmUp[];
  /** The operating system's accounts of instances, of all cases of the run. */
  readonly usage: readonly InstanceUsage[];
}

/** The times of a trial that was played, in milliseconds. */
export interface TrialTook {
  /** Time to start its instances. */
  readonly startMs: number;
  /** Time to warm them up, a search included. */
  readonly warmUpMs: number;
  /** Time of its measured rounds, and of what came after them. */
  readonly restMs: number;
}

/** Fits what was measured of a case so far; null before its first sample. */
export function fitMeasuredCase(measured: MeasuredCase): CaseFit | null {
  const { manifest, plan, baseline, targets, samples, warmUps } = measured;
  if (samples.length === 0) {
    return null;
  }
  const lasting = oneProcessTargets(plan.targets, samples);
  return fitCase(samples, {
    caseId: manifest.id,
    metric: manifest.headline,
    baseline,
    copy: targets.find(({ copyOf }) => copyOf !== null)?.name ?? null,
    targets: targets.map(({ name }) => name),
    scatter: manifest.scatter,
    warm: warmInstances(samples, warmUps, lasting).times,
    lasting,
  });
}

/**
 * Computes how long the next trial's rounds are best measured, in milliseconds; null where the user or the case fixes
 * that, and while variances are unknown.
 *
 * @param took what the last trial took.
 */
export function bestMeasureMs(measured: MeasuredCase, { fit }: CaseFit, took: TrialTook): number | null {
  const { manifest, plan, targets, samples } = measured;
  if (plan.roundsPerTrial !== null || manifest.rounds !== undefined || fit.freedom === 0) {
    return null;
  }
  const ofRounds = varianceOfRounds(
    instancesOf(samples, manifest.id, manifest.headline),
    targets.map(({ name }) => name),
  );
  if (ofRounds === null) {
    return null;
  }
  return optimalMeasureMs({
    instanceMs: took.startMs + took.warmUpMs,
    roundsMs: took.restMs,
    ofRounds,
    ofAll: fit.variance,
  });
}
