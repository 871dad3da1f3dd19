// For whoever makes or checks a script for k6.
import { type CaseManifest, UserError } from "@evenbench/core";

const ESCAPE = String.raw`\\(?:[dDwWsbnrtfv]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^\w\s])`;
/** A class of letters that is not empty, and has no other one in it. */
const CLASS = String.raw`\[\^?(?:${ESCAPE}|[^\\[\]])+\]`;
/** Expressions for the parts that a pattern may consist of, one after the other: no text is of two kinds. */
const BOUNDED_PARTS = [
  ESCAPE,
  String.raw`\\[SB]`,
  CLASS,
  String.raw`\(\?:`,
  String.raw`\((?!\?)`,
  String.raw`\)`,
  "[*+?]",
  String.raw`\{\d+(?:,\d*)?\}`,
  // A brace that begins no count is a letter, as in JSON.
  String.raw`\{(?!\d)`,
  String.raw`[^\\()[{*+?]`,
];
const WHOLE = new RegExp(`^(?:${BOUNDED_PARTS.join("|")})*$`);
/** The parts of a pattern by which classes are told from escaped brackets. */
const ESCAPES_AND_CLASSES = new RegExp(String.raw`\\[^x]|${CLASS}`, "g");
/** A range of a class that begins or ends with several letters, such as `[a-\d]`: for RE2 it is an error. */
const WIDE_RANGE = /^\[.*(?:\\s-[^\]]|[^[^]-\\[dDwWs])/;
const COUNTS = /\{(\d+)(?:,(\d*))?\}/g;
/** The most repetitions that RE2 takes, those within others multiplied (github.com/google/re2, wiki/Syntax). */
const MOST_REPETITIONS = 1000;
/** The longest pattern, in letters: RE2 also bounds how deep and large an expression is. */
const MAX_PATTERN_LETTERS = 1000;
/** Letters of ASCII that are printed: k6 has another way for others. */
const ONLY_PRINTABLE = /^[\x20-\x7e]*$/;

/** The end of a sentence that says what to do about a pattern that is not bounded. */
export const WRITE_BOUNDED =
  "within k6 nothing could end its search. Write it without a lookahead, a lookbehind, a back reference, a named group, or \\S within brackets";

/**
 * Tells whether k6 finds the matches of a pattern in a time that grows with the text alone.
 *
 * k6 gives what RE2 takes to Go's engine, which is one (https://pkg.go.dev/regexp), and all else to one that tries
 * again and again, maybe for ever, and that nothing interrupts (grafana/sobek, `TransformRegExp`): lookaheads, back
 * references, named groups, and less obvious patterns, such as `[\s\S]`. So only what is known to be taken is.
 */
export function isBoundedInK6(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_LETTERS || !ONLY_PRINTABLE.test(pattern)) {
    return false;
  }
  if (!WHOLE.test(pattern)) {
    return false;
  }
  if ((pattern.match(ESCAPES_AND_CLASSES) ?? []).some((part) => WIDE_RANGE.test(part))) {
    return false;
  }
  let repetitions = 1;
  for (const [, least = "1", most = ""] of pattern.matchAll(COUNTS)) {
    repetitions *= Math.max(1, Number(least), Number(most));
  }
  return repetitions <= MOST_REPETITIONS;
}

/** @throws {UserError} where k6 could look for a case's mask for ever. */
export function assertBoundedInK6(cases: readonly CaseManifest[]): void {
  for (const { id, masks } of cases) {
    const unbounded = masks.find(({ pattern }) => !isBoundedInK6(pattern));
    if (unbounded !== undefined) {
      throw new UserError(
        `The mask "${unbounded.name}" of the case "${id}" is ${unbounded.pattern}: ${WRITE_BOUNDED}, or leave --engine out.`,
      );
    }
  }
}
