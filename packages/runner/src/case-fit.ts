import type { Metric } from "@evenbench/results";
import {
  answeredBy,
  type CaseFit,
  fitCase,
  instancesOf,
  isFromCache,
  oneProcessTargets,
  varianceOfRounds,
  warmInstances,
} from "@evenbench/stats";
import type { MeasuredCase } from "./measured-case.ts";
import { optimalMeasureMs } from "./trial-time.ts";

/** The times of a trial that was played, in milliseconds. */
export interface TrialTook {
  /** Time to start its instances. */
  readonly startMs: number;
  /** Time to warm them up, a search included. */
  readonly warmUpMs: number;
  /** Time of its measured rounds, and of what came after them. */
  readonly restMs: number;
  /** The part of `restMs` after the moment at which its rounds were to end. */
  readonly overMs: number;
}

/**
 * Fits what was measured of a case so far.
 *
 * @param metric Default: the time to the last byte.
 * @returns null before its first sample that has the metric.
 */
export function fitMeasuredCase(measured: MeasuredCase, metric: Metric = "lastByteMs"): CaseFit | null {
  const { manifest, plan, baseline, targets, samples, warmUps } = measured;
  if (samples.every((sample) => sample[metric] === null)) {
    return null;
  }
  const lasting = oneProcessTargets(plan.targets, samples);
  const warm = warmInstances(samples, warmUps, lasting);
  return fitCase(samples, {
    caseId: manifest.id,
    metric,
    baseline,
    copy: targets.find(({ copyOf }) => copyOf !== null)?.name ?? null,
    targets: targets.map(({ name }) => name),
    scatter: manifest.scatter,
    warm: metric === "cpuMs" ? warm.cpuTime : warm.times,
    lasting,
    compares: answeredBy(manifest, isFromCache(samples)) === "computed",
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
    instancesOf(samples, manifest.id, "lastByteMs"),
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
