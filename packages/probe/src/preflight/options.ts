import type {
  CaseManifest,
  ExpectedBuild,
  Golden,
  Identity,
  RequestSettings,
  SameWork,
} from "@evenbench/core";
import type { Expectation } from "../rules.ts";

export interface PreflightTarget {
  readonly name: string;
  readonly url: string;
  readonly token?: string | null;
  readonly expectedBuild?: ExpectedBuild | null;
  /** What knows nothing of us: how it is asked, and by which command or URL it is known. */
  readonly ownServer?: { readonly request: RequestSettings; readonly facts: Identity["facts"] } | undefined;
}

export interface PreflightOptions {
  readonly targets: readonly PreflightTarget[];
  readonly cases: readonly CaseManifest[];
  readonly otherCaseIds?: readonly string[];
  /** Settings of which each difference is then a warning. */
  readonly allow?: readonly string[] | "all";
  /** Of own servers: "assumed" lets answers differ, each in `assumed`; "json" any order of keys. Default "proven". */
  readonly sameWork?: SameWork;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** By case id and target name. */
export type Expectations = Readonly<Record<string, Readonly<Record<string, Expectation>>>>;

export interface PreflightResult {
  readonly ok: boolean;
  readonly problems: readonly PreflightProblem[];
  readonly warnings: readonly PreflightProblem[];
  readonly assumed: readonly PreflightProblem[];
  readonly unknown: readonly string[];
  readonly differences: readonly string[];
  readonly identities: Readonly<Record<string, Identity>>;
  readonly expectations: Expectations;
  /** Pages have none: each version of a framework writes them otherwise. */
  readonly toConfirm: Readonly<Record<string, Golden>>;
  readonly bodiesToConfirm: Readonly<Record<string, Buffer>>;
  /** Milliseconds by case id and target name: a first idea of the cost. */
  readonly exchangeMs: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export type PreflightKind =
  | "down" // cannot be reached, or has no identity
  | "unfinished" // a case that did not end in time
  | "development" // serves what is for developing
  | "pin" // a setting that differs, or is not what it must be
  | "build" // a deployment of another build than the one here
  | "wire" // not HTTP/1.1 with kept connections
  | "certificate" // of an address whose certificate is not trusted
  | "redirect"
  | "status"
  | "content-type"
  | "encoding"
  | "cache" // other headers for caches
  | "length"
  | "render" // a page that was not rendered anew, or does not say so
  | "streaming" // a body that comes at once here and in parts there
  | "digest";

export interface PreflightProblem {
  readonly kind: PreflightKind;
  readonly pin: string | null;
  readonly caseId: string | null;
  readonly what: string;
  readonly values: Readonly<Record<string, string>>;
  readonly remedy: string;
}

export function problem(
  given: Pick<PreflightProblem, "kind" | "what" | "remedy"> & Partial<PreflightProblem>,
): PreflightProblem {
  return { pin: null, caseId: null, values: {}, ...given };
}

export function quote(bytes: Uint8Array): string {
  return JSON.stringify(new TextDecoder().decode(bytes)).replace(ACTING, escapeCharacter);
}

/** Control characters that JSON leaves as they are, and those that turn the direction of text. */
const ACTING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeCharacter = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
