import type { SentRequest } from "./schema.ts";

/**
 * Makes the body of a case's request as text: one character a byte. Nothing here needs Node.js, so that the
 * client inside of k6 sends the same.
 */
export function sentText({ repeated, bytes }: SentRequest): string {
  return repeated.repeat(Math.ceil(bytes / repeated.length)).slice(0, bytes);
}
