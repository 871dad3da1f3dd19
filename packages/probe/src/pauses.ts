/** How often this process notes that it runs, in milliseconds. */
const BEAT_MS = 50;

/**
 * A pause of the client, in milliseconds, from which on what it timed meanwhile is no time of the target. A choice:
 * work of the client on a busy machine was seen to take half a second, so that only what is far beyond counts, such
 * as a process that was stopped. Shorter pauses are left to the audit's look at the event loop.
 */
export const LONG_PAUSE_MS = 1000;

/** The pause of a process that never paused. */
const NO_PAUSE = { endedAt: Number.NEGATIVE_INFINITY, ms: 0 };

/** Finds out when a process stood still: it notes regularly that it runs, and misses that in a pause. */
export class PauseWatch {
  /**
   * Milliseconds from which on a pause takes an exchange on itself. Tests that are not about pauses set it to
   * infinity: the machine that they run on may have other things to do.
   */
  longMs: number = LONG_PAUSE_MS;
  #beatAt = performance.now();
  #lastPause = NO_PAUSE;
  #timer: NodeJS.Timeout | undefined;

  /** Begins to note regularly that the process runs. The timer is one for all, and keeps no process up. */
  watch(): void {
    if (this.#timer !== undefined) {
      return;
    }
    this.#beatAt = performance.now();
    this.#timer = setInterval(() => this.noteRunning(), BEAT_MS).unref();
  }

  /** Notes that the process runs now, and how long it did not, where that was long. */
  noteRunning(): void {
    const now = performance.now();
    if (now - this.#beatAt >= LONG_PAUSE_MS) {
      this.#lastPause = { endedAt: now, ms: now - this.#beatAt };
    }
    this.#beatAt = now;
  }

  /**
   * Finds how long the process stood still in the time from `startedAt` until now, in milliseconds; 0 where it never
   * did for {@link LONG_PAUSE_MS}. Call {@link noteRunning} at the start: what the process did before is then no
   * part of it.
   */
  pausedSince(startedAt: number): number {
    this.noteRunning();
    return this.#lastPause.endedAt > startedAt ? this.#lastPause.ms : 0;
  }
}

/** The pauses of this process. */
export const clientPauses: PauseWatch = new PauseWatch();
