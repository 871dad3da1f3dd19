import type { OwnAppRoute } from "@evenbench/core";

/** The description of an app that an adapter is given, as the wrapper in the private copy writes it. */
export interface KitBuild {
  /** Routes of pages and endpoints. */
  readonly routes: readonly KitRoute[];
  /** Paths that the build computed, such as "/about". */
  readonly prerendered: readonly string[];
  /** Paths of files that are served as they are, such as "favicon.svg". */
  readonly files: readonly string[];
}

/** A route of a SvelteKit app. */
export interface KitRoute {
  /** Id of the route, with groups, such as "/(site)/blog/[slug]". */
  readonly id: string;
  /** True where the route answers anything itself: a folder may only have a layout. */
  readonly isAnswered: boolean;
  /** "auto" where paths that the build finds are prerendered, and others are computed. */
  readonly prerender: boolean | "auto";
  /** True where its configuration asks for incremental static regeneration, which Vercel has. */
  readonly hasIsr: boolean;
}

/** Lists the routes of an app, then its files. SvelteKit has no middleware: hooks are a part of the server. */
export function routesOf({ routes, prerendered, files }: KitBuild): readonly OwnAppRoute[] {
  const paths = new Set(prerendered);
  const answered = routes.filter(({ isAnswered }) => isAnswered).map((route) => toRoute(route, paths));
  const others = files.map((file): OwnAppRoute => {
    return { path: `/${file}`, kind: "static", hasMiddleware: false, note: null };
  });
  return [...answered, ...others];
}

function toRoute({ id, prerender, hasIsr }: KitRoute, prerendered: ReadonlySet<string>): OwnAppRoute {
  const path = id.replace(/\/\([^/]+\)/g, "") || "/";
  const route = { path, hasMiddleware: false };
  if (prerender === true || prerendered.has(path)) {
    return { ...route, kind: "prerendered", note: null };
  }
  if (hasIsr) {
    return {
      ...route,
      kind: "isr",
      note: "Vercel keeps it for a time; the other platforms compute it for each request.",
    };
  }
  if (prerender === "auto") {
    const [start = ""] = path.split("[");
    const own = [...prerendered].filter((built) => built.startsWith(start)).sort();
    const note = "Paths that the build found are prerendered.";
    return { ...route, kind: "dynamic", note, prerendered: own };
  }
  return { ...route, kind: "dynamic", note: null };
}
