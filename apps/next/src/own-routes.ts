import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { filesOf } from "@evenbench/bundle/deployable";
import type { OwnAppRoute, OwnRouteKind } from "@evenbench/core";
import { FLIGHT_IN_PIECES } from "./flight-in-pieces.ts";

/** A page that the build computed, of .next/prerender-manifest.json. */
interface PrerenderedPath {
  /** Seconds after which it is computed again; false where it never is. */
  readonly initialRevalidateSeconds: number | false;
  /** The route that has it, such as "/posts/[slug]"; null in the Pages Router where it is the path itself. */
  readonly srcRoute: string | null;
  /** "PARTIALLY_STATIC" where a part of the page may be left for each request. */
  readonly renderingMode?: string;
  /** "complete" where no part of it is left. Left out by Next.js before 16.4. */
  readonly response?: string;
}

/** A route with parameters, of .next/prerender-manifest.json. */
interface PrerenderedRoute {
  /**
   * Behaviour for paths that the build did not compute: false where there are none, else a page to show
   * meanwhile, or null.
   */
  readonly fallback: string | false | null;
  /** "PARTIALLY_STATIC" where the page to show meanwhile may be the beginning of each answer. */
  readonly renderingMode?: string;
  /** "complete" where nothing is left for a request. Left out by Next.js before 16.4. */
  readonly response?: string;
}

/** A condition of middleware to run. */
interface Matcher {
  /** A regular expression of a whole path. */
  readonly regexp: string;
}

/** The files in an app's folder .next by which `next build` describes the app. */
export interface NextManifests {
  /** Part of prerender-manifest.json. */
  readonly prerender: {
    readonly routes: Readonly<Record<string, PrerenderedPath>>;
    readonly dynamicRoutes: Readonly<Record<string, PrerenderedRoute>>;
  };
  /** Part of routes-manifest.json. */
  readonly routes: {
    readonly basePath?: string;
    readonly i18n?: { readonly locales: readonly string[] } | null;
  };
  /** Modules by "/posts/[slug]/page" or "/api/hello/route", of server/app-paths-manifest.json. */
  readonly appPaths: Readonly<Record<string, string>>;
  /** Modules, or .html files, by "/posts/[slug]", of server/pages-manifest.json. */
  readonly pages: Readonly<Record<string, string>>;
  /** Matchers of middleware, of server/middleware-manifest.json and server/functions-config-manifest.json. */
  readonly matchers: readonly Matcher[];
  /** Prerendered paths, and routes with parameters, whose page the build left unfinished. */
  readonly postponed: ReadonlySet<string>;
  /** True where /_next/image resizes images. */
  readonly optimisesImages: boolean;
  /** Paths of files below public, such as "/favicon.ico". */
  readonly publicFiles: readonly string[];
}

/**
 * Reads the files by which `next build` describes an app. One that is not there is taken as empty.
 *
 * @param folder absolute path of the app, with its build and public.
 * @param output the folder of the build in it, such as ".next".
 */
export async function readNextManifests(folder: string, output: string): Promise<NextManifests> {
  const read = async <T>(name: string, otherwise: T): Promise<T> => {
    const text = await readFile(join(folder, output, name), "utf8").catch(() => null);
    return text === null ? otherwise : (JSON.parse(text) as T);
  };
  const middleware = await read<MiddlewareManifest>("server/middleware-manifest.json", {});
  const functions = await read<MiddlewareManifest>("server/functions-config-manifest.json", {});
  const images = await read<ImagesManifest>("images-manifest.json", {});
  const prerender = await read<NextManifests["prerender"]>("prerender-manifest.json", NOTHING_PRERENDERED);
  const postponed = new Set<string>();
  for (const path of [...Object.keys(prerender.routes), ...Object.keys(prerender.dynamicRoutes)]) {
    const meta = await read<PageMeta>(`server/app${path === "/" ? "/index" : path}.meta`, {});
    if (meta.postponed !== undefined) {
      postponed.add(path);
    }
  }
  return {
    prerender,
    postponed,
    routes: await read("routes-manifest.json", {}),
    appPaths: await read("server/app-paths-manifest.json", {}),
    pages: await read("server/pages-manifest.json", {}),
    matchers: [
      ...Object.values(middleware.middleware ?? {}).flatMap(({ matchers = [] }) => matchers),
      // Middleware that runs on Node.js.
      ...(functions.functions?.["/_middleware"]?.matchers ?? []),
    ],
    optimisesImages: images.images?.unoptimized === false && images.images.loader === "default",
    publicFiles: (await filesOf(join(folder, "public")).catch(() => [])).map((path) => `/${path}`),
  };
}

const NOTHING_PRERENDERED: NextManifests["prerender"] = { routes: {}, dynamicRoutes: {} };

/** The file beside a prerendered page of the App Router. */
interface PageMeta {
  /** The state from which the rest of the page is rendered. */
  readonly postponed?: string;
}

/** The part of server/middleware-manifest.json that is read. */
interface MiddlewareManifest {
  readonly middleware?: Readonly<Record<string, { readonly matchers?: readonly Matcher[] }>>;
  readonly functions?: Readonly<Record<string, { readonly matchers?: readonly Matcher[] }>>;
}

/** The part of images-manifest.json that is read. */
interface ImagesManifest {
  readonly images?: { readonly unoptimized?: boolean; readonly loader?: string };
}

/** Lists the routes of an app: its pages and route handlers by their paths, then image optimisation, then files. */
export function routesOf(manifests: NextManifests): readonly OwnAppRoute[] {
  const { basePath = "" } = manifests.routes;
  const handlers = pagesAndHandlers(manifests);
  const isMatched = matcherOf(manifests);
  const appPages = pagesWithFlightData(manifests);
  const routes = [...handlers].sort().map((path): OwnAppRoute => {
    const { kind, note, isPartlyPrerendered = false } = kindOf(path, manifests);
    const fullPath = path === "/" ? basePath || "/" : basePath + path;
    const described = { path: fullPath, kind, hasMiddleware: isMatched(path), note };
    const route = isPartlyPrerendered ? { ...described, isPartlyPrerendered } : described;
    return kind === "dynamic" && appPages.has(path) ? { ...route, variation: FLIGHT_IN_PIECES } : route;
  });
  if (manifests.optimisesImages) {
    routes.push(imageRoute(basePath, isMatched));
  }
  for (const path of manifests.publicFiles) {
    routes.push({ path: basePath + path, kind: "static", hasMiddleware: isMatched(path), note: null });
  }
  return routes;
}

/** Lists the paths of pages of the App Router, which alone send flight data. */
function pagesWithFlightData({ appPaths }: NextManifests): ReadonlySet<string | null> {
  const pages = Object.keys(appPaths).filter((route) => route.endsWith("/page"));
  return new Set(pages.map(pathOfAppRoute));
}

function imageRoute(basePath: string, isMatched: (path: string) => boolean): OwnAppRoute {
  return {
    path: `${basePath}/_next/image`,
    kind: "refused",
    hasMiddleware: isMatched("/_next/image"),
    note: "Image optimisation is another product on each platform, with a price of its own. It is not measured.",
  };
}

/** Pages by which the framework answers what it does not find, and parts of every page. */
const INTERNAL = /^\/(?:_app|_document|_error|_not-found|_global-error|404|500)$/;

function pagesAndHandlers({ appPaths, pages, routes }: NextManifests): ReadonlySet<string> {
  const locales = new Set(routes.i18n?.locales ?? []);
  const all = [
    ...Object.keys(appPaths).map(pathOfAppRoute),
    ...Object.keys(pages).map((page) => withoutLocale(page, locales)),
  ];
  return new Set(all.filter((path) => path !== null && !INTERNAL.test(path)) as string[]);
}

/** Gives the path of a route of the App Router, without groups, slots and file; null for a page within another. */
function pathOfAppRoute(route: string): string | null {
  const parts = route.split("/").slice(1, -1);
  if (parts.some((part) => /^\(\.{1,3}\)/.test(part))) {
    return null;
  }
  const shown = parts.filter((part) => !part.startsWith("@") && !/^\(.*\)$/.test(part));
  return `/${shown.join("/")}`;
}

function withoutLocale(path: string, locales: ReadonlySet<string>): string {
  const [, first = "", ...others] = path.split("/");
  return locales.has(first) ? `/${others.join("/")}` : path;
}

/** The kind of a route, and a sentence on it; null for none. */
interface Kind {
  readonly kind: OwnRouteKind;
  readonly note: string | null;
  /** Default: false. */
  readonly isPartlyPrerendered?: boolean;
}

/** Finds when a route is computed. */
function kindOf(path: string, manifests: NextManifests): Kind {
  const locales = new Set(manifests.routes.i18n?.locales ?? []);
  const own = Object.entries(manifests.prerender.routes).filter(
    ([prerendered, { srcRoute }]) => withoutLocale(srcRoute ?? prerendered, locales) === path,
  );
  const route = manifests.prerender.dynamicRoutes[path];
  // The build may have finished pages of a route by which it leaves other paths unfinished.
  const entries = own.length > 0 || route === undefined ? own : ([[path, route]] as const);
  if (entries.some(([prerendered, entry]) => isUnfinished(prerendered, entry, manifests.postponed))) {
    return {
      kind: "dynamic",
      isPartlyPrerendered: true,
      note: "A part of the page is prerendered, the rest is computed for each request.",
    };
  }
  if (own.length === 0 && route === undefined) {
    return withoutEntry(path, manifests);
  }
  const seconds = own.map(([, entry]) => entry.initialRevalidateSeconds).find((value) => value !== false);
  const notes = [
    pathsNote(
      path,
      own.map(([prerendered]) => prerendered),
    ),
    fallbackNote(route),
    revalidateNote(seconds),
  ];
  const isRenderedLater = route !== undefined && route.fallback !== false;
  const isIsr = seconds !== undefined || (isRenderedLater && own.length === 0);
  return {
    kind: isIsr ? "isr" : "prerendered",
    note: notes.filter((note) => note !== null).join(" ") || null,
  };
}

/** Tells whether a part of a page is left for each request. */
function isUnfinished(
  prerendered: string,
  { renderingMode, response }: Pick<PrerenderedPath, "renderingMode" | "response">,
  postponed: ReadonlySet<string>,
): boolean {
  if (renderingMode !== "PARTIALLY_STATIC") {
    return false;
  }
  return response === undefined ? postponed.has(prerendered) : response !== "complete";
}

/** Gives the kind of a route that was not prerendered: a page without data is a file, all else is computed. */
function withoutEntry(path: string, { pages, routes }: NextManifests): Kind {
  const [locale] = routes.i18n?.locales ?? [];
  const module = pages[path] ?? pages[path === "/" ? `/${locale}` : `/${locale}${path}`] ?? "";
  return { kind: module.endsWith(".html") ? "prerendered" : "dynamic", note: null };
}

function pathsNote(route: string, paths: readonly string[]): string | null {
  const [first] = paths;
  if (first === undefined || !route.includes("[")) {
    return null;
  }
  if (paths.length === 1) {
    return `Prerendered: ${first}.`;
  }
  return `Prerendered: ${paths.length} paths, such as ${first}.`;
}

function fallbackNote(route: PrerenderedRoute | undefined): string | null {
  if (route === undefined) {
    return null;
  }
  if (route.fallback === false) {
    return "Other paths are not found.";
  }
  return "Another path is rendered by its first request, and kept.";
}

function revalidateNote(seconds: number | false | undefined): string | null {
  if (seconds === undefined || seconds === false) {
    return null;
  }
  return `Kept for ${seconds} s, then rendered again.`;
}

/**
 * Makes a function that tells whether middleware runs before a route, which is given without a base path. Conditions on
 * headers, cookies and queries are taken as met. Next.js matches a path without a language as that of the default one.
 */
function matcherOf({ matchers, routes }: NextManifests): (route: string) => boolean {
  const { basePath = "", i18n } = routes;
  const [locale] = i18n?.locales ?? [];
  const patterns = matchers.map(({ regexp }) => new RegExp(regexp));
  return (route) => {
    const path = route.replace(/\[\[?(?:\.\.\.)?([^\]]+)\]\]?/g, "$1");
    const below = path === "/" ? "" : path;
    const places = [
      basePath + below || "/",
      ...(locale === undefined ? [] : [`${basePath}/${locale}${below}`]),
    ];
    return places.some((place) => patterns.some((pattern) => pattern.test(place)));
  };
}
