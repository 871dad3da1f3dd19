import { type BodyMask, type BodyRules, maskBody, UserError } from "@evenbench/core";
import { inTime } from "@evenbench/core/in-time";

/**
 * Milliseconds that a mask may take, whatever the body: one with many matches takes a tenth; one that
 * backtracks has no end.
 */
const MASK_WITHIN_MS = 1000;
/** Milliseconds that a mask may take for each megabyte of the body besides. */
const MASK_WITHIN_MS_PER_MEGABYTE = 1000;

/** An error whose message says which mask takes too long. */
class SlowMaskError extends UserError {
  override readonly name: string = "SlowMaskError";
}

/**
 * Takes out of a body what may differ, as `maskBody` does, within a time.
 *
 * @throws {SlowMaskError} when a mask takes more than a second, and a second more for each megabyte.
 */
export function maskInTime(body: string, rules?: BodyRules): string {
  return maskBody(body, rules, replaceInTime);
}

function replaceInTime(text: string, { name, pattern, replacement }: BodyMask): string {
  const withinMs = MASK_WITHIN_MS + Math.ceil((MASK_WITHIN_MS_PER_MEGABYTE * text.length) / 2 ** 20);
  const tooSlow = () =>
    new SlowMaskError(
      `${name} takes too long on a body of ${text.length} bytes. Write it without a repetition within another one, such as (x+)+.`,
    );
  return inTime(withinMs, () => text.replace(new RegExp(pattern, "gs"), replacement), tooSlow);
}
