// How the times of targets moved while they were measured.
import type { Sample } from "@evenbench/results";
import { median } from "@evenbench/stats";

/** Largest drift of a target's times over a trial that is accepted, and that others may differ by, as a fraction. */
export const MOST_DRIFT = 0.1;
/** Number of rounds from which on drift is looked for: of fewer, a third is a single request. */
const LEAST_ROUNDS_FOR_DRIFT = 6;

/** Exchanges by name of the target, trial by trial, each by the time at which they began. */
export type TrialsByTarget = ReadonlyMap<string, readonly (readonly Sample[])[]>;

/** Tells whether a sample is of a measured exchange that was answered without an error. */
export function isGood({ phase, error, lastByteMs }: Sample): boolean {
  return phase === "measure" && error === null && lastByteMs !== null;
}

/** Computes the median time to the last byte, in milliseconds. */
export function medianLastByteMs(samples: readonly Sample[]): number {
  return median(samples.map(({ lastByteMs }) => lastByteMs ?? 0));
}

/** The change of a target's times within its trials. */
export interface TargetDrift {
  readonly target: string;
  /** The change as a fraction: below 0 where times became shorter. */
  readonly change: number;
}

/** Measures the drift of each target that answered at least once without an error. */
export function driftsOf(trials: TrialsByTarget): readonly TargetDrift[] {
  return [...trials].flatMap(([target, ofTarget]) =>
    ofTarget.some((trial) => trial.some(isGood)) ? [{ target, change: driftWithinTrials(ofTarget) }] : [],
  );
}

/**
 * Measures how times moved from the first third of rounds to the last: the median of trials, as a fraction; 0 of fewer
 * than two.
 */
function driftWithinTrials(trials: readonly (readonly Sample[])[]): number {
  const logs = trials.flatMap((trial) => {
    const ordered = trial.filter(isGood);
    if (ordered.length < LEAST_ROUNDS_FOR_DRIFT) {
      return [];
    }
    ordered.sort((a, b) => a.roundIndex - b.roundIndex);
    const third = Math.floor(ordered.length / 3);
    return [Math.log(medianLastByteMs(ordered.slice(-third)) / medianLastByteMs(ordered.slice(0, third)))];
  });
  return logs.length < 2 ? 0 : Math.exp(median(logs)) - 1;
}
