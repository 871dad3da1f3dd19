/** Lower-case words that hyphens join. */
const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The length of the longest id. Files and folders are named by ids, with endings of their own. */
const MAX_ID_LENGTH = 64;

/**
 * Says in a sentence why a text cannot be an id; null where it can.
 *
 * @param what the kind of thing that has the id, as the sentence begins: "Case".
 */
export function whyNoId(id: string, what: string): string | null {
  if (id.length > MAX_ID_LENGTH) {
    return `${what} id has ${id.length} letters, and the limit is ${MAX_ID_LENGTH}.`;
  }
  if (KEBAB_CASE.test(id)) {
    return null;
  }
  return `${what} id "${id}" is not lower-case words joined by hyphens, such as "react-ssr".`;
}

/** Refuses a text that cannot be an id. @throws {TypeError} with the sentence of {@link whyNoId}. */
export function assertId(id: string, what: string): void {
  const reason = whyNoId(id, what);
  if (reason !== null) {
    throw new TypeError(reason);
  }
}

/** Finds the first name that is there a second time; null where none is. */
export function firstRepeated(names: readonly string[]): string | null {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) {
      return name;
    }
    seen.add(name);
  }
  return null;
}
