const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Files and folders are named by it. */
const MOST_LETTERS = 64;

/** Why a folder's name is no id, or null. */
export function whyNoId(id: string, what: string): string | null {
  if (id.length > MOST_LETTERS)
    return `${what} id has ${id.length} letters, and ${MOST_LETTERS} is the most.`;
  return KEBAB_CASE.test(id)
    ? null
    : `${what} id "${id}" is not lower-case words joined by hyphens, such as "react-ssr".`;
}

/** Checks an id (a case's, a platform's or an app's folder name): lower-case words joined by hyphens. */
export function assertId(id: string, what: string): void {
  const reason = whyNoId(id, what);
  if (reason !== null) throw new TypeError(reason);
}
