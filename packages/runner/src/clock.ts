import { formatDuration } from "@evenbench/core";

/**
 * Largest drift of the wall clock against the monotonic one that is no step, as a fraction: NTP may slew by
 * 0.05 % (adjtimex(2)).
 */
const MAX_SLEW = 0.001;
/** Smallest difference that is a step, in milliseconds. */
const MIN_STEP_MS = 1000;

/** The two clocks of the system. Both give milliseconds. */
export interface Clocks {
  /** Gives the time since 1970. It can be set, by a user or by NTP. */
  wall(): number;
  /** Gives the time since some moment of the past. It only goes on. */
  monotonic(): number;
}

const SYSTEM_CLOCKS: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * The clock of one measurement: when it began, and how long it takes. Durations are those of the monotonic clock, which
 * no setting of the wall clock changes.
 */
export class RunClock {
  /** The moment at which it began, in ISO 8601, by the wall clock. */
  readonly startedAt: string;
  /** The moment at which it began, by `performance.now()`. */
  readonly startedAtMs: number;
  readonly #clocks: Clocks;
  readonly #wallStartMs: number;
  #lookedAtMs: number;
  #stepMs = 0;

  constructor(clocks: Clocks = SYSTEM_CLOCKS) {
    this.#clocks = clocks;
    this.#wallStartMs = clocks.wall();
    this.startedAtMs = clocks.monotonic();
    this.#lookedAtMs = this.startedAtMs;
    this.startedAt = new Date(this.#wallStartMs).toISOString();
  }

  /** Gives the milliseconds since the start. */
  elapsedMs(): number {
    return this.#clocks.monotonic() - this.startedAtMs;
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
    const monotonicMs = this.#clocks.monotonic();
    const stepMs = this.#clocks.wall() - this.#wallStartMs - (monotonicMs - this.startedAtMs);
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
