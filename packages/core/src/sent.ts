import type { SentRequest } from "./schema.ts";

/**
 * Makes the body of a case's request as text: one character a byte. Nothing here needs Node.js, so that the
 * client inside of k6 sends the same.
 */
export function sentText({ repeated, bytes }: SentRequest): string {
  return repeated.repeat(Math.ceil(bytes / repeated.length)).slice(0, bytes);
}

/** The part of a path that stands for a number which counts up while memory is read: "{n}", as it is sent. */
export const COUNTED = "%7Bn%7D";

/** Puts a number in the place of `COUNTED`. */
export function pathAt(path: string, number: number): string {
  return path.replaceAll(COUNTED, String(number));
}
