// What requests send. Nothing here needs Node.js, so that the client inside of k6 sends the same.
import type { SentRequest } from "./schema.ts";

/**
 * Headers of every measured request, and of those that ask whether a server is ready. Bodies are measured as they are,
 * and so not compressed.
 */
export const MEASURED_HEADERS: Readonly<Record<string, string>> = {
  accept: "*/*",
  "accept-encoding": "identity",
  "user-agent": "evenbench",
};

/** Makes the body of a case's request as text: one character a byte. */
export function sentText({ repeated, bytes }: SentRequest): string {
  return repeated.repeat(Math.ceil(bytes / repeated.length)).slice(0, bytes);
}

/** The part of a path that stands for a number which counts up while memory is read: "{n}", as it is sent. */
export const COUNTED = "%7Bn%7D";

/** Puts a number in the place of `COUNTED`. */
export function pathAt(path: string, number: number): string {
  return path.replaceAll(COUNTED, String(number));
}
