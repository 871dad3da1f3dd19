import {
  ARTIFACT_APP,
  type BodyMask,
  type CaseManifest,
  type ExpectedBuild,
  type Golden,
  type Identity,
  openRecord,
  type RequestSettings,
  type SameWork,
  shellWord,
  terminalLine,
} from "@evenbench/core";
import type { Expectation } from "../rules.ts";

/** A target that preflight asks. */
export interface PreflightTarget {
  readonly name: string;
  /** The target's origin. */
  readonly url: string;
  /** The token of its callers. Default: it is open. */
  readonly token?: string | null;
  /** The build that it must run. Default: any. */
  readonly expectedBuild?: ExpectedBuild | null;
  /** A server that knows nothing of Evenbench: how it is asked, and by which command or URL it is known. */
  readonly ownServer?: { readonly request: RequestSettings; readonly facts: Identity["facts"] } | undefined;
  /** The NODE_ENV that a command gave its server. Default: "production", as the command got it. */
  readonly nodeEnv?: string | undefined;
}

/** Targets and cases that preflight checks, and how. */
export interface PreflightOptions {
  readonly targets: readonly PreflightTarget[];
  readonly cases: readonly CaseManifest[];
  /** Cases that are not measured: their pins do not matter. Default: none. */
  readonly otherCaseIds?: readonly string[];
  /** Pins that may differ: each difference is then a warning. Default: none. */
  readonly allow?: readonly string[] | "all";
  /**
   * How own servers are compared: "assumed" lets answers differ, each in `assumed`; "json" any order of keys.
   *
   * @default "proven"
   */
  readonly sameWork?: SameWork;
  /**
   * Starts own servers anew, and resolves to their origins by target name: what changes from start to start
   * is found that way. Default: they are asked as they run.
   */
  readonly restart?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
  /** Milliseconds from a case's first request until it is asked for once more. Default: more than a second. */
  readonly laterMs?: number;
  /**
   * Milliseconds until own servers whose answers show the present minute are asked once more. Default: until the next
   * minute has begun.
   */
  readonly nextMinuteMs?: number;
  /** Is called before it waits for the next minute, with a sentence that says why and for how long. */
  readonly onWait?: ((sentence: string) => void) | undefined;
  /** Milliseconds for each request. @default EXCHANGE_TIMEOUT_MS */
  readonly timeoutMs?: number;
  /** Ends it early, with what was found so far. */
  readonly signal?: AbortSignal | undefined;
}

/** Answers that targets have to give, by case id and target name. */
export type Expectations = Readonly<Record<string, Readonly<Record<string, Expectation>>>>;

/** The findings of preflight, and whether they let a run begin. */
export interface PreflightResult extends Readonly<PreflightFindings> {
  /** True where there are no problems. */
  readonly ok: boolean;
  /** Differences of pins that were allowed. */
  readonly warnings: readonly PreflightProblem[];
  /** Differences of answers that somebody said do not matter. */
  readonly assumed: readonly PreflightProblem[];
}

/** The findings of preflight so far. */
export interface PreflightFindings {
  readonly problems: readonly PreflightProblem[];
  /** A sentence about bodies that differ, and are the same in their normal form, by case id. */
  readonly differences: Readonly<Record<string, string>>;
  /** Sentences about what cannot be known of own servers. */
  readonly unknown: readonly string[];
  /** Sentences about headers of own servers' answers that matter once they are in use: for caches, and cookies. */
  readonly headers: readonly string[];
  /** Sentences about what varies in answers of own servers and is hidden, by case id. */
  readonly hidden: Readonly<Record<string, readonly string[]>>;
  /** Masks that were found for own servers, by case id and target name. */
  readonly masks: Readonly<Record<string, Readonly<Record<string, readonly BodyMask[]>>>>;
  /**
   * The header by which answers say that a cache gave them, by case id and by the name of each target whose
   * answers do.
   */
  readonly fromCache: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Identities by target name, of those that were reached. */
  readonly identities: Readonly<Record<string, Identity>>;
  /** Answers that each target has to give, of cases that are the same everywhere. */
  readonly expectations: Expectations;
  /**
   * Values that all targets agree on, by case id, of cases without golden values. Pages have none: each version of a
   * framework writes them otherwise.
   */
  readonly toConfirm: Readonly<Record<string, Golden>>;
  /** The bodies of `toConfirm`, by case id. */
  readonly bodiesToConfirm: Readonly<Record<string, Buffer>>;
  /** The shortest time of an answer in milliseconds, by case id and target name: a first idea of the cost. */
  readonly exchangeMs: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** A list or record that may be added to. */
type Growing<T> = T extends readonly (infer Item)[] ? Item[] : { -readonly [Key in keyof T]: T[Key] };

/** {@link PreflightFindings} while they are being collected. */
export type CollectedFindings = {
  readonly [Finding in keyof PreflightFindings]: Growing<PreflightFindings[Finding]>;
};

/** Makes the findings of a preflight that has found nothing yet. */
export function emptyFindings(): CollectedFindings {
  return {
    problems: [],
    differences: openRecord(),
    unknown: [],
    headers: [],
    hidden: openRecord(),
    masks: openRecord(),
    fromCache: openRecord(),
    identities: openRecord(),
    expectations: openRecord(),
    toConfirm: openRecord(),
    bodiesToConfirm: openRecord(),
    exchangeMs: openRecord(),
  };
}

/** Kinds of problems. */
export type PreflightKind =
  | "down" // cannot be reached, or has no identity
  | "unfinished" // a case that did not end in time
  | "development" // serves what is for developing
  | "pin" // a setting that differs, or is not what it must be
  | "build" // a deployment of another build than the one here
  | "wire" // not HTTP/1.1 with kept connections
  | "certificate" // of an address whose certificate is not trusted
  | "redirect" // leads elsewhere, and is not followed
  | "threw" // a case whose handler threw
  | "status" // another status, or an error of the server
  | "content-type" // another content type
  | "encoding" // compressed, though nothing was accepted
  | "cache" // other headers for caches
  | "length" // another length of the body
  | "render" // a page that was not rendered anew, or does not say so
  | "streaming" // a body that comes at once here and in parts there
  | "digest"; // another masked body

/** A reason why targets cannot be compared. */
export interface PreflightProblem {
  readonly kind: PreflightKind;
  /** The setting that differs; null where it is not about one. */
  readonly pin: string | null;
  /** Id of the case that it is about; null where it is not about one. */
  readonly caseId: string | null;
  /** The fault, in whole sentences. */
  readonly what: string;
  /** Values that were seen, by target name; "expected" is what should have been. */
  readonly values: Readonly<Record<string, string>>;
  /** Remedy, in whole sentences. */
  readonly remedy: string;
}

/** Makes a problem: without a pin, a case and values where they are left out. */
export function problem(
  fields: Pick<PreflightProblem, "kind" | "what" | "remedy"> & Partial<PreflightProblem>,
): PreflightProblem {
  return { pin: null, caseId: null, values: {}, ...fields };
}

/** Quotes bytes as JSON does, with nothing in them that acts upon a terminal. */
export function quoteBytes(bytes: Uint8Array): string {
  return JSON.stringify(new TextDecoder().decode(bytes)).replace(CONTROL_OR_FORMAT, escapeCharacter);
}

/** Control characters that JSON leaves as they are, and those that turn the direction of text. */
const CONTROL_OR_FORMAT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Writes a character as a Unicode escape. */
const escapeCharacter = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** Writes what preflight found for a terminal. @param accepted ids of cases whose golden values were just written. */
export function formatPreflight(result: PreflightResult, accepted: readonly string[] = []): string {
  const blocks = [
    ...result.problems.map((problem) => formatProblem("Problem", problem)),
    ...result.warnings.map((problem) => formatProblem("Allowed", problem)),
    ...result.assumed.map((problem) => formatProblem("Assumed to be the same work", problem)),
    ...Object.entries(result.toConfirm)
      .filter(([caseId]) => !accepted.includes(caseId))
      .map(([caseId, golden]) => toConfirm(result, caseId, golden)),
  ];
  const cases = Object.keys(result.expectations).length;
  const targets = Object.keys(result.identities).join(", ");
  blocks.push(
    result.ok
      ? `Preflight passed: ${countedNoun(cases, "case")} ${cases === 1 ? "gives" : "give"} the same on ${targets}.`
      : `Preflight failed: ${countedNoun(result.problems.length, "problem")}. Nothing was measured.`,
  );
  return blocks.join("\n\n");
}

/** Writes golden values as the lines of a `case.ts`. */
export function goldenSource({ status, contentType, bytes, sha256 }: Golden): string {
  const members = { status, contentType, bytes, sha256 };
  const lines = Object.entries(members).map(([name, value]) => `    ${name}: ${JSON.stringify(value)},\n`);
  return `  golden: {\n${lines.join("")}  },`;
}

function toConfirm({ identities }: PreflightResult, caseId: string, golden: Golden): string {
  const isOfArtifact = Object.values(identities).some(({ app }) => app === ARTIFACT_APP);
  const next = isOfArtifact
    ? `\nThis writes them: npm run bench -- preflight --accept ${shellWord(caseId)}`
    : "";
  return `To confirm: case "${caseId}" has no golden values; all targets agree on\n${goldenSource(golden)}${next}`;
}

/** Kinds of problems of a target that gave no answer. Their sentence says everything. */
export const UNANSWERED: readonly PreflightKind[] = ["down", "unfinished"];

function formatProblem(label: string, problem: PreflightProblem): string {
  const width = Math.max(...Object.keys(problem.values).map((name) => name.length));
  const values = UNANSWERED.includes(problem.kind) ? [] : Object.entries(problem.values);
  return [
    terminalLine(`${label}: ${problem.what}`),
    ...values.map(([name, value]) => terminalLine(`  ${name.padEnd(width)}  ${value}`)),
    terminalLine(`  Remedy: ${problem.remedy}`),
  ].join("\n");
}

function countedNoun(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
