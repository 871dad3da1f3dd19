import type { BodyMask } from "@evenbench/core";

/** A kind of pieces of text that differ from body to body. */
export interface SlotKind {
  /**
   * Name of the kind: "time stamp", "counter", "number", "UUID" or "random token". A guess by the form of the
   * piece.
   */
  readonly title: string;
  /** Family of the kind: pieces of one family may stand in each other's place. */
  readonly family: "time" | "number" | "token";
  /** The source of a regular expression that matches each of its texts. */
  readonly pattern: string;
}

/** AM or PM behind a time, with the narrow space of Intl in between: its bytes in UTF-8, as one character each. */
const HALF_OF_DAY = String.raw`(?:(?:\s|\u00e2\u0080\u00af)?[AP]M)?`;

/** Sources of regular expressions of times as people write them, the longest first. None can take long to match. */
const TIME_PATTERNS: readonly string[] = [
  // 2026-11-27T10:00:00.000Z
  String.raw`\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?`,
  // Fri, 27 Nov 2026 10:00:00 GMT
  String.raw`[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT`,
  // Fri Nov 27 2026 10:00:00 GMT+0000
  String.raw`[A-Z][a-z]{2} [A-Z][a-z]{2} \d{2} \d{4} \d{2}:\d{2}:\d{2} GMT[+-]\d{4}`,
  // 11/27/2026, 10:00:00 AM
  String.raw`\d{1,2}/\d{1,2}/\d{4}, \d{1,2}:\d{2}:\d{2}${HALF_OF_DAY}`,
  // 10:00:00, 10:00:00 AM
  String.raw`\d{1,2}:\d{2}:\d{2}(?:\.\d+)?${HALF_OF_DAY}`,
  // The same without seconds.
  String.raw`\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?:Z|[+-]\d{2}:?\d{2})?`,
  String.raw`\d{1,2}/\d{1,2}/\d{4}, \d{1,2}:\d{2}${HALF_OF_DAY}`,
  String.raw`\d{1,2}:\d{2}${HALF_OF_DAY}`,
];
/** The source of a regular expression of a UUID. */
const UUID_PATTERN = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

const NUMBER_PATTERN = String.raw`-?\d+(?:\.\d+)?(?:e-?\d+)?`;

/** A part of a text. */
interface TokenRange {
  readonly start: number;
  readonly end: number;
}

/** Characters before and behind a piece in which the rest of a time or number may stand. */
const NEAR = 40;

/** Finds the time, UUID or number that a piece of a text is a part of; null where it is a part of none. */
export function usualMatchAround(text: string, start: number, end: number): TokenRange | null {
  const from = Math.max(0, start - NEAR);
  const near = text.slice(from, end + NEAR);
  for (const pattern of [...TIME_PATTERNS, UUID_PATTERN, NUMBER_PATTERN]) {
    for (const match of near.matchAll(new RegExp(pattern, "g"))) {
      const matchStart = from + match.index;
      const matchEnd = matchStart + match[0].length;
      if (matchStart <= start && end <= matchEnd && isWholeWord(text, matchStart, matchEnd)) {
        return { start: matchStart, end: matchEnd };
      }
    }
  }
  return null;
}

/** Tells whether a match is no part of a longer word: the digits of `a1b2` are no number. */
function isWholeWord(text: string, start: number, end: number): boolean {
  return !/[A-Za-z0-9]/.test(text.charAt(start - 1)) && !/[A-Za-z0-9]/.test(text.charAt(end));
}

/** The characters of a token: those of hexadecimal, base64 and base64url, with what joins them. */
const TOKEN_CHARACTERS = /^[\w+/=.:~-]+$/;
/** Characters that a token has at least: shorter ones are words. */
const MIN_TOKEN_LENGTH = 4;
/** Largest step of a counter from one answer to the next. */
const MAX_COUNTER_STEP = 1000;

/**
 * Guesses what a piece is by its texts, in the order in which they came; null where it is neither time,
 * number nor token.
 */
export function slotKind(samples: readonly string[]): SlotKind | null {
  const areAll = (pattern: string) => {
    const whole = new RegExp(`^(?:${pattern})$`);
    return samples.every((text) => whole.test(text));
  };
  const time = TIME_PATTERNS.find(areAll);
  if (time !== undefined) {
    return { title: "time stamp", family: "time", pattern: time };
  }
  if (areAll(UUID_PATTERN)) {
    return { title: "UUID", family: "token", pattern: UUID_PATTERN };
  }
  if (areAll(NUMBER_PATTERN)) {
    return { title: titleOfNumbers(samples), family: "number", pattern: NUMBER_PATTERN };
  }
  const isToken = samples.every((text) => TOKEN_CHARACTERS.test(text) && text.length >= MIN_TOKEN_LENGTH);
  // Words and names of few letters differ in meaning.
  if (!isToken || !samples.some((text) => /\d/.test(text))) {
    return null;
  }
  return { title: "random token", family: "token", pattern: tokenPattern(samples) };
}

/** Milliseconds since 1970 from 2001 to 2065, and the same in seconds. */
const EPOCH = /^[12]\d{12}$|^[12]\d{9}$/;

/** Names what numbers are: time stamps, a counter, or just numbers. */
function titleOfNumbers(samples: readonly string[]): string {
  if (samples.every((text) => EPOCH.test(text))) {
    return "time stamp";
  }
  const numbers = samples.map(Number);
  const steps = numbers.slice(1).map((number, index) => number - (numbers[index] ?? 0));
  // Another start counts anew.
  const starts = steps.filter((step) => step < 0).length;
  const areSmall = steps.every((step) => Number.isInteger(step) && step <= MAX_COUNTER_STEP);
  return areSmall && starts <= 1 ? "counter" : "number";
}

/** Tokens of one length keep it; others may be up to twice as long. */
function tokenPattern(samples: readonly string[]): string {
  const lengths = samples.map(({ length }) => length);
  const longest = Math.max(...lengths);
  const isHexadecimal = samples.every((text) => /^[0-9a-f]+$/.test(text));
  const characters = isHexadecimal ? "[0-9a-f]" : String.raw`[\w+/=.:~-]`;
  return lengths.every((length) => length === longest)
    ? `${characters}{${longest}}`
    : `${characters}{1,${2 * longest}}`;
}

/** Characters of the text behind a piece that its mask has, at most. */
const BEHIND = 4;

/**
 * Makes a mask for a piece at one of its places.
 *
 * @param before the text up to the piece, with all pieces before it hidden.
 * @param behind the text up to the next piece, or to the end of the body.
 * @param contextLength characters of `before` that the mask has, at most.
 */
export function maskOf(
  { title, family, pattern }: SlotKind,
  before: string,
  behind: string,
  contextLength: number,
): BodyMask {
  const context = before.slice(-contextLength);
  const start = context.length === before.length ? "^" : "";
  const next = behind.slice(0, BEHIND);
  const end = next === "" ? "$" : `(?=${escapedPattern(next)})`;
  return {
    name: `the mask of a ${title} that was found`,
    pattern: `(${start}${escapedPattern(context)})${pattern}${end}`,
    replacement: `$1[${family}]`,
  };
}

/** Writes a text as the source of a regular expression that matches it. */
export function escapedPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
