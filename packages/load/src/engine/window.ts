// Which part of a stage is measured, whatever client sends it. The script inside of k6 imports this: no Node.js here.
import type { LoadSample, LoadStage } from "@evenbench/results";

/** The first part of a stage is not measured: queues and compilers come to rest in it. */
export const UNMEASURED_SHARE = 1 / 4;
/** Beyond this a free connection's sending counts as late: timers of Node.js are good to about a millisecond. */
export const LATE_MS = 2;

/**
 * Requests that were due before the window are no part of it, except those that failed in it or after: they hung
 * through it, and nobody would count them.
 *
 * @param failedAt when the request failed; null where it was answered.
 */
export function phaseOf(intendedAt: number, failedAt: number | null, windowAt: number): LoadSample["phase"] {
  const hung = failedAt !== null && failedAt >= windowAt;
  return intendedAt < windowAt && !hung ? "warmup" : "measure";
}

/** When a request was sent and over, in milliseconds from any one origin. */
interface PassedRequest {
  readonly begunAtMs: number;
  readonly overAtMs: number;
  /** Whether it was answered as it should be. */
  readonly isAnswer: boolean;
}

export function inWindow(
  passed: readonly PassedRequest[],
  fromMs: number,
  toMs: number,
): Pick<LoadStage, "completed" | "meanInFlight"> {
  let completed = 0;
  let underWayMs = 0;
  for (const { begunAtMs, overAtMs, isAnswer } of passed) {
    if (isAnswer && overAtMs >= fromMs && overAtMs < toMs) {
      completed += 1;
    }
    underWayMs += Math.max(0, Math.min(overAtMs, toMs) - Math.max(begunAtMs, fromMs));
  }
  return { completed, meanInFlight: toMs > fromMs ? underWayMs / (toMs - fromMs) : 0 };
}
