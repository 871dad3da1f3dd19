import {
  type AppDefinition,
  type CaseManifest,
  type Platform,
  type SameWork,
  UserError,
} from "@evenbench/core";
import type { Expectations, PreflightTarget } from "@evenbench/probe/preflight";
import type { PlanChoices, Run, RunEvent, RunFolder } from "@evenbench/results";
import type { CaseAnalysis } from "@evenbench/stats";

export interface LocalTarget {
  readonly place: "local";
  /** "node" for the bundle of handler cases, "next-node" for another app. */
  readonly name: string;
  readonly app: AppDefinition;
  readonly platform: Platform;
  /** Absolute path of what the platform serves; it need not be built yet. */
  readonly deployable: string;
  /** What its case is asked with in place of the case's own parameters. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly ownServer?: PreflightTarget["ownServer"];
  readonly token?: null;
}

export interface UrlTarget extends PreflightTarget {
  readonly place: "url";
  /** The app whose cases it serves, such as "bundle". */
  readonly app: string;
  /** null where its platform's accounts come with responses, or not at all. */
  readonly accountsUrl?: string | null;
}

export type Target = LocalTarget | UrlTarget;

export interface MissingTarget {
  readonly name: string;
  readonly detail: string;
}

export interface ProofTerms {
  /** Not measured: their pins do not matter. */
  readonly otherCaseIds?: readonly string[];
  readonly allow?: readonly string[];
  /** As those of builds that are compared: nobody is warned. */
  readonly expectedToDiffer?: readonly string[];
  readonly sameWork?: SameWork;
  /**
   * The targets are sides of one question, of one case: meant to differ, each held against its own answer. Those that
   * cannot be measured are left out with an event, but for the first one, the baseline.
   */
  readonly sides?: boolean;
}

/** What a run measures, and how. What a user may choose of its plan is in `PlanChoices`. Times are milliseconds. */
export interface RunOptions extends ProofTerms, PlanChoices {
  readonly targets: readonly Target[];
  /** By app id: targets of different apps are never compared. */
  readonly cases: Readonly<Record<string, readonly CaseManifest[]>>;
  /** Where nobody names any: the command for repeating need not name them. */
  readonly usualCases?: readonly string[];
  readonly missing?: readonly MissingTarget[];
  /** Name or platform. Default "node", else the first. */
  readonly baseline?: string;
  /** Back to back in a round. Default 1. */
  readonly spacing?: number;
  /** Before each measured exchange. Default 0. */
  readonly pauseMs?: number;
  /** Trials of a case at most, where `trials` is not given. Default: 10. */
  readonly mostTrials?: number;
  /** For each case, starts and warm-up included. Overrides `totalMs`. */
  readonly timeMs?: number | null;
  /** For all cases. Default: three warm trials of each, and up to 52 s a case for what is still open. */
  readonly totalMs?: number;
  /** Where neither is given: what cases share while a comparison is open. Default: 52 s a case. */
  readonly openMs?: number;
  /** From 0 to 2^32 - 1. Default: random. */
  readonly seed?: number;
  /** The folder for the run's own folder; or that folder itself. Default "results". */
  readonly out?: string | RunFolder;
  /** Default: 30,000. */
  readonly exchangeTimeoutMs?: number;
  /** Once, after preflight. `room`: "about 4 trials", where a time was asked for. */
  onPlan?(expectedMs: number, room: string | null): void;
  /** Between rounds: at each new phase, else at most five times a second. Must be quick. */
  onProgress?(progress: Progress): void;
  onTurn?(soFar: { readonly run: Run; readonly analyses: readonly CaseAnalysis[] }): void;
  onEvent?(event: RunEvent): void;
  readonly signal?: AbortSignal;
}

export interface Progress extends ProgressPlace {
  readonly caseIndex: number;
  readonly caseCount: number;
  /** In the whole run, if what is open stays open; null while unknown. */
  readonly etaMs: number | null;
}

/** Everything counts from 0. */
export interface ProgressPlace {
  readonly phase: "preflight" | "start" | "warmup" | "measure" | "transfer" | "cold" | "stop";
  readonly caseId: string | null;
  readonly trial: number;
  readonly trials: number;
  readonly roundIndex: number;
}

export interface RunResult {
  readonly folder: string;
  readonly run: Run;
  readonly expectations: Expectations;
}

export class RunError extends UserError {
  override readonly name: string = "RunError";
}
