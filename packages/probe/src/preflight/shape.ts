import type { BodyMask } from "@evenbench/core";
import { sum } from "@evenbench/stats";
import { maskInTime } from "../mask-in-time.ts";
import { maskOf, type SlotKind, slotKind, usualMatchAround } from "./slot-kind.ts";

/**
 * A piece of text that differs from body to body. The same piece may stand at several places, as a nonce does; and time
 * stamps of one form behind the same text are one piece, since each item of a list may have its own.
 */
export interface Slot extends SlotKind {
  /** The text of each body at the first place, in the order in which they came. */
  readonly samples: readonly string[];
  /** The texts of the first body, each once. */
  readonly texts: ReadonlySet<string>;
  /** At how many places it stands in each body. */
  readonly places: number;
}

/**
 * The parts that the bodies of one target have in common, and those that vary. Texts have one character for
 * each byte.
 */
export interface Shape {
  /** The text around the places, which is the same in all bodies: one more than there are places. */
  readonly fixed: readonly string[];
  /** Indexes of the slots at the places of a body, in the order in which the places stand in it. */
  readonly places: readonly number[];
  /** The pieces that vary. */
  readonly slots: readonly Slot[];
}

/** The shape of bodies, or why they have none. */
export type ShapeOutcome =
  | { readonly shape: Shape }
  /** The end of a sentence that begins with what varies, such as "more than 8 parts of it vary". */
  | { readonly refusal: string };

/** How many different pieces may vary. */
const MAX_SLOTS = 8;
/** At how many places pieces may stand in a body: a nonce stands at each script, a time stamp at each item. */
const MAX_PLACES = 5000;
/** The share of a body that may vary, with each piece counted once. */
const MAX_SHARE = 0.05;
/**
 * Bytes that may vary in a short body, of which they are a larger share: an answer of JSON may have little
 * besides a time.
 */
const ALWAYS_ALLOWED_BYTES = 64;
/** Bytes that must stay the same: otherwise nothing shows that it is the same answer. */
const MIN_FIXED_BYTES = 4;
/** The longest piece that may vary, in bytes. */
const MAX_SLOT_BYTES = 256;

/**
 * Finds what varies in the answers of one target, and what stays the same. It takes time in proportion to the length
 * of the bodies, whatever is in them.
 *
 * @param bodies one character for each byte, in the order in which they came; at least one.
 */
export function findShape(bodies: readonly string[]): ShapeOutcome {
  const [first = ""] = bodies;
  const others = [...new Set(bodies)].filter((body) => body !== first);
  if (others.length === 0) {
    return { shape: { fixed: [first], places: [], slots: [] } };
  }
  const ranges: TextRange[] = [];
  for (const other of others) {
    const found = differingRanges(first, other);
    if (found === null) {
      return { refusal: "too much of it varies for what stays the same to be found" };
    }
    ranges.push(...found);
  }
  const fixed = fixedTexts(first, wholePieces(first, ranges));
  const samples = bodies.map((body) => samplesIn(body, fixed));
  if (!samples.every((texts) => texts !== null)) {
    return { refusal: "parts of it vary that cannot be told from what stays the same" };
  }
  return slotsOf(fixed, samples);
}

/** Writes a body of a shape with the kind in the place of each piece that varies: `"at":"[time]"`. */
export function maskedText({ fixed, places, slots }: Shape): string {
  return fixed
    .map((text, index) => {
      const slot = slots[places[index] ?? -1];
      return slot === undefined ? text : `${text}[${slot.family}]`;
    })
    .join("");
}

/** Tells whether a body has the same text around its pieces, and pieces of the same kinds. */
export function hasShape({ fixed, places, slots }: Shape, body: string): boolean {
  const samples = samplesIn(body, fixed);
  return (
    samples?.every((text, place) => {
      const slot = slots[places[place] ?? -1];
      return slot !== undefined && new RegExp(`^(?:${slot.pattern})$`).test(text);
    }) === true
  );
}

/** Characters of the text before a piece that its mask has: more where fewer are found at other places, too. */
const CONTEXT_LENGTHS = [24, 48, 96];
/** The same for a piece that stands at several places: one mask should hide all. */
const CONTEXT_LENGTHS_OF_MANY = [8, ...CONTEXT_LENGTHS];
const LONGEST_CONTEXT = Math.max(...CONTEXT_LENGTHS);
/** How many masks a body may need: each is looked for in every body that is measured. */
const MAX_MASKS = 50;

/**
 * Makes masks that hide the pieces of a shape in bodies that are still to come, each by the text before and behind it.
 *
 * @param bodies those that the shape was found in.
 * @returns null where masks do not make these bodies equal, so that they would not make others equal.
 */
export function masksOf(shape: Shape, bodies: readonly string[]): readonly BodyMask[] | null {
  const { fixed, places, slots } = shape;
  const masks = new Map<string, BodyMask>();
  let text = bodies[0] ?? "";
  let before = "";
  for (const [place, slotIndex] of places.entries()) {
    const slot = slots[slotIndex];
    if (slot === undefined || masks.size > MAX_MASKS) {
      return null;
    }
    // Of a long body no more than a mask may have: one character more says that it does not begin there.
    before = (before + (fixed[place] ?? "")).slice(-LONGEST_CONTEXT - 1);
    const behind = fixed[place + 1] ?? "";
    const lengths = slot.places > 1 ? CONTEXT_LENGTHS_OF_MANY : CONTEXT_LENGTHS;
    const candidates = lengths.map((length) => maskOf(slot, before, behind, length));
    before += `[${slot.family}]`;
    if (candidates.some(({ pattern }) => masks.has(pattern))) {
      continue;
    }
    const mask = candidates.find(({ pattern }) => isOnlyOf(slot, pattern, text)) ?? candidates.at(-1);
    // A mask hides all places that look alike, such as those of a nonce.
    if (mask !== undefined && matchesIn(text, mask.pattern) > 0) {
      masks.set(mask.pattern, mask);
      text = maskInTime(text, { masks: [mask], variation: null });
    }
  }
  const rules = { masks: [...masks.values()], variation: null };
  const masked = new Set([...new Set(bodies)].map((body) => maskInTime(body, rules)));
  return masked.size <= 1 ? rules.masks : null;
}

/** Tells whether a mask hides nothing but a piece's own text, at no more places than it stands at. */
function isOnlyOf({ texts, places }: Slot, pattern: string, text: string): boolean {
  const matches = text.match(new RegExp(pattern, "gs")) ?? [];
  const own = [...texts];
  return (
    matches.length > 0 &&
    matches.length <= places &&
    matches.every((match) => own.some((piece) => match.endsWith(piece)))
  );
}

function matchesIn(text: string, pattern: string): number {
  return text.match(new RegExp(pattern, "gs"))?.length ?? 0;
}

/** Gives the number of characters after which two texts part. */
function commonStart(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) {
    at += 1;
  }
  return at;
}

/** A part of a text. */
interface TextRange {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
}

/** Characters that have to be the same for two texts to be taken as the same again behind a difference. */
const ANCHOR = 16;

/** Finds the parts of `a` that differ in `b`; null where there are too many, or the rest cannot be found again. */
function differingRanges(a: string, b: string): readonly TextRange[] | null {
  const start = commonStart(a, b);
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA -= 1;
    endB -= 1;
  }
  const ranges: TextRange[] = [];
  let inA = start;
  let inB = start;
  while (inA < endA || inB < endB) {
    const next = sameAgain(a, inA, endA, b, inB, endB);
    if (next === null || ranges.length >= MAX_PLACES) {
      return null;
    }
    ranges.push(...piecesOf(a, { start: inA, end: next.inA }, b, { start: inB, end: next.inB }));
    inA = next.inA;
    inB = next.inB;
    while (inA < endA && inB < endB && a.charCodeAt(inA) === b.charCodeAt(inB)) {
      inA += 1;
      inB += 1;
    }
  }
  return ranges;
}

/** Finds the nearest place from which two texts are the same again; null where none is near. */
function sameAgain(
  a: string,
  fromA: number,
  endA: number,
  b: string,
  fromB: number,
  endB: number,
): { readonly inA: number; readonly inB: number } | null {
  let best: { readonly inA: number; readonly inB: number } | null = null;
  let bestCost = Number.POSITIVE_INFINITY;
  // Behind both ends they are the same.
  if (endA - fromA <= MAX_SLOT_BYTES && endB - fromB <= MAX_SLOT_BYTES) {
    best = { inA: endA, inB: endB };
    bestCost = endA - fromA + (endB - fromB);
  }
  const near = b.slice(fromB, fromB + MAX_SLOT_BYTES + ANCHOR);
  for (let skipped = 0; skipped <= MAX_SLOT_BYTES && skipped < bestCost; skipped++) {
    const anchor = a.slice(fromA + skipped, fromA + skipped + ANCHOR);
    const at = anchor.length < ANCHOR ? -1 : near.indexOf(anchor);
    if (at !== -1 && skipped + at < bestCost) {
      best = { inA: fromA + skipped, inB: fromB + at };
      bestCost = skipped + at;
    }
  }
  return best;
}

/** Words, and each other character by itself. */
const PIECES = /[A-Za-z0-9]+|[^A-Za-z0-9]/g;

/**
 * Divides a part that differs where the same characters stand between words on both sides: `1","n":7` and
 * `2","n":8` are two pieces. Both are widened to whole words before.
 */
function piecesOf(a: string, partOfA: TextRange, b: string, partOfB: TextRange): readonly TextRange[] {
  const wholeA = widened(a, partOfA);
  const wholeB = widened(b, partOfB);
  const piecesA = a.slice(wholeA.start, wholeA.end).match(PIECES) ?? [];
  const piecesB = b.slice(wholeB.start, wholeB.end).match(PIECES) ?? [];
  const isDivided =
    piecesA.length === piecesB.length &&
    piecesA.every((piece, index) => isWord(piece) || piece === piecesB[index]);
  if (!isDivided) {
    return [wholeA];
  }
  const ranges: TextRange[] = [];
  let at = wholeA.start;
  for (const [index, piece] of piecesA.entries()) {
    if (piece !== piecesB[index]) {
      ranges.push({ start: at, end: at + piece.length });
    }
    at += piece.length;
  }
  return ranges;
}

function isWord(text: string): boolean {
  return /^[A-Za-z0-9]/.test(text);
}

function widened(text: string, { start, end }: TextRange): TextRange {
  let from = start;
  let to = end;
  while (from > 0 && isWord(text.charAt(from - 1)) && end - from <= MAX_SLOT_BYTES) {
    from -= 1;
  }
  while (to < text.length && isWord(text.charAt(to)) && to - from <= MAX_SLOT_BYTES) {
    to += 1;
  }
  return { start: from, end: to };
}

/** Pattern of what may stand within one piece: `10:00:01`, `0e02b2c3-58cc`, `ab/c+d`. */
const JOINS = /^[-+/_=.:~]{1,2}$/;

/** Makes ranges to pieces that have a meaning: a whole time, number or token; and joins those that touch. */
function wholePieces(text: string, ranges: readonly TextRange[]): readonly TextRange[] {
  const joined = joinTouching(
    text,
    ranges.map((range) => widened(text, range)),
  );
  return joinTouching(
    text,
    joined.map((range) => usualMatchAround(text, range.start, range.end) ?? range),
  );
}

function joinTouching(text: string, ranges: readonly TextRange[]): readonly TextRange[] {
  const joined: { start: number; end: number }[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last !== undefined && (range.start <= last.end || JOINS.test(text.slice(last.end, range.start)))) {
      last.end = Math.max(last.end, range.end);
    } else {
      joined.push({ start: range.start, end: range.end });
    }
  }
  return joined;
}

function fixedTexts(text: string, ranges: readonly TextRange[]): readonly string[] {
  let at = 0;
  const fixed: string[] = [];
  for (const { start, end } of ranges) {
    fixed.push(text.slice(at, start));
    at = end;
  }
  fixed.push(text.slice(at));
  return fixed;
}

/** Reads the pieces between fixed texts; null where a body has other texts around them, or a piece is too long. */
function samplesIn(body: string, fixed: readonly string[]): readonly string[] | null {
  const [start = ""] = fixed;
  const end = fixed.length === 1 ? start : (fixed.at(-1) ?? "");
  if (fixed.length === 1) {
    return body === start ? [] : null;
  }
  if (!body.startsWith(start) || !body.endsWith(end)) {
    return null;
  }
  const samples: string[] = [];
  let at = start.length;
  for (const [index, text] of fixed.entries()) {
    if (index === 0) {
      continue;
    }
    const near = body.slice(at, at + MAX_SLOT_BYTES + text.length);
    const isLast = index === fixed.length - 1;
    const length = isLast ? body.length - end.length - at : near.indexOf(text);
    if (length < 1 || length > MAX_SLOT_BYTES) {
      return null;
    }
    samples.push(body.slice(at, at + length));
    at += length + text.length;
  }
  return samples;
}

/** The bytes of all slots in one body, each counted once: what stands at several places says nothing new there. */
function joinedLength(slots: readonly Pick<Slot, "samples">[], body: number): number {
  return sum(slots.map(({ samples }) => samples[body]?.length ?? 0));
}

/** Characters before a time stamp by which it is one piece with others. */
const TIME_CONTEXT = 8;

/** Gathers equal pieces into slots, and judges whether so much may vary. */
function slotsOf(fixed: readonly string[], samples: readonly (readonly string[])[]): ShapeOutcome {
  const indexes = new Map<string, number>();
  const found: { samples: readonly string[]; texts: Set<string>; places: number }[] = [];
  const places = fixed.slice(1).map((_, place) => {
    const texts = samples.map((ofBody) => ofBody[place] ?? "");
    const kind = slotKind(texts);
    // Of one form: the slot has the pattern of its first place.
    const behind = `${kind?.pattern} behind ${fixed[place]?.slice(-TIME_CONTEXT)}`;
    const keys = [texts.join("\n"), ...(kind?.title === "time stamp" ? [behind] : [])];
    const index = keys.map((key) => indexes.get(key)).find((known) => known !== undefined) ?? found.length;
    const slot = found[index] ?? { samples: texts, texts: new Set(), places: 0 };
    slot.places += 1;
    slot.texts.add(texts[0] ?? "");
    found[index] = slot;
    keys.forEach((key) => void indexes.set(key, index));
    return index;
  });
  if (found.length > MAX_SLOTS) {
    return { refusal: `${found.length} parts of it vary, and ${MAX_SLOTS} may` };
  }
  const fixedBytes = fixed.join("").length;
  const length = Math.max(...samples.map((texts) => fixedBytes + texts.join("").length));
  const varyingBytes = Math.max(...samples.map((_, body) => joinedLength(found, body)));
  if (fixedBytes < MIN_FIXED_BYTES) {
    return { refusal: "nothing of it stays the same" };
  }
  const isMostlyHidden = length - fixedBytes > Math.max(ALWAYS_ALLOWED_BYTES, length / 2);
  if (isMostlyHidden || varyingBytes > Math.max(ALWAYS_ALLOWED_BYTES, MAX_SHARE * length)) {
    return { refusal: `${varyingBytes} of its ${length} bytes vary, and ${MAX_SHARE * 100} % may` };
  }
  const slots: Slot[] = [];
  for (const slot of found) {
    const kind = slotKind(slot.samples);
    if (kind === null) {
      return { refusal: "what varies is no time, number or random token" };
    }
    slots.push({ ...slot, ...kind });
  }
  return { shape: { fixed, places, slots } };
}
