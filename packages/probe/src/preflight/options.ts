import type {
  CaseManifest,
  ExpectedBuild,
  Golden,
  Identity,
  RequestSettings,
  SameWork,
} from "@evenbench/core";
import type { Expectation } from "../index.ts";
import type { PreflightProblem } from "./problem.ts";

export interface PreflightTarget {
  readonly name: string;
  /** Origin, such as "http://127.0.0.1:41234". */
  readonly url: string;
  /** Where it is closed. */
  readonly token?: string | null;
  /** Where it is a deployment of ours: what it has to run. */
  readonly expectedBuild?: ExpectedBuild | null;
  /** Where it knows nothing of Evenbench. */
  readonly stranger?: StrangerTarget | undefined;
}

/** A target without an identity. Its answers are held against those of others like it, and no setting is. */
export interface StrangerTarget {
  readonly request: RequestSettings;
  /** What is known of it. */
  readonly facts: Identity["facts"];
}

export interface PreflightOptions {
  readonly targets: readonly PreflightTarget[];
  readonly cases: readonly CaseManifest[];
  /** Cases that the targets serve but that are not measured: their pins are ignored. */
  readonly otherCaseIds?: readonly string[];
  /** Names of pins that may differ: each difference is then a warning. */
  readonly allow?: readonly string[];
  /**
   * "assumed": answers of targets without an identity may differ; each difference is then in `assumed`.
   * "json": their bodies are equal whatever the order of keys.
   * Default "proven".
   */
  readonly sameWork?: SameWork;
  /** Longest that one request may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface PreflightResult {
  /** Whether the comparison may go on: no problems. */
  readonly ok: boolean;
  readonly problems: readonly PreflightProblem[];
  /** Differences that were allowed. */
  readonly warnings: readonly PreflightProblem[];
  /** Differences between answers that the same work was assumed behind. */
  readonly assumed: readonly PreflightProblem[];
  /** What is not known of targets without an identity, and what else a reader must know of their answers: sentences. */
  readonly unknown: readonly string[];
  /** What frameworks make different in bodies that are the same page: a sentence for each such case, with the sizes. */
  readonly differences: readonly string[];
  /** Of the targets that could be reached, by target name. */
  readonly identities: Readonly<Record<string, Identity>>;
  /** What every exchange is to be held against, by case id; a case with a problem has none. */
  readonly expectations: Readonly<Record<string, Expectation>>;
  /** The same of targets without an identity: each is held against its own answer. By case id and target name. */
  readonly ownExpectations: Readonly<Record<string, Readonly<Record<string, Expectation>>>>;
  /**
   * Values that all targets agree on, of handler cases without golden values: to be looked at and then
   * written into the case. (Pages have none: every version of a framework writes them otherwise.)
   */
  readonly toConfirm: Readonly<Record<string, Golden>>;
  /** The body of each of those. */
  readonly bodiesToConfirm: Readonly<Record<string, Buffer>>;
  /** Time of each target's second exchange, in milliseconds, by case id and target name: a first idea of its cost. */
  readonly exchangeMs: Readonly<Record<string, Readonly<Record<string, number>>>>;
}
