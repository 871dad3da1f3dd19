import { sum } from "@evenbench/stats";
import type { Progress, ProgressPlace, RunOptions } from "./options.ts";
import type { CaseSchedule } from "./turns.ts";

/** A trial that takes longer than it was to: so much of it is still taken to be left. */
const LEAST_LEFT = 0.15;

/** Milliseconds, as if what is not decided yet stayed open: its trials go on while there is time. */
export function timeLeft(courses: readonly CaseSchedule[], now = performance.now()): number {
  const open = courses.filter(({ hasEnded }) => !hasEnded);
  const ofPurses = [...Map.groupBy(open, ({ purse }) => purse)].map(([{ remainingMs: leftMs }, sharing]) => {
    let leastMs = 0;
    let mostMs = 0;
    let purseMs = leftMs;
    for (const { done, begunAt, expectedMs, laterMs, least, most, hasRoom } of sharing) {
      const tookMs = begunAt === null ? 0 : now - begunAt;
      const nextMs = Math.max(expectedMs - tookMs, LEAST_LEFT * expectedMs);
      const upTo = (trials: number) => (trials > done ? nextMs + (trials - done - 1) * laterMs : 0);
      const inAnyCase = upTo(begunAt === null ? least : Math.max(least, done + 1));
      leastMs += inAnyCase;
      mostMs += hasRoom ? upTo(most) : inAnyCase;
      purseMs -= tookMs;
    }
    return Math.min(mostMs, Math.max(leastMs, purseMs));
  });
  return sum(ofPurses);
}

const EVERY_MS = 200;

export function progressReporter(
  onProgress: RunOptions["onProgress"],
  caseIds: readonly string[],
  leftMs: (now: number) => number | null,
) {
  let lastPhase: Progress["phase"] | null = null;
  let lastShownAt = 0;
  return {
    show(progress: ProgressPlace, caseIndex = Math.max(0, caseIds.indexOf(progress.caseId ?? ""))) {
      const now = performance.now();
      if (progress.phase === lastPhase && now - lastShownAt < EVERY_MS) {
        return;
      }
      lastPhase = progress.phase;
      lastShownAt = now;
      onProgress?.({ ...progress, caseIndex, caseCount: caseIds.length, etaMs: leftMs(now) });
    },
  };
}
