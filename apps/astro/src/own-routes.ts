import type { OwnAppRoute } from "@evenbench/core";

/** A build of an app as Astro tells an integration of it: the wrapper in the private copy writes it. */
export interface AstroBuild {
  /** Routes of pages and endpoints, Astro's own ones included. */
  readonly routes: readonly AstroRoute[];
  /** Paths of files that are served as they are, such as "favicon.svg". */
  readonly files: readonly string[];
}

/** A route of an Astro app. */
export interface AstroRoute {
  /** Pattern of the route's path, such as "/blog/[slug]". */
  readonly pattern: string;
  /** The kind of route, such as "page", "endpoint" or "redirect". */
  readonly type: string;
  /** "internal" for routes that Astro brings itself. */
  readonly origin: string;
  /** True where the build computes it. */
  readonly isPrerendered: boolean;
}

/** Pages by which Astro answers what it does not find. */
const ERROR_PAGES = ["/404", "/500"];

const IMAGE = "/_image";

/**
 * Lists the routes of an app, then image optimisation, then files.
 *
 * @param hasMiddleware true where the app has middleware, which runs before all that is computed for a request.
 */
export function routesOf({ routes, files }: AstroBuild, hasMiddleware: boolean): readonly OwnAppRoute[] {
  const own = routes.filter(({ pattern, origin }) => origin !== "internal" && !ERROR_PAGES.includes(pattern));
  const listed = own.map(({ pattern, isPrerendered, type }): OwnAppRoute => {
    const note = type === "redirect" ? "A redirect of the configuration." : null;
    return {
      path: pattern || "/",
      kind: isPrerendered ? "prerendered" : "dynamic",
      hasMiddleware: hasMiddleware && !isPrerendered,
      note,
    };
  });
  if (rendersAnything({ routes, files }) && routes.some(({ pattern }) => pattern === IMAGE)) {
    listed.push({
      path: IMAGE,
      kind: "refused",
      hasMiddleware: false,
      note: "Image optimisation is another product on each platform, with a price of its own. It is not measured.",
    });
  }
  for (const file of files) {
    listed.push({ path: `/${file}`, kind: "static", hasMiddleware: false, note: null });
  }
  return listed;
}

/** Tells whether any page or endpoint of an app is computed for a request. */
export function rendersAnything({ routes }: AstroBuild): boolean {
  return routes.some(
    ({ isPrerendered, origin, type }) => !isPrerendered && origin !== "internal" && type !== "redirect",
  );
}
