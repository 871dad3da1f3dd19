import { openRecord } from "@evenbench/core";

/** A number that is hidden, in the place of a value of JSON. */
const HIDDEN_NUMBER = /([:,[]\s*)\[number\](?=\s*[,}\]])/g;

/**
 * Writes a body of JSON with its keys in order and without space between its parts; any other text as it is.
 *
 * @param text one character for each byte, as the result.
 */
export function canonical(text: string): string {
  const readable = text.replace(HIDDEN_NUMBER, '$1"[number]"');
  try {
    const value = JSON.parse(Buffer.from(readable, "latin1").toString("utf8"), exactly);
    return Buffer.from(JSON.stringify(inOrder(value))).toString("latin1");
  } catch {
    return text;
  }
}

/** Keeps whole numbers that JavaScript would round as they are written, where its version says how that is. */
function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isRounded = typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return isRounded ? `number ${context?.source ?? value}` : value;
}

/** Copies a value of JSON with the keys of all its objects in ascending order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(inOrder);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return openRecord(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, inOrder(member)]),
  );
}
