import {
  ARTIFACT_APP,
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

export interface PreflightResult extends Readonly<PreflightFindings> {
  readonly ok: boolean;
  readonly warnings: readonly PreflightProblem[];
  readonly assumed: readonly PreflightProblem[];
}

export type PreflightFindings = ReturnType<typeof emptyFindings>;

/** Expectations and times are by case id and target name. */
export function emptyFindings() {
  return {
    problems: [] as PreflightProblem[],
    differences: [] as string[],
    unknown: [] as string[],
    identities: openRecord<Identity>(),
    expectations: openRecord<Expectations[string]>(),
    /** Pages have none: each version of a framework writes them otherwise. */
    toConfirm: openRecord<Golden>(),
    bodiesToConfirm: openRecord<Buffer>(),
    /** Milliseconds: a first idea of the cost. */
    exchangeMs: openRecord<Record<string, number>>(),
  };
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
  | "threw" // a case whose handler threw
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
  fields: Pick<PreflightProblem, "kind" | "what" | "remedy"> & Partial<PreflightProblem>,
): PreflightProblem {
  return { pin: null, caseId: null, values: {}, ...fields };
}

export function quote(bytes: Uint8Array): string {
  return JSON.stringify(new TextDecoder().decode(bytes)).replace(CONTROL_OR_FORMAT, escapeCharacter);
}

/** Control characters that JSON leaves as they are, and those that turn the direction of text. */
const CONTROL_OR_FORMAT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeCharacter = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

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
      ? `Preflight passed: ${count(cases, "case")} ${cases === 1 ? "gives" : "give"} the same on ${targets}.`
      : `Preflight failed: ${count(result.problems.length, "problem")}. Nothing was measured.`,
  );
  return blocks.join("\n\n");
}

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

function formatProblem(label: string, problem: PreflightProblem): string {
  const width = Math.max(...Object.keys(problem.values).map((name) => name.length));
  // Of a target that is down the sentence says everything.
  const values = problem.kind === "down" ? [] : Object.entries(problem.values);
  return [
    terminalLine(`${label}: ${problem.what}`),
    ...values.map(([name, value]) => terminalLine(`  ${name.padEnd(width)}  ${value}`)),
    terminalLine(`  Remedy: ${problem.remedy}`),
  ].join("\n");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
