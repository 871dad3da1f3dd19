import type { RunMachine } from "./run.ts";

/** The version of `experiments.json` that this code writes. */
export const EXPERIMENTS_SCHEMA_VERSION = 1;

/** What a run of an experiment says of the published claim. */
export type ClaimVerdict = "reproduced" | "not reproduced" | "reversed" | "cannot tell";

export interface ClaimSource {
  readonly title: string;
  readonly publisher: string;
  /** As exact as it was published: "2025-10-14", "2024-10"; null where it has no date. */
  readonly date: string | null;
}

/** An estimate with its 95 % interval. */
export interface Estimate {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** What a figure counts in: it decides how it is printed. */
export type FigureUnit = "ratio" | "share" | "ms" | "bytes" | "usd" | "count" | "perSecond";

/** One number that was measured for a claim. */
export interface Figure {
  readonly label: string;
  readonly unit: FigureUnit;
  /** `low` and `high` equal the estimate where there is no interval; null: it could not be had, and `note` says why. */
  readonly value: Estimate | null;
  /** Of this figure alone; null where it decides nothing. */
  readonly verdict: ClaimVerdict | null;
  readonly note: string | null;
}

/** What else was seen, ready to be printed. */
export interface FigureTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What an experiment makes of its measurements. */
export interface Outcome {
  readonly verdict: ClaimVerdict;
  /** One or two sentences: why the verdict is what it is. */
  readonly reason: string;
  /** The ones that decide first. */
  readonly figures: readonly Figure[];
  readonly tables: readonly FigureTable[];
}

/** One side of a comparison, as it was measured. Times in milliseconds; estimates are null with too little to go by. */
export interface SideResult {
  readonly name: string;
  readonly target: string;
  /** What is another about its build or start; null where it is the target as it is. */
  readonly otherwise: string | null;
  /** Of the verified response; the digest is that of the masked body. */
  readonly bodyBytes: number;
  readonly bodySha256: string;
  readonly exchanges: number;
  readonly errors: number;
  /** Responses that a rendering of their own, or a call of the handler, made, divided by all; null where they do not tell. */
  readonly rendersPerRequest: number | null;
  readonly firstByteMs: Estimate | null;
  readonly lastByteMs: Estimate | null;
  /** Time to the last byte divided by the time to the first one, within the same instances. */
  readonly lastToFirst: Estimate | null;
  readonly cpuMsPerExchange: Estimate | null;
  readonly residentBytes: number | null;
  readonly peakResidentBytes: number | null;
}

/** One side divided by another: medians of the times, means of the CPU time. */
export interface Contrast {
  readonly side: string;
  readonly against: string;
  readonly firstByteMs: Estimate | null;
  readonly lastByteMs: Estimate | null;
  readonly cpu: Estimate | null;
}

/** A side that could not be measured. */
export interface UnmeasuredSide {
  readonly name: string;
  /** The runtime's own words, where it had any. */
  readonly why: string;
}

/** Sides that were measured interleaved, from fresh instances, with the first side's twin as the control. */
export interface ComparisonResult {
  readonly id: string;
  readonly caseId: string;
  readonly sides: readonly SideResult[];
  readonly unmeasured: readonly UnmeasuredSide[];
  readonly contrasts: readonly Contrast[];
  /** The first side's twin against it: what this comparison calls a difference when there is none; null where it was not measured. */
  readonly control: Contrast | null;
  /** Sets of fresh instances. */
  readonly generations: number;
  /** What happened meanwhile that a reader must know. */
  readonly events: readonly string[];
}

/** One experiment, as it was run. */
export interface ExperimentResult extends Outcome {
  readonly id: string;
  readonly title: string;
  readonly claim: string;
  readonly source: ClaimSource;
  /** The published figure, in words: "3×", "10-25 % of the time". */
  readonly published: string;
  readonly comparisons: readonly ComparisonResult[];
  /** Runtimes and frameworks that took part, by name: "V8 in workerd". */
  readonly versions: Readonly<Record<string, string>>;
  readonly startedAt: string;
  readonly durationMs: number;
}

/** `experiments.json`: all experiments of one start of the command. */
export interface ExperimentsRun {
  readonly schemaVersion: typeof EXPERIMENTS_SCHEMA_VERSION;
  readonly id: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly status: "running" | "complete" | "interrupted";
  readonly evenbenchVersion: string;
  readonly machine: RunMachine;
  readonly seed: number;
  /** What each experiment might take, builds left out, in milliseconds; null where each had a time of its own. */
  readonly timeMs: number | null;
  readonly results: readonly ExperimentResult[];
}
