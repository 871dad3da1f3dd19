import {
  type AppDefinition,
  type CaseManifest,
  type Platform,
  type Reason,
  type SameWork,
  UserError,
} from "@evenbench/core";
import type { Expectations, PreflightTarget } from "@evenbench/probe/preflight";
import type {
  AskedFor,
  OwnAppRecord,
  PlanChoices,
  Run,
  RunEvent,
  RunFolder,
  RunTarget,
} from "@evenbench/results";
import type { CaseAnalysis } from "@evenbench/stats";
import type { MeasuredCase } from "./measured-case.ts";

/** A target that is served on this machine. */
export interface LocalTarget {
  readonly place: "local";
  /** Name of the target, such as "node" for the bundle of handler cases, or "next-node" for another app. */
  readonly name: string;
  readonly app: AppDefinition;
  readonly platform: Platform;
  /** Absolute path of what the platform serves; it need not be built yet. */
  readonly deployable: string;
  /** Absolute path of the folder that its sources are in: profiles name files from there. Default: the repository's. */
  readonly sources?: string;
  /** Which of two states of one thing it is, where they are compared. Default: none. */
  readonly state?: NonNullable<RunTarget["state"]>;
  /** Parameters that its case is asked with in place of the case's own ones. Default: the case's. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** Set if it is a server that knows nothing of this benchmark. */
  readonly ownServer?: PreflightTarget["ownServer"];
  /** A local target is open: it has no token. */
  readonly token?: null;
}

/** A target that is served elsewhere, or is running already. */
export interface UrlTarget extends PreflightTarget {
  readonly place: "url";
  /** Id of the app that it is a build of, such as "bundle". */
  readonly app: string;
  /** Id of the app whose cases it serves, where that is another one ({@link AppDefinition.casesOf}). */
  readonly casesOf?: string | undefined;
  /**
   * URL at which its platform's CPU accounts are collected; null where they come with responses, or not at
   * all.
   */
  readonly accountsUrl?: string | null;
}

/** A target that can be measured. */
export type Target = LocalTarget | UrlTarget;

/** A target that was asked for and could not be built. */
export interface MissingTarget {
  readonly name: string;
  /** The reason, as a sentence. */
  readonly detail: string;
  /** The end of the build's output, as `Reason.quotes` has it. */
  readonly quotes: readonly string[];
}

/** Terms on which targets may differ, and still be measured. */
export interface ProofTerms {
  /** Ids of cases that are not measured: the settings that these pin do not matter. */
  readonly otherCaseIds?: readonly string[];
  /** Settings that may differ; each that does becomes an event. */
  readonly allow?: readonly string[];
  /** Settings that are meant to differ, as those of builds that are compared: they become no event. */
  readonly expectedToDiffer?: readonly string[];
  /** How it is known that all targets do the same work. Default: by equal bodies ("proven"). */
  readonly sameWork?: SameWork;
  /**
   * True if the targets are sides of one question, of one case: meant to differ, each held against its own
   * answer. Those that cannot be measured are left out with an event, but for the first one, the baseline.
   * Default: false.
   */
  readonly sides?: boolean;
  /**
   * True if a target that does not start, and a case that cannot be measured, stop no other: each is left out with an
   * event. Default: nothing is measured then.
   */
  readonly leavesOut?: boolean;
  /** Is called before preflight waits for up to a minute, with a sentence that says why. Default: nobody is. */
  readonly onWait?: ((sentence: string) => void) | undefined;
}

/**
 * The targets and cases of a run, and how it measures them. What a user may choose of its plan is in
 * `PlanChoices`. Times are milliseconds.
 */
export interface RunOptions extends ProofTerms, PlanChoices {
  readonly targets: readonly Target[];
  /** Cases by app id: targets of different apps are never compared. */
  readonly cases: Readonly<Record<string, readonly CaseManifest[]>>;
  /** Targets that were asked for and could not be built. Default: none. */
  readonly missing?: readonly MissingTarget[];
  /** Names of targets whose build was made of other sources than lie here. Default: none. */
  readonly outdated?: readonly string[];
  /** Name or platform of the target that the others are compared with. Default: "node", else the first. */
  readonly baseline?: string;
  /** Number of requests that a target gets back to back in a round. Default: 1. */
  readonly spacing?: number;
  /** Pause before each measured exchange. Default: 0. */
  readonly pauseMs?: number;
  /** Trials of a case at most, where `trials` is not given. Default: 10. */
  readonly mostTrials?: number;
  /**
   * Names the targets of a case that need more trials, by what was measured of it so far: a case without any
   * ends. Default: those that are wider than `precision`, or whose comparison is not decided.
   */
  openTargets?(measured: MeasuredCase): readonly string[];
  /**
   * False where a case goes on while its time is open, though its CPU time is decided and the trials that are left
   * cannot decide its time. Default: true.
   */
  readonly endsOnCpuTime?: boolean;
  /**
   * Time limit of each case, starts and warm-up included. Overrides `totalMs`. Default, and with null: none.
   */
  readonly timeMs?: number | null;
  /**
   * Time limit of all cases together. Default: none; each has three warm trials, and `openMs` bounds what
   * comes after them.
   */
  readonly totalMs?: number;
  /**
   * Time that all cases share while comparisons are undecided, where neither `timeMs` nor `totalMs` is given.
   * Default: 60 s a case.
   */
  readonly openMs?: number;
  /** The number that all random order of the run is made from: from 0 to 2^32 - 1. Default: random. */
  readonly seed?: number;
  /** The folder in which the run gets a folder of its own; or that folder itself. Default: "results". */
  readonly out?: string | RunFolder;
  /** The command line that asks for the run, for its record. Default: none did. */
  readonly asked?: AskedFor;
  /** Longest time of an exchange. Default: 30,000. */
  readonly exchangeTimeoutMs?: number;
  /** A user's app that was built for this run. Default: there is none. */
  readonly ownApp?: OwnAppRecord;
  /** Is called between rounds: at each new phase, else at most five times a second. Must be quick. */
  onProgress?(progress: Progress): void;
  /** Is called after each turn but the last, with what is known so far. */
  onTurn?(soFar: RunSoFar): void;
  /** Is called with each event as it is recorded. */
  onEvent?(event: ToldEvent): void;
  /** Ends the run early; what was measured is kept. */
  readonly signal?: AbortSignal;
}

/** An event as whoever measures is told of it: with the ends of logs, which no record has. */
export interface ToldEvent extends RunEvent, Pick<Reason, "quotes"> {}

/** A run that is still measured. */
export interface RunSoFar {
  /** The run's record so far. */
  readonly run: Run;
  /** Analyses of the cases that have a fit, by the time to the last byte. */
  readonly analyses: readonly CaseAnalysis[];
}

/** The progress of a run, with the time that it still takes. */
export interface Progress extends ProgressPlace {
  /** Place of the case among all cases, from 0. */
  readonly caseIndex: number;
  readonly caseCount: number;
  /** Milliseconds until the whole run ends, if what is undecided stays so; null while unknown. */
  readonly etaMs: number | null;
}

/** The place that a run has come to. */
export interface ProgressPlace {
  /** The part of the trial; after all trials "cold" for cold starts, "memory", and "startUp" for the CPU time of starts. */
  readonly phase:
    | "preflight"
    | "start"
    | "warmup"
    | "measure"
    | "transfer"
    | "stop"
    | "cold"
    | "memory"
    | "startUp";
  /** Id of the case that is measured; null during preflight, and for what is of all cases. */
  readonly caseId: string | null;
  /** Number of the trial, from 0. */
  readonly trial: number;
  /** Largest number of trials. */
  readonly trials: number;
  /** Number of the round, from 0; in cold starts, of the repetition. */
  readonly roundIndex: number;
}

/** A run that has ended. */
export interface RunResult {
  /** Absolute path of its folder. */
  readonly folder: string;
  readonly run: Run;
  /** The answers that its targets had to give, by case id, then by name of the target. */
  readonly expectations: Expectations;
}

/** A run that cannot begin, or go on, for a reason that its user can change. */
export class RunError extends UserError {
  override readonly name: string = "RunError";
}

/** What cannot be measured of what was asked for: the reason of each, where the others are measured. */
export interface Unmeasurable {
  /** By the name of the target. */
  readonly targets: ReadonlyMap<string, Reason>;
  /** By the id of the case. */
  readonly cases: ReadonlyMap<string, Reason>;
  /** What kept the targets from being measured. */
  readonly code: NonNullable<RunEvent["why"]>;
}

/** A run that cannot begin for some of its targets or cases. */
export class PartError extends RunError {
  override readonly name: string = "PartError";
  readonly part: Unmeasurable;

  constructor({ message, quotes }: Reason, part: Unmeasurable) {
    super(message, quotes);
    this.part = part;
  }
}
