import { sum } from "@evenbench/stats";
import type { Progress, ProgressPlace, RunOptions } from "./options.ts";
import type { SharedTime } from "./time-budget.ts";
import type { CaseSchedule } from "./turns.ts";

/** Share of an overdue trial's expected time that is still taken to be left. */
const MIN_LEFT_SHARE = 0.15;

/** The trials of one case that are still to come. */
export type TrialsAhead = Pick<
  CaseSchedule,
  "trialsDone" | "minTrials" | "maxTrials" | "begunAt" | "expectedMs" | "laterMs" | "hasEnded" | "hasRoom"
> & { readonly shared: Pick<SharedTime, "remainingMs"> };

/**
 * Estimates the milliseconds until all trials are done, as if no undecided case were decided before its time
 * is up.
 */
export function timeLeft(cases: readonly TrialsAhead[]): number {
  const now = performance.now();
  const open = cases.filter(({ hasEnded }) => !hasEnded);
  const sharing = [...Map.groupBy(open, ({ shared }) => shared).values()];
  return sum(sharing.map((each) => timeLeftOfSharing(each, now)));
}

/** Estimates the milliseconds until the trials of some cases are done. @param cases all that share one time. */
function timeLeftOfSharing(cases: readonly TrialsAhead[], now: number): number {
  let minMs = 0;
  let maxMs = 0;
  let remainingMs = cases[0]?.shared.remainingMs ?? 0;
  for (const { trialsDone, begunAt, expectedMs, laterMs, minTrials, maxTrials, hasRoom } of cases) {
    const tookMs = begunAt === null ? 0 : now - begunAt;
    const nextMs = Math.max(expectedMs - tookMs, MIN_LEFT_SHARE * expectedMs);
    const msUpTo = (trials: number) =>
      trials > trialsDone ? nextMs + (trials - trialsDone - 1) * laterMs : 0;
    const inAnyCaseMs = msUpTo(begunAt === null ? minTrials : Math.max(minTrials, trialsDone + 1));
    minMs += inAnyCaseMs;
    maxMs += hasRoom ? msUpTo(maxTrials) : inAnyCaseMs;
    remainingMs -= tookMs;
  }
  return Math.min(maxMs, Math.max(minMs, remainingMs));
}

/** Shortest time between two reports of one phase, in milliseconds. */
const REPORT_EVERY_MS = 200;

/** Passes progress on to a caller: each new phase at once, else at most five times a second. */
export interface ProgressReporter {
  /** @param caseIndex default: the place of the progress's case among all of them; 0 where it has none. */
  show(progress: ProgressPlace, caseIndex?: number): void;
}

/**
 * Makes the reporter of a run's progress.
 *
 * @param onProgress is called with each report; undefined: nobody is.
 * @param caseIds the ids of all cases, in their order.
 * @param leftMs gives the milliseconds that are left at a moment; null while nobody knows.
 */
export function progressReporter(
  onProgress: RunOptions["onProgress"],
  caseIds: readonly string[],
  leftMs: (now: number) => number | null,
): ProgressReporter {
  let lastPhase: Progress["phase"] | null = null;
  let lastShownAt = 0;
  return {
    show(progress, caseIndex) {
      const now = performance.now();
      if (progress.phase === lastPhase && now - lastShownAt < REPORT_EVERY_MS) {
        return;
      }
      lastPhase = progress.phase;
      lastShownAt = now;
      onProgress?.({
        ...progress,
        caseIndex: caseIndex ?? Math.max(0, caseIds.indexOf(progress.caseId ?? "")),
        caseCount: caseIds.length,
        etaMs: leftMs(now),
      });
    },
  };
}
