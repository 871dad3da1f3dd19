import empty from "@evenbench/cases/empty";
import payload from "@evenbench/cases/payload";
import { type CaseDefinition, type CaseManifest, caseManifest } from "@evenbench/core";
import type { IndexedCase } from "../handler/index.ts";

/** A handler case behind a framework's router. */
export interface RoutedHandler {
  readonly id: string;
  readonly path: string;
  readonly definition: CaseDefinition;
}

/**
 * The reference cases of an app, one that does nothing and one that only sends: the bundle's own, with ids of
 * their own, because no two apps have one id.
 */
export function referenceCasesOf(app: string): readonly RoutedHandler[] {
  return [
    { id: `${app}-empty`, path: "/empty", definition: empty },
    { id: `${app}-payload`, path: "/payload", definition: payload },
  ];
}

/** Everything that an app of a framework serves, as tools see it. */
export function manifestsOf(
  handlers: readonly RoutedHandler[],
  pages: readonly CaseManifest[],
): readonly CaseManifest[] {
  const own = handlers.map(({ id, path, definition }) => ({ ...caseManifest(id, definition), path }));
  return [...own, ...pages];
}

/** The same for the app's own handler, which answers what is no page. */
export function indexOf(
  handlers: readonly RoutedHandler[],
  pages: readonly CaseManifest[],
): readonly IndexedCase[] {
  const definitions = new Map(handlers.map(({ path, definition }) => [path, definition]));
  return manifestsOf(handlers, pages).map((manifest) => {
    const definition = definitions.get(manifest.path);
    return {
      manifest,
      hasPins: definition?.pins !== undefined,
      load: definition === undefined ? null : async () => ({ default: definition }),
    };
  });
}
