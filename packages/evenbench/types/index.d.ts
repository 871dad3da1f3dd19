// The programming interface in full: docs/api.md is its reference. It is written by hand, imports nothing but the facts
// beside it, and src/index.ts is checked against it.
import type { Change, Facts, Trend } from "./facts.js";

export type * from "./facts.js";

/** The version of this package. */
export declare const version: string;

/** A case of a run, as its record has it. */
export interface RecordedCase {
  readonly id: string;
  readonly path: string;
  readonly title: string;
}

/** A target of a run, as its record has it. */
export interface RecordedTarget {
  readonly name: string;
  readonly app: string;
  /** null where it is not known. */
  readonly platform: string | null;
  /** Name of the target that it is an A/A copy of; null for any other. */
  readonly copyOf: string | null;
}

/** The record of a run: the fields of `run.json` by which a program finds its way. docs/schema describes all. */
export interface Run {
  readonly id: string;
  /** Times in UTC, as in "2026-11-21T09:30:15.000Z". The end is null while it runs, and where its process was killed. */
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly status: "running" | "complete" | "interrupted" | "failed";
  readonly evenbenchVersion: string;
  readonly plan: {
    readonly cases: readonly RecordedCase[];
    readonly targets: readonly RecordedTarget[];
    /** The number that all random order is made from. */
    readonly seed: number;
  };
}

/** A request with its response: a line of `samples.ndjson`. Times are milliseconds on the client's monotonic clock. */
export interface Sample {
  /** Id of the case. */
  readonly caseId: string;
  /** Name of the target. A control's A/A copy is a target of its own, "<target>~copy". */
  readonly target: string;
  /** Number of the trial, from 0; in phase "cold", the repetition. */
  readonly trial: number;
  /**
   * "warmup": it warmed its instance up, and no time of it is used. "measure": it was measured in a round. "transfer": it
   * asked for constant text of the case's length and parts. "cold": one of the first two of an instance that was started
   * for just that.
   */
  readonly phase: "warmup" | "measure" | "transfer" | "cold";
  /** Number of the round within its trial and phase, from 0. */
  readonly roundIndex: number;
  /** Place within its round, from 0. */
  readonly position: number;
  /** Time since the start of the run. */
  readonly startedAtMs: number;
  /** Time for a new connection; null where one was kept from before. */
  readonly connectMs: number | null;
  /** Time from the request's write to the first byte of the answer; null without an answer. */
  readonly firstByteMs: number | null;
  /** Time from the request's write to the end of the body; null where that did not come. */
  readonly lastByteMs: number | null;
  readonly status: number | null;
  /** Length of the body as far as it came; null without the head of an answer. */
  readonly bodyBytes: number | null;
  /** Id of the instance that answered; null where the answer does not say. */
  readonly instanceId: string | null;
  /** Number of requests that the instance served before this one, and that it had under way; null where it does not say. */
  readonly served: number | null;
  readonly inFlight: number | null;
  /** CPU time of all the target's threads from the previous request's end to this one's; null without such an account. */
  readonly cpuMs: number | null;
  /** Pages that the kernel gave meanwhile without a disk; null without such an account. */
  readonly minorFaults: number | null;
  /** null where it did not fail. */
  readonly error: { readonly kind: string; readonly detail: string } | null;
}

/** The folder of a run, read. */
export interface ReadRun {
  readonly run: Run;
  /** Every request, in the order in which they were written. */
  readonly samples: readonly Sample[];
  /** The fault of `samples.ndjson`, and how much of it was read; null where nothing is wrong. */
  readonly damage: string | null;
}

/**
 * Reads the folder of a run: its record, and every sample. Damaged samples end the reading there.
 *
 * @throws {Error} with one line that says what, why and what next: where there is no run, it is not valid, or another
 *   version wrote it.
 */
export declare function readRun(folder: string): Promise<ReadRun>;

/**
 * Gives what a run found. It is made from the samples in the folder; where these are gone, verdicts are judged again from
 * the interval ends of facts.json, and `run.judgedFrom` says so. Nothing is written.
 *
 * @throws {Error} as `readRun` does.
 */
export declare function report(folder: string): Promise<Facts>;

/** Options of comparing two runs. */
export interface CompareOptions {
  /** true where damaged, unfinished and unequal runs are judged, too. Default: false. */
  readonly anyway?: boolean;
}

/**
 * Compares the same targets in two runs, before and after a change, as the command `compare` does. Each change is between
 * the two states of one target. Runs that are damaged, unfinished, equal or of unequal plans have no verdict, unless
 * `anyway` asks for it.
 *
 * @param before the folder of a run.
 * @param after the folder of another.
 * @throws {Error} as `readRun` does.
 */
export declare function compare(before: string, after: string, options?: CompareOptions): Promise<Facts>;

/** A condition that a check of a change fails on. */
export interface FailOn {
  /** Which number is looked at. Default: "time". */
  readonly of?: "time" | "CPU time" | "start-up" | "memory";
  /** "grows" is asked of memory, the others of all else. */
  readonly verdict: "slower" | "faster" | "grows";
  /** Smallest change that counts: a fraction; of memory the bytes that each request adds. */
  readonly by: number;
}

/**
 * Gives the changes that meet a condition, or the growth of memory. What has no verdict meets none. Of two states the
 * growth is that of the later one beyond that of the earlier one.
 */
export declare function failing(facts: Facts, condition: FailOn): readonly (Change | Trend)[];
