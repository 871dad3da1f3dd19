import type { WholeResponse } from "./response.ts";

/** What preflight looks at, as a closed set. */
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

/** A reason why a comparison would mean nothing. */
export interface PreflightProblem {
  readonly kind: PreflightKind;
  /** The pin, or null where it is none. */
  readonly pin: string | null;
  /** The case, or null where it concerns them all. */
  readonly caseId: string | null;
  /** One sentence that says what is wrong. */
  readonly what: string;
  /**
   * What each target that was looked at has, by target name; "expected" is what all should have, where that
   * is known.
   */
  readonly values: Readonly<Record<string, string>>;
  readonly remedy: string;
}

/** Bytes as quoted text on one line: nothing of them acts on a terminal. */
export function quote(bytes: Uint8Array): string {
  return JSON.stringify(new TextDecoder().decode(bytes)).replace(ACTING, escapeCharacter);
}

/** Control characters that JSON leaves as they are, and those that turn the direction of text. */
const ACTING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeCharacter = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** What one target answered to one case, once after the other. */
export interface Answers {
  readonly target: string;
  readonly responses: readonly WholeResponse[];
}
