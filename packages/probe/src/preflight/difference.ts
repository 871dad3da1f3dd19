import { isUtf8 } from "node:buffer";
import type { CaseManifest } from "@evenbench/core";
import { maskInTime } from "../mask-in-time.ts";
import type { Answers } from "./asking.ts";
import { quoteBytes } from "./options.ts";
import { escapedPattern, TIME_PATTERNS, UUID_PATTERN } from "./slot-kind.ts";

/** A body that a target sent, without what its case masks. */
interface SentBody {
  readonly target: string;
  /** Length of the body as it came. */
  readonly bytes: number;
  readonly isText: boolean;
  /** The body as text, one character for each byte. */
  readonly text: string;
}

/** A difference between bodies. */
export interface BodyDifference {
  /** Place and kind of the difference, in whole sentences. */
  readonly sentence: string;
  /** True where all bodies are text, so that masks can be made for them. */
  readonly isText: boolean;
  /** Masks that make all bodies equal; empty where none is known that does. */
  readonly masks: readonly string[];
}

/** Finds where bodies differ once they are masked. @returns null where they do not. */
export function findDifference(manifest: CaseManifest, answers: readonly Answers[]): BodyDifference | null {
  const bodies = answers.flatMap(({ target, responses }) =>
    responses.map(({ body }) => sentBody(target, body, manifest)),
  );
  const offset = firstDifference(bodies);
  if (offset === null) {
    return null;
  }
  if (!bodies.every(({ isText }) => isText)) {
    const sentence = `They are binary, and differ from byte ${offset}: ${lengthsOf(bodies)}.`;
    return { sentence, isText: false, masks: [] };
  }
  const isMasked = manifest.masks.length > 0 || bodies.some(({ text, bytes }) => text.length !== bytes);
  const where = `byte ${offset}${isMasked ? " of the masked body" : ""}`;
  const sentence = `They differ from ${where}: ${excerptsOf(bodies, offset)}.`;
  return { sentence, isText: true, masks: suggestMasks(bodies.map(({ text }) => text)) };
}

function sentBody(target: string, body: Buffer, manifest: CaseManifest): SentBody {
  const isText = isUtf8(body) && !body.includes(0);
  return { target, bytes: body.length, isText, text: maskInTime(body.toString("latin1"), manifest) };
}

/** Finds the byte from which not all texts are the same; null where they are. */
function firstDifference(bodies: readonly Pick<SentBody, "text">[]): number | null {
  const first = bodies[0]?.text ?? "";
  if (bodies.every(({ text }) => text === first)) {
    return null;
  }
  let offset = 0;
  while (bodies.every(({ text }) => text[offset] === first[offset])) {
    offset += 1;
  }
  return offset;
}

/** Names the lengths of bodies: "a 2000 bytes, b 2010 and 2012 bytes". */
function lengthsOf(bodies: readonly SentBody[]): string {
  const byTarget = Map.groupBy(bodies, ({ target }) => target);
  const lengths = [...byTarget].map(([target, all]) => {
    return `${target} ${[...new Set(all.map(({ bytes }) => bytes))].join(" and ")} bytes`;
  });
  return lengths.join(", ");
}

/** Characters of an excerpt before the first difference. */
const EXCERPT_BEFORE = 12;
/** Characters of an excerpt from the first difference on. */
const EXCERPT_AFTER = 24;

function excerptsOf(bodies: readonly SentBody[], offset: number): string {
  const from = Math.max(0, offset - EXCERPT_BEFORE);
  const shown = Map.groupBy(bodies, ({ text }) =>
    quoteBytes(Buffer.from(text.slice(from, offset + EXCERPT_AFTER), "latin1")),
  );
  const excerpts = [...shown].map(([excerpt, sent]) => {
    return `${excerpt} from ${[...new Set(sent.map(({ target }) => target))].join(", ")}`;
  });
  return excerpts.join("; ");
}

/** Patterns of what usually differs from answer to answer, the most particular first. */
const USUAL_PATTERNS = [...TIME_PATTERNS, UUID_PATTERN];
const NUMBER_SOURCE = String.raw`\d+(?:\.\d+)?`;
const NUMBERS_IN_TEXT = /\d+(?:\.\d+)?/g;
/** Characters before a number that are part of its mask, so that not all numbers are hidden. */
const MASK_CONTEXT = 12;
/** Number of masks that are suggested at most. */
const MAX_SUGGESTED_MASKS = 3;
/** Longest body that masks are searched for: more would take as long as asking. */
const MAX_SEARCHED_BYTES = 2_000_000;

/** Finds masks that make all texts equal; none where no masks do. */
function suggestMasks(texts: readonly string[]): readonly string[] {
  if (texts.some((text) => text.length > MAX_SEARCHED_BYTES)) {
    return [];
  }
  const masks: string[] = [];
  let masked = texts;
  while (masks.length < MAX_SUGGESTED_MASKS) {
    const offset = firstDifference(masked.map((text) => ({ text })));
    if (offset === null) {
      return masks;
    }
    const mask = maskAt(masked, offset);
    if (mask === null) {
      return [];
    }
    masks.push(mask);
    masked = masked.map((text) => text.replace(new RegExp(mask, "gs"), ""));
  }
  return firstDifference(masked.map((text) => ({ text }))) === null ? masks : [];
}

/** Finds a pattern that each text has a match of at its first difference; null where there is none. */
function maskAt(texts: readonly string[], offset: number): string | null {
  const usual = USUAL_PATTERNS.find((pattern) =>
    texts.every((text) => matchAround(text, new RegExp(pattern, "g"), offset)),
  );
  if (usual !== undefined) {
    return usual;
  }
  const places = texts.map((text) => matchAround(text, NUMBERS_IN_TEXT, offset));
  const [place] = places;
  if (place === null || place === undefined || places.includes(null)) {
    return null;
  }
  const before = (texts[0] ?? "").slice(Math.max(0, place.index - MASK_CONTEXT), place.index);
  // Letters and digits further off belong to something else.
  const context = /["']?[^\s>"']*["']?[^\s>"'\d]*$/.exec(before)?.[0] ?? "";
  const pattern = escapedPattern(context) + NUMBER_SOURCE;
  return texts.every((text) => matchAround(text, new RegExp(pattern, "g"), offset)) ? pattern : null;
}

/** Finds the match in which a place lies, or at whose end it lies; null where there is none. */
function matchAround(text: string, pattern: RegExp, offset: number): RegExpExecArray | null {
  const from = Math.max(0, offset - MAX_MATCH_LENGTH);
  const near = text.slice(from, offset + MAX_MATCH_LENGTH);
  for (const match of near.matchAll(pattern)) {
    const start = from + match.index;
    if (start <= offset && offset <= start + match[0].length) {
      return Object.assign(match, { index: start });
    }
  }
  return null;
}

/** The longest match of a suggested mask, in characters. */
const MAX_MATCH_LENGTH = 100;
