import type { CaseManifest, OwnAppRoute } from "@evenbench/core";
import { UserError } from "@evenbench/core/errors";

/**
 * Adds to the cases of an app what its routes say of them: which are answered by a file or a cache, and how their
 * bodies differ between runtimes.
 *
 * @param routes the app's routes, in the order in which the framework names them.
 * @throws {UserError} for a path that is never measured, such as that of image optimisation.
 */
export function casesByRoute(
  cases: readonly CaseManifest[],
  routes: readonly OwnAppRoute[],
): readonly CaseManifest[] {
  return cases.map((manifest) => {
    const route = routeOf(routes, manifest.path);
    if (route === null) {
      return manifest;
    }
    if (route.kind === "refused") {
      throw new UserError(`${manifest.path} is not measured. ${route.note ?? ""}`.trim());
    }
    const { variation = null } = route;
    const cached = whyCached(route, manifest.path);
    if (cached !== null) {
      return { ...manifest, variation, cached };
    }
    return route.isPartlyPrerendered
      ? { ...manifest, variation, partlyCached: true }
      : { ...manifest, variation };
  });
}

/** Finds the route that answers a path: the one with this very path, else the first whose pattern matches. */
export function routeOf(routes: readonly OwnAppRoute[], path: string): OwnAppRoute | null {
  const asked = withoutEnd(path.split("?")[0] ?? path);
  const named = routes.find((route) => withoutEnd(route.path) === asked);
  return named ?? routes.find((route) => patternOf(route.path)?.test(asked) === true) ?? null;
}

function withoutEnd(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Parts of a route that stand for others: `[slug]`, `[...path]`, `[[...path]]`, `:id` and `*`. */
const PARAMETER = /^(?:\[\[(?:\.\.\.)?[^\]]+\]\]|\[\.\.\.[^\]]+\]|\[[^\]]+\]|:[^/]+|\*+)$/;

/** The regular expression of a route with parameters; null for a route without. */
function patternOf(route: string): RegExp | null {
  const parts = route.split("/").slice(1);
  if (!parts.some((part) => PARAMETER.test(part))) {
    return null;
  }
  const sources = parts.map((part) => {
    if (/^\[\[/.test(part)) {
      return "(?:/.*)?";
    }
    if (/^\[\.\.\.|^\*/.test(part)) {
      return "/.+";
    }
    return PARAMETER.test(part) ? "/[^/]+" : `/${part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}`;
  });
  return new RegExp(`^${sources.join("")}$`);
}

/** Says in whole sentences why no platform computes a route's answers for a request; null where one does. */
function whyCached({ kind, hasMiddleware, prerendered = [] }: OwnAppRoute, path: string): string | null {
  const middleware = hasMiddleware ? " Middleware in front of it runs for each request." : "";
  if (kind === "static") {
    return `It is a file.${middleware}`;
  }
  if (kind === "isr") {
    return `It is rendered from time to time, and a cache answers in between.${middleware}`;
  }
  const asked = withoutEnd(path.split("?")[0] ?? path);
  return kind === "prerendered" || prerendered.includes(asked)
    ? `It is prerendered: the build made it, and no platform renders it.${middleware}`
    : null;
}
