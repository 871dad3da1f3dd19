import { reactStreamNormalForm } from "./react-stream.ts";

const OPEN = "[eb[";
const CLOSE = "]eb]";
const MARKED = /\[eb\[.*?\]eb\]/gs;

/**
 * Wraps text that must differ from one response to the next (a time stamp, an instance id), so that the
 * verifier can mask it.
 */
export function volatile(text: string): string {
  return OPEN + text + CLOSE;
}

/** A rule that replaces what a framework itself makes different (a build id, an asset hash). */
export interface Mask {
  /** What it hides, as a report names it. */
  readonly name: string;
  /** Source of a regular expression, applied with the flags "g" and "s". */
  readonly pattern: string;
  /** What stands there instead. */
  readonly replacement: string;
}

/** What a framework makes different from one response to the next, although the page is the same. */
export interface BodyVariation {
  /** Why, in one sentence: reports print it. */
  readonly reason: string;
  /** The form into which bodies are brought before they are compared. */
  readonly normalForm: keyof typeof NORMAL_FORMS;
  /** By how much a body's length may differ from the verified one's, as a fraction of that. */
  readonly lengthWithin: number;
}

const NORMAL_FORMS = { "react-stream": reactStreamNormalForm };

/** How bodies of a case are made comparable. */
export interface BodyRules {
  readonly masks: readonly Mask[];
  /** null where bodies have equal lengths, and are equal once masked. */
  readonly variation: BodyVariation | null;
}

/** Bodies that differ in volatile text alone. */
const AS_IT_IS: BodyRules = { masks: [], variation: null };

/** The body in its normal form, with all volatile text and everything that the masks name replaced by constants. */
export function maskBody(body: string, { masks, variation }: BodyRules = AS_IT_IS): string {
  const normal = variation === null ? body : NORMAL_FORMS[variation.normalForm](body);
  let masked = normal.replace(MARKED, OPEN + CLOSE);
  for (const mask of masks) masked = masked.replace(new RegExp(mask.pattern, "gs"), mask.replacement);
  return masked;
}
