const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/**
 * Checks an id (a case's, a platform's or an app's folder name): lower-case words joined by hyphens.
 *
 * @throws {TypeError} naming the id and the rule.
 */
export function assertId(id: string, what: string): void {
  if (!KEBAB_CASE.test(id)) {
    throw new TypeError(`${what} id "${id}" is not lower-case words joined by hyphens, such as "react-ssr".`);
  }
}
