const OPEN = "[eb[";
const CLOSE = "]eb]";
const MARKED = /\[eb\[.*?\]eb\]/gs;

/**
 * Wraps text that must differ from one response to the next (a time stamp, an instance id), so that the
 * verifier can mask it. Keep its length constant: body lengths are compared on every exchange.
 *
 * @example volatile(new Date().toISOString())
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

/** The body with all volatile text and everything that `masks` name replaced by constants. */
export function maskBody(body: string, masks: readonly Mask[] = []): string {
  let masked = body.replace(MARKED, OPEN + CLOSE);
  for (const mask of masks) masked = masked.replace(new RegExp(mask.pattern, "gs"), mask.replacement);
  return masked;
}
