import { isUtf8 } from "node:buffer";
import { type BodyMask, type CaseManifest, openRecord } from "@evenbench/core";
import { maskInTime } from "../mask-in-time.ts";
import type { Answers } from "./asking.ts";
import { type PreflightTarget, quoteBytes } from "./options.ts";
import { ownOriginMask, withoutKnown } from "./rewrites.ts";
import { findShape, hasShape, maskedText, masksOf, type Shape, type Slot } from "./shape.ts";
import { textOf, type WholeResponse } from "./whole-response.ts";

/** The findings about the bodies that one target sent for a case. */
interface TargetBodies {
  readonly target: string;
  /** Masks that make its bodies equal as they come: the user's, then those that were found. */
  readonly masks: readonly BodyMask[];
  /** Answers of the target, without those that only a fresh start gives. */
  readonly responses: readonly WholeResponse[];
  /** The parts that its bodies share, and those that vary; null where they vary in a way that no mask hides. */
  readonly shape: Shape | null;
  /** Why `shape` is null; null where it is not. */
  readonly refusal: string | null;
  /** True where its own origin stands in its answers, and is hidden. */
  readonly hasOwnOrigin: boolean;
  /**
   * Difference of a fresh start's first answer from the later ones, as a sentence; null where it was the
   * same.
   */
  readonly cold: string | null;
}

/** The findings about the bodies of a case. */
export interface CaseBodies {
  readonly targets: readonly TargetBodies[];
  /**
   * Answers as they are compared between targets: what varies within one is replaced by its kind, what is
   * known to differ left out.
   */
  readonly compared: readonly Answers[];
  /** True where `compared` has other bodies than those that came. */
  readonly isRewritten: boolean;
  /** Sentences on what is hidden, and on what only first answers had. */
  readonly remarks: readonly string[];
}

/**
 * Finds what varies in a case's answers within each target, and what is known to differ between targets that do the
 * same work: their origins, ids of builds, names of files with hashes, and last digits of decimal numbers.
 *
 * @param form writes a body as it is compared. Default: as it came.
 */
export function findBodies(
  manifest: CaseManifest,
  answers: readonly Answers[],
  targets: readonly PreflightTarget[],
  form: (text: string) => string = (text) => text,
): CaseBodies {
  const found = answers.map((ofTarget) => {
    const url = targets.find(({ name }) => name === ofTarget.target)?.url;
    return bodiesOf(manifest, ofTarget, url);
  });
  const texts = found.map(({ shape }) => (shape === null ? null : form(maskedText(shape))));
  const isKnown = new Set(texts).size > 1 && texts.every((text) => text !== null);
  const known = isKnown ? withoutKnown(texts) : { texts, differences: [] };
  const areEqual = new Set(known.texts).size === 1;
  const compared = found.map(({ target, responses }, index): Answers => {
    const { askedAt = 0 } = answers[index] ?? {};
    const text = known.texts[index] ?? null;
    const body = text === null ? null : Buffer.from(text, "latin1");
    const shown = responses.map((response) => (body === null ? response : { ...response, body }));
    return { target, askedAt, freshAt: [], responses: shown };
  });
  return {
    targets: found,
    compared,
    isRewritten: compared.some(({ responses }, index) => haveOtherBodies(responses, found[index]?.responses)),
    remarks: [
      ...found.flatMap(({ cold }) => (cold === null ? [] : `${manifest.path}: ${cold}`)),
      ...remarksOnSlots(manifest, found),
      ...remarksOnOrigins(manifest, found),
      ...(areEqual ? known.differences : []).map(({ words, first }) => {
        const each = first.map((value, index) => `${found[index]?.target} ${value}`);
        return `${manifest.path}: ${words} (${each.join(", ")}).`;
      }),
    ],
  };
}

/** Tells whether answers have other bodies than those that came, in the same order. */
function haveOtherBodies(shown: readonly WholeResponse[], came: readonly WholeResponse[] = []): boolean {
  return came.some(({ body }, index) => shown[index]?.body.equals(body) === false);
}

/** A body that one target sent. */
interface SeenBody {
  readonly response: WholeResponse;
  /** Text of the body without what is known to differ, one character for each byte. */
  readonly text: string;
  /** True where it was the first answer of a fresh start. */
  readonly isFirst: boolean;
}

/** Finds what varies in the bodies of one target. @param url the target's origin, which is hidden. */
function bodiesOf(manifest: CaseManifest, answers: Answers, url: string | undefined): TargetBodies {
  const { target, responses, freshAt } = answers;
  const raw = responses.map(({ body }) => textOf(body));
  const isText = responses.every(({ body }) => isUtf8(body) && !body.includes(0));
  const origin = url === undefined || !isText ? null : ownOriginMask(url, raw);
  const known = [...manifest.masks, ...(origin === null ? [] : [origin])];
  const seen = responses.map((response, index): SeenBody => {
    const text = maskInTime(raw[index] ?? "", { masks: known, variation: manifest.variation });
    return { response, text, isFirst: freshAt.includes(index) };
  });
  const texts = bodyTexts(seen);
  const base = { target, masks: known, responses, hasOwnOrigin: origin !== null, cold: null };
  if (new Set(texts).size === 1) {
    return { ...base, shape: { fixed: texts.slice(0, 1), places: [], slots: [] }, refusal: null };
  }
  const later = bodyTexts(seen.filter(({ isFirst }) => !isFirst));
  const outcome = findShape(later.length > 1 ? later : texts);
  if ("refusal" in outcome) {
    return { ...base, shape: null, refusal: isText ? outcome.refusal : BINARY };
  }
  if (!isText && outcome.shape.slots.length > 0) {
    return { ...base, shape: null, refusal: BINARY };
  }
  const isCold = ({ isFirst, text }: SeenBody): boolean => isFirst && !hasShape(outcome.shape, text);
  const counted = seen.filter((body) => !isCold(body));
  const countedTexts = bodyTexts(counted);
  // With the first answers there are more texts by which kinds are guessed.
  const whole = findShape(countedTexts);
  const shape = "refusal" in whole ? outcome.shape : whole.shape;
  const masks = masksOf(shape, countedTexts);
  if (masks === null) {
    return { ...base, shape: null, refusal: "masks for it would hide something else, too" };
  }
  const cold = seen.find(isCold);
  return {
    ...base,
    masks: [...known, ...masks],
    responses: counted.map(({ response }) => response),
    shape,
    refusal: null,
    cold: cold === undefined ? null : describeCold(target, cold.text, countedTexts[0] ?? "", isText),
  };
}

function bodyTexts(bodies: readonly SeenBody[]): readonly string[] {
  return bodies.map(({ text }) => text);
}

/** The refusal of bodies that are no text. */
const BINARY = "it is no text";

/** Characters of a text that are shown. */
const SHOWN_CHARACTERS = 40;

/** Says how the first answer after a start differs from a later one. @param isText whether both are quoted. */
function describeCold(target: string, cold: string, warm: string, isText: boolean): string {
  let at = 0;
  while (at < warm.length && cold[at] === warm[at]) {
    at += 1;
  }
  const excerpt = (text: string) => quoteBytes(Buffer.from(text.slice(at, at + SHOWN_CHARACTERS), "latin1"));
  const what = isText ? `: ${excerpt(cold)} in place of ${excerpt(warm)}` : "";
  return `the first answer of ${target} after a start differs from the later ones from byte ${at}${what} (${cold.length} and ${warm.length} bytes). It is not compared.`;
}

/** Writes a sentence for each piece, which may be hidden on several targets. */
function remarksOnSlots({ path }: CaseManifest, found: readonly TargetBodies[]): readonly string[] {
  const slots = found.flatMap(({ target, shape }) =>
    (shape?.slots ?? []).map((slot, index) => ({ target, slot, index, before: textBefore(shape, index) })),
  );
  const alike = Map.groupBy(slots, ({ slot: { family }, index, before }) => `${index} ${family} ${before}`);
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) {
      return [];
    }
    const { slot, before } = first;
    const names = group.map(({ target }) => target).join(", ");
    const places = slot.places === 1 ? "" : ` at ${slot.places} places`;
    return `${path}: a ${slot.title} behind ${quoteBytes(Buffer.from(before, "latin1"))} varies on ${names}, such as ${exampleOf(slot)}, and is hidden${places}.`;
  });
}

function remarksOnOrigins({ path }: CaseManifest, found: readonly TargetBodies[]): readonly string[] {
  const names = found.flatMap(({ target, hasOwnOrigin }) => (hasOwnOrigin ? target : []));
  return names.length === 0
    ? []
    : [`${path}: the server's own origin stands in answers of ${names.join(", ")}, and is hidden.`];
}

/** Characters before a piece by which a reader finds it. */
const BEFORE_PIECE = 16;

function textBefore(shape: Shape | null, slot: number): string {
  const place = shape?.places.indexOf(slot) ?? -1;
  return shape?.fixed[place]?.slice(-BEFORE_PIECE) ?? "";
}

/** Characters of a token that are shown: whoever reads it is not to be able to use it. */
const TOKEN_SHOWN = 4;

/** Shows what a piece looks like. A token may be a secret, and records are published. */
function exampleOf({ family, samples }: Slot): string {
  const [first = ""] = samples;
  return family === "token"
    ? `"${first.slice(0, TOKEN_SHOWN)}…" (${first.length} characters)`
    : samples
        .filter((text, index) => samples.indexOf(text) === index)
        .slice(0, 2)
        .map((text) => JSON.stringify(text))
        .join(" and ");
}

/** Lists the masks that were found, by target name, without those that the user gave. */
export function foundMasks(
  { masks: given }: CaseManifest,
  { targets }: CaseBodies,
): Readonly<Record<string, readonly BodyMask[]>> {
  return openRecord(
    targets.flatMap(({ target, masks }) => {
      const found = masks.slice(given.length);
      return found.length === 0 ? [] : [[target, found] as const];
    }),
  );
}
