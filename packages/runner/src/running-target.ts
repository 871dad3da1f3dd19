import { type Expectation, firstExpectation, type Probe } from "@evenbench/probe";
import { median } from "@evenbench/stats";
import type { Instance } from "./instance.ts";
import type { Target } from "./options.ts";
import type { CaseRequest } from "./planned-case.ts";
import type { MeasuredTarget } from "./targets.ts";
import { MIN_ROUNDS } from "./trial-time.ts";
import { emptySeries, type WarmUpSeries } from "./warm-up-series.ts";

/** A target in one trial, with the instance that answers for it at present. */
export class RunningTarget implements MeasuredTarget {
  readonly name: string;
  readonly target: Target;
  readonly copyOf: string | null;
  readonly path: string;
  /** Number of its warm-up exchanges in this trial, whichever instance got them. */
  warmUpRounds = 0;
  readonly #expected: Expectation;
  #instance: Instance;
  #series = emptySeries();
  #instanceId: string | null = null;
  #hasRestarted = false;

  constructor({ name, target, copyOf }: MeasuredTarget, { path, expected }: CaseRequest, instance: Instance) {
    this.name = name;
    this.target = target;
    this.copyOf = copyOf;
    this.path = path;
    this.#expected = expected;
    this.#instance = instance;
  }

  /** The expectation of the target's next answer: the first one of an instance may be another. */
  get expected(): Expectation {
    return this.#series.times.length === 0 ? firstExpectation(this.#expected) : this.#expected;
  }

  get instance(): Instance {
    return this.#instance;
  }

  get probe(): Probe {
    return this.#instance.probe;
  }

  /** The warm-up exchanges of the present instance. */
  get series(): WarmUpSeries {
    return this.#series;
  }

  /** True if its instance was started again in this trial. */
  get hasRestarted(): boolean {
    return this.#hasRestarted;
  }

  /**
   * Times of its most recent warm-up exchanges, in milliseconds: as many as the smallest number of rounds.
   */
  get recentTimes(): readonly number[] {
    return this.#series.times.slice(-MIN_ROUNDS);
  }

  /**
   * How long its requests take at present: the median of recent ones, in milliseconds; 0 before the first
   * one.
   */
  get recentMs(): number {
    return this.#series.times.length === 0 ? 0 : median(this.recentTimes);
  }

  /** Takes a new instance in place of the one that died. */
  restartWith(instance: Instance): void {
    this.#hasRestarted = true;
    this.#instance = instance;
    this.#instanceId = null;
    this.forgetWarmUp();
  }

  /** Forgets the warm-up of a process that was replaced: the one after it has to be warmed up anew. */
  forgetWarmUp(): void {
    this.#series = emptySeries();
  }

  /**
   * Notes which process answered.
   *
   * @returns whether it is another one than before; false where the answer does not say.
   */
  answeredBy(instanceId: string | null): boolean {
    const before = this.#instanceId;
    if (instanceId === null) {
      return false;
    }
    this.#instanceId = instanceId;
    return before !== null && before !== instanceId;
  }
}
