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
    const notComputed = whyNotComputed(route, manifest.path);
    if (notComputed !== null) {
      return { ...manifest, variation, ...notComputed };
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

/** Why no platform computes a route's answers for a request, in whole sentences, and who answers. */
type NotComputed = Required<Pick<CaseManifest, "cached" | "answeredBy">>;

/** Says why no platform computes a route's answers for a request; null where one does. */
function whyNotComputed(
  { kind, hasMiddleware, prerendered = [] }: OwnAppRoute,
  path: string,
): NotComputed | null {
  const middleware = hasMiddleware ? " Middleware in front of it runs for each request." : "";
  if (kind === "static") {
    return { cached: `It is a file.${middleware}`, answeredBy: "file" };
  }
  if (kind === "isr") {
    const cached = `It is rendered from time to time, and a cache answers in between.${middleware}`;
    return { cached, answeredBy: "cache" };
  }
  const asked = withoutEnd(path.split("?")[0] ?? path);
  if (kind !== "prerendered" && !prerendered.includes(asked)) {
    return null;
  }
  const cached = `It is prerendered: the build made it, and no platform renders it.${middleware}`;
  return { cached, answeredBy: "build" };
}
