import { isUtf8 } from "node:buffer";
import type { CaseManifest } from "@evenbench/core";
import { maskInTime } from "../mask-in-time.ts";
import type { Answers } from "./asking.ts";
import { quoteBytes } from "./options.ts";
import { findShape } from "./shape.ts";
import { escapedPattern } from "./slot-kind.ts";
import { textOf } from "./whole-response.ts";

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
  return { target, bytes: body.length, isText, text: maskInTime(textOf(body), manifest) };
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

/** Characters before a number or token that are part of its mask, so that not all are hidden. A time is told by its form. */
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
  const outcome = findShape(texts);
  if ("refusal" in outcome || outcome.shape.slots.length > MAX_SUGGESTED_MASKS) {
    return [];
  }
  const { slots, places, fixed } = outcome.shape;
  const patterns = slots.map(({ family, pattern }, slot) => {
    const before = fixed[places.indexOf(slot)]?.slice(-MASK_CONTEXT) ?? "";
    // Letters and digits further off belong to something else.
    const context = family === "time" ? "" : (/["']?[^\s>"']*["']?[^\s>"'\d]*$/.exec(before)?.[0] ?? "");
    return escapedPattern(context) + pattern;
  });
  const masks = patterns.map((pattern) => ({ name: "suggested", pattern, replacement: "" }));
  const masked = new Set(texts.map((text) => maskInTime(text, { masks, variation: null })));
  return masked.size === 1 ? patterns : [];
}
