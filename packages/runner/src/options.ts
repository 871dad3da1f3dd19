import {
  type AppDefinition,
  type CaseManifest,
  type ExpectedBuild,
  type Platform,
  type RequestSettings,
  type SameWork,
  UserError,
} from "@evenbench/core";
import type { Expectation } from "@evenbench/probe";
import type { Run, RunEvent, RunFolder, RunPlan } from "@evenbench/results";
import type { CaseAnalysis } from "@evenbench/stats";

/** What is known of a server that knows nothing of Evenbench. */
export interface OwnServer {
  readonly request: RequestSettings;
  /** What starts it; null for one that runs already. */
  readonly command: string | null;
}

/** A target served on this machine: an app's deployable on a platform. */
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
  readonly ownServer?: OwnServer;
}

/** A target that runs already, known by its URL alone. */
export interface UrlTarget {
  readonly place: "url";
  readonly name: string;
  /** The app whose cases it serves, such as "bundle". */
  readonly app: string;
  /** Origin, with or without a trailing slash. */
  readonly url: string;
  /** Sent as its bearer token, where it is closed. */
  readonly token?: string | null;
  /** What it has to run, where it is a deployment of ours. */
  readonly expectedBuild?: ExpectedBuild | null;
  /** Where its platform's accounts of requests are collected; null where they come with responses, or not at all. */
  readonly accountsUrl?: string | null;
  readonly ownServer?: OwnServer;
}

export type Target = LocalTarget | UrlTarget;

/** A target that takes no part, and why. */
export interface MissingTarget {
  readonly name: string;
  readonly detail: string;
}

/** Which cores servers may use. */
export type ServerCores = RunPlan["serverCores"];

/** Under which the targets' work is proven to be the same. */
export interface ProofTerms {
  /** Cases that the targets serve but that are not measured: their pins do not matter. */
  readonly otherCaseIds?: readonly string[];
  /** Names of pins that may differ. */
  readonly allow?: readonly string[];
  /** Names of pins that are to differ, as builds that are compared: nobody is warned. */
  readonly expectedToDiffer?: readonly string[];
  /** "assumed": own servers are compared although their answers differ, and the report says so. */
  readonly sameWork?: SameWork;
  /** Whether a case without golden values is told, with the values to write into it. Default true. */
  readonly asksForGolden?: boolean;
  /**
   * The targets are sides of one question, of one case: meant to differ, each held against its own answer. Those that
   * cannot be measured are left out with an event, but for the first one, the baseline. The time has their proof in it.
   */
  readonly sides?: boolean;
}

/** Times in milliseconds. */
export interface RunOptions extends ProofTerms {
  readonly targets: readonly Target[];
  /** By app id: targets of different apps are never compared with one another. */
  readonly cases: Readonly<Record<string, readonly CaseManifest[]>>;
  /** The cases that a run has where nobody names any: its command for repeating need not name them. */
  readonly usualCases?: readonly string[];
  /** Targets that were asked for and could not be built: the report says so. */
  readonly missing?: readonly MissingTarget[];
  /** Name or platform. Default "node", else the first. */
  readonly baseline?: string;
  /** Default 1. */
  readonly workers?: number;
  /**
   * "apart": client and servers have cores of their own, where the system allows that. Default "all": a compiler that
   * works beside its program needs a core, and decides what an instance is from then on (docs/method.md).
   */
  readonly serverCores?: ServerCores;
  /** Exchanges that a target gets back to back in a round. Default 1. */
  readonly spacing?: number;
  /** Before each measured exchange. Default 0. */
  readonly pauseMs?: number;
  /** Of every instance. Default: what each target was found to need. */
  readonly warmUpExchanges?: number | null;
  /** Keeps what targets were found to need, from run to run. Default: nothing is kept. */
  readonly warmUpFile?: string | null;
  /** Of each trial. Default: as many as the time allows, at least 6. */
  readonly rounds?: number | null;
  /** Default: 3, and up to `mostTrials` while a comparison is open and there is time. */
  readonly trials?: number | null;
  /** Default 10. */
  readonly mostTrials?: number;
  /** For each case, starts and warm-up included; or for every case by its id. Overrides `totalMs`. */
  readonly timeMs?: number | ReadonlyMap<string, number> | null;
  /** For all cases. Default: three warm trials of each, and up to 43 s a case for what is still open. */
  readonly totalMs?: number;
  /** Width of the interval, as a part of the ratio, at which a case ends. Default: it ends when it is decided. */
  readonly precision?: number;
  /** From 0 to 2^32 - 1. Default: random. */
  readonly seed?: number;
  /** The folder that takes the run's own folder; or that folder itself. Default "results". */
  readonly out?: string | RunFolder;
  /** Instances of each local target that are started for their first exchanges alone, after all cases. Default 0. */
  readonly coldStarts?: number;
  /** Longest that one exchange may take. Default: 30,000, less where a time is given. */
  readonly exchangeTimeoutMs?: number;
  /** Whether platforms are asked what CPU time they account to each request of deployed targets. */
  readonly providerCpu?: boolean;
  /** Instances that are warmed up at the same time. Default 1: a compiler needs a core. */
  readonly warmTogether?: number;
  /** Targets that are asked at the same moment in a measured round. Default 1. */
  readonly askTogether?: number;
  /** Once, after preflight. */
  onPlan?(expectedMs: number): void;
  /** Between rounds: at each new phase, else at most five times a second. Must be quick. */
  onProgress?(progress: Progress): void;
  /** Between two turns of the cases, while nothing is measured. */
  onTurn?(soFar: { readonly run: Run; readonly analyses: readonly CaseAnalysis[] }): void;
  onEvent?(event: RunEvent): void;
  /** Ends the run early; what was measured is kept. */
  readonly signal?: AbortSignal;
}

/** Where a run is. Everything counts from 0. */
export interface Progress {
  readonly phase: "preflight" | "start" | "warmup" | "measure" | "transfer" | "cold" | "stop";
  /** null during preflight. */
  readonly caseId: string | null;
  readonly caseIndex: number;
  readonly caseCount: number;
  readonly trial: number;
  /** So many at most. */
  readonly trials: number;
  /** In each phase of each trial. */
  readonly roundIndex: number;
  /** Time left in the whole run if what is open stays open, in milliseconds; null while unknown. */
  readonly etaMs: number | null;
  /** Why it is longer than announced, or what it is spent on; null where there is nothing to say. */
  readonly why: string | null;
}

export interface RunResult {
  /** Absolute path of the run's folder. */
  readonly folder: string;
  readonly run: Run;
  /** What the exchanges of each case were held against, by case id and target, where each has its own. */
  readonly expectations: Readonly<Record<string, Readonly<Record<string, Expectation>>>>;
}

/** A run that could not begin or go on, with what to do about it in its message. */
export class RunError extends UserError {
  override readonly name: string = "RunError";
}
