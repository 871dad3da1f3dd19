// The programming interface in full, as whoever installs the package gets it: docs/api.md is its reference. Nothing is
// imported. Where sources give more than is promised here, it is no part of the interface.

/** The version of this package. */
export declare const version: string;

/**
 * Reads the folder of a run: its record, and every sample. Damaged samples end the reading there.
 *
 * @throws {Error} with one line that says what, why and what next: when there is no run, it is not valid, or
 *   another version wrote it.
 */
export declare function readRun(folder: string): Promise<ReadRun>;

/**
 * Compares the same targets in two runs, before and after a change, as the command `compare` does. Runs that
 * are damaged, unfinished or of unequal plans have no verdict, unless `anyway` asks for it.
 *
 * @param before the folder of a run.
 * @param after the folder of another.
 * @param options `anyway`: whether damaged, unfinished and unequal runs are judged, too. Default: false.
 * @throws {Error} as `readRun` does.
 */
export declare function compare(
  before: string,
  after: string,
  options?: { readonly anyway?: boolean },
): Promise<Comparison>;

/**
 * The rows that meet a condition: told apart from noise, and so much or more. None without a verdict.
 *
 * @param condition `by`: how much at least, as a fraction: 0.05 is 5 %.
 */
export declare function failing(
  rows: readonly ComparisonRow[],
  condition: { readonly verdict: "slower" | "faster"; readonly by: number },
): readonly ComparisonRow[];

/**
 * Makes the reports of a run in its folder, as the command `report` does: `report.html`, `report.md`,
 * `summary.json`, `summary.csv`, `card.png` and `card.svg`. The same run gives the same bytes again.
 *
 * @throws {Error} as `readRun` does, and when the files cannot be written.
 */
export declare function report(folder: string): Promise<Report>;

/**
 * What can be said of a ratio. "inconclusive": the interval is too wide; "not warm": times still fell while it
 * was measured; "no result": one of the two has no measured answer, or was dropped.
 */
export type Verdict = "faster" | "slower" | "same" | "inconclusive" | "not warm" | "no result";

/** A ratio with its interval. 1 is equal; above 1 takes longer. */
export interface Ratio {
  readonly estimate: number;
  /** Ends of the interval. */
  readonly low: number;
  readonly high: number;
}

/** A time in milliseconds, with the ends of its 99 % interval: null with fewer than two trials. */
export interface Time {
  readonly estimate: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** A target as a run knows it. */
export interface Target {
  readonly name: string;
  /** null where it is not known. */
  readonly platform: string | null;
  /** Whether it was started on the client's machine, or ran already at `url`. */
  readonly place: "local" | "url";
  readonly url: string | null;
  /** The target that this one is the A/A copy of, for the control; null for all others. */
  readonly copyOf: string | null;
}

/** A case as a run knows it. */
export interface Case {
  readonly id: string;
  /** Where targets answer it, such as "/products". */
  readonly path: string;
  readonly title: string;
  /** The time that it is judged by. */
  readonly headline: "firstByteMs" | "lastByteMs";
}

/** Something that happened during a run and that a reader must know. */
export interface RunEvent {
  /** Milliseconds from the start of the run. */
  readonly atMs: number;
  /** Such as "target-dropped". */
  readonly kind: string;
  readonly caseId: string | null;
  readonly target: string | null;
  /** One line. */
  readonly detail: string;
}

/** `run.json`: what was to be measured, by what, and where. The file has more, which its JSON Schema describes. */
export interface Run {
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** ISO 8601; null in a run that could not end by itself. */
  readonly finishedAt: string | null;
  readonly status: "running" | "complete" | "interrupted" | "failed";
  readonly evenbenchVersion: string;
  readonly plan: {
    readonly cases: readonly Case[];
    readonly targets: readonly Target[];
  };
  readonly events: readonly RunEvent[];
}

/**
 * One request with its response: a line of `samples.ndjson`. Times are milliseconds on the client's monotonic
 * clock.
 */
export interface Sample {
  readonly caseId: string;
  /** An A/A copy is a target of its own, named "<target>~copy". */
  readonly target: string;
  /** Which fresh start of the targets, from 0. */
  readonly trial: number;
  /** "measure" is what the verdicts are made of. */
  readonly phase: "warmup" | "measure" | "transfer" | "cold";
  /** Round within trial and phase, from 0. */
  readonly roundIndex: number;
  /** Since the start of the run. */
  readonly startedAtMs: number;
  /** From writing the request until the socket has something to read; null where nothing came. */
  readonly firstByteMs: number | null;
  /** From writing the request until the whole body has arrived; null where it did not. */
  readonly lastByteMs: number | null;
  /**
   * CPU time of the instance since its request before this one; null where the system does not report it, as
   * for URLs.
   */
  readonly cpuMs: number | null;
  readonly status: number | null;
  readonly bodyBytes: number | null;
  /** Why it did not count; null for what counts. */
  readonly error: { readonly kind: string; readonly detail: string } | null;
}

/** A run's folder, read. */
export interface ReadRun {
  readonly run: Run;
  /** In the order in which they were written. */
  readonly samples: readonly Sample[];
  /** What is wrong with `samples.ndjson`, and how much of it was read; null where nothing is. */
  readonly damage: string | null;
}

/** One target of one case in two runs. */
export interface ComparisonRow {
  readonly caseId: string;
  readonly target: string;
  /** By the case's headline; null with too few samples. */
  readonly before: Time | null;
  readonly after: Time | null;
  /** after / before; null where a run has too little. */
  readonly ratio: Ratio | null;
  /** null where there is an objection, and `anyway` was not asked for. */
  readonly verdict: Verdict | null;
}

/** What was planned in one of the runs, and one of them has no whole measurement of: a gate must not pass over it. */
export interface Unmeasured {
  /** null where a target has no part in a whole run. */
  readonly caseId: string | null;
  /** null where no target answered the case in either run. */
  readonly target: string | null;
  /** What is missing, and from which run. */
  readonly why: string;
}

/** Two runs, target by target. */
export interface Comparison {
  readonly before: Run;
  readonly after: Run;
  readonly rows: readonly ComparisonRow[];
  /** Empty where each case has times of each of its targets in both runs. */
  readonly unmeasured: readonly Unmeasured[];
  /** Why the runs, or some of their cases, cannot be held against one another: a line each. */
  readonly objections: readonly string[];
  /** What a reader must know before any number: a line each. */
  readonly caveats: readonly string[];
}

/** What a report was written to, and what it says. Files are absolute or relative as the folder was given. */
export interface Report {
  /** One file that works offline. */
  readonly htmlFile: string;
  readonly markdownFile: string;
  /** A picture of 1200 x 630 pixels, to share. */
  readonly cardFile: string;
  readonly markdown: string;
  /** What came out: a line for each case. */
  readonly answers: readonly string[];
}
