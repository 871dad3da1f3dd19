/** How often this process notes that it runs, in milliseconds. */
const BEAT_MS = 50;

/**
 * A pause of the client, in milliseconds, from which on what it timed meanwhile is no time of the target. A choice:
 * work of the client on a busy machine was seen to take half a second, so that only what is far beyond counts, such
 * as a process that was stopped. Shorter pauses are left to the audit's look at the event loop.
 */
const LONG_PAUSE_MS = 1000;

/** The pause of a process that never paused. */
const NO_PAUSE = { endedAt: Number.NEGATIVE_INFINITY, ms: 0 };

let beatAt = performance.now();
let lastPause = NO_PAUSE;
let timer: NodeJS.Timeout | undefined;

/** Notes that this process runs now, and how long it did not, where that was long. */
export function noteRunning(): void {
  const now = performance.now();
  if (now - beatAt >= LONG_PAUSE_MS) {
    lastPause = { endedAt: now, ms: now - beatAt };
  }
  beatAt = now;
}

/** Begins to note pauses of this process. The timer is one for all probes, and keeps no process up. */
export function watchPauses(): void {
  if (timer !== undefined) {
    return;
  }
  beatAt = performance.now();
  timer = setInterval(noteRunning, BEAT_MS).unref();
}

/**
 * Finds how long this process stood still in the time from `startedAt` (by `performance.now()`) until now, in
 * milliseconds; null where it never did for {@link LONG_PAUSE_MS}. Call {@link noteRunning} at the start: what
 * this process did before is then no part of it.
 */
export function pausedSince(startedAt: number): number | null {
  noteRunning();
  return lastPause.endedAt > startedAt ? lastPause.ms : null;
}
