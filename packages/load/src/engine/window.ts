// The part of a stage that is measured, whatever client sends it. The script inside of k6 imports this: no Node.js
// here.
import type { LoadSample, LoadStage } from "@evenbench/results";

/** Fraction of a stage, at its start, that is not measured: queues and compilers come to rest in it. */
export const UNMEASURED_SHARE = 1 / 4;
/**
 * Milliseconds between the time that a request was due and its sending over a free connection, beyond which
 * it counts as late. Timers of Node.js are good to about a millisecond.
 */
export const LATE_MS = 2;

/**
 * Tells whether a request belongs to the measured window. One that was due before it does not, except where
 * it failed in the window or after: it hung through it, and nobody would count it. All times have one origin.
 *
 * @param intendedAt the request's due time.
 * @param failedAt the time of its failure; null where it was answered.
 * @param windowAt the start of the window.
 */
export function phaseOf(intendedAt: number, failedAt: number | null, windowAt: number): LoadSample["phase"] {
  const hung = failedAt !== null && failedAt >= windowAt;
  return intendedAt < windowAt && !hung ? "warmup" : "measure";
}

/** A request that is over; times in milliseconds from any one origin. */
interface PassedRequest {
  /** The moment at which it was sent. */
  readonly begunAtMs: number;
  /** The moment at which it was answered, or failed. */
  readonly overAtMs: number;
  /** True where it was answered as it should be. */
  readonly isAnswer: boolean;
}

/**
 * Counts the answers that came within a window, and the mean number of requests that were under way in it.
 */
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

/** Share of a window for which a connection waits in vain, so that it hung. */
const HUNG_SHARE = 0.5;

/** Counts the connections that waited in vain through most of a window: each request that timed out until the next one. */
export function hungConnections(
  { startedAtMs: fromMs, windowMs }: LoadStage,
  measured: readonly Omit<LoadSample, "stage">[],
): number {
  const toMs = fromMs + windowMs;
  const byConnection = Map.groupBy(measured, ({ connection }) => connection);
  const hung = [...byConnection.values()].filter((ofOne) => {
    const inOrder = ofOne.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
    let waitedMs = 0;
    for (const [index, { error, startedAtMs }] of inOrder.entries()) {
      const overAtMs = Math.min(toMs, inOrder[index + 1]?.startedAtMs ?? toMs);
      waitedMs += error?.kind === "timeout" ? Math.max(0, overAtMs - Math.max(startedAtMs, fromMs)) : 0;
    }
    return waitedMs > HUNG_SHARE * windowMs;
  });
  return hung.length;
}
