import { formatDuration } from "@evenbench/core";

/**
 * Largest drift of the wall clock against the monotonic one that is no step, as a fraction: NTP may slew by
 * 0.05 % (adjtimex(2)).
 */
const MAX_SLEW = 0.001;
/** Smallest difference that is a step, in milliseconds. */
const MIN_STEP_MS = 1000;

/**
 * The clock of one measurement: when it began, and how long it takes. Durations are those of the monotonic clock, which
 * no setting of the wall clock changes.
 */
export class RunClock {
  /** The moment at which it began, by `performance.now()`. */
  readonly startedAtMs: number = performance.now();
  readonly #wallStartMs = Date.now();
  #lookedAtMs = this.startedAtMs;
  #stepMs = 0;

  /** The moment at which it began, in ISO 8601, by the wall clock. */
  get startedAt(): string {
    return new Date(this.#wallStartMs).toISOString();
  }

  /** Gives the milliseconds since the start. */
  elapsedMs(): number {
    return performance.now() - this.startedAtMs;
  }

  /**
   * Gives the present moment in ISO 8601: the start and the time since then, so that it is never before the start.
   */
  now(): string {
    return new Date(this.#wallStartMs + this.elapsedMs()).toISOString();
  }

  /**
   * Gives the milliseconds by which the wall clock was set since the last call, below 0 where it was set back; null
   * where it was not. A system that slept does not count that time, so its wall clock is set forward.
   */
  newStepMs(): number | null {
    const monotonicMs = performance.now();
    const stepMs = Date.now() - this.#wallStartMs - (monotonicMs - this.startedAtMs);
    const newMs = stepMs - this.#stepMs;
    const slewMs = MAX_SLEW * (monotonicMs - this.#lookedAtMs);
    this.#stepMs = stepMs;
    this.#lookedAtMs = monotonicMs;
    return Math.abs(newMs) > MIN_STEP_MS + slewMs ? newMs : null;
  }
}

/** Describes a step of the wall clock as a sentence. @param stepMs as `RunClock.newStepMs` gives it. */
export function describeClockStep(stepMs: number): string {
  const by = formatDuration(Math.abs(stepMs));
  return stepMs < 0
    ? `The system's clock was set back by ${by} while it was measured.`
    : `The system's clock was set forward by ${by} while it was measured, or the system slept.`;
}
