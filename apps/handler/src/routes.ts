import { pathToFileURL } from "node:url";
import { type OwnAppRoute, parseJson } from "@evenbench/core";
import { runProgram, toolEnvironment } from "@evenbench/host";

/**
 * Milliseconds within which a module has to name its routes: one that waits for a database must not hold a build up.
 */
const WITHIN_MS = 15_000;

/** A route as Hono keeps it: middleware has the method ALL, and a path that ends with a star. */
interface HonoRoute {
  readonly method: string;
  readonly path: string;
}

/** The routes of a handler that says nothing of them. */
const UNKNOWN: readonly OwnAppRoute[] = [
  {
    path: "/*",
    kind: "dynamic",
    hasMiddleware: false,
    note: "The handler is asked for every path; which ones it knows, its code says.",
  },
];

/** What a handler says of itself. */
export interface HandlerFacts {
  /** False where its default export has no method fetch, so that nothing can ask it. */
  readonly hasFetch: boolean;
  readonly routes: readonly OwnAppRoute[];
}

/**
 * Loads a bundled handler in a process of its own, and asks it for its routes. Where it cannot name them, one route
 * stands for all paths; where it does not load there, it is taken for a handler.
 *
 * @param cwd the app's folder, in which the process works.
 */
export async function askHandler(
  file: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<HandlerFacts> {
  const url = JSON.stringify(pathToFileURL(file).href);
  const script = `const { default: app } = await import(${url});
const facts = { hasFetch: typeof (app?.fetch ?? app?.prototype?.fetch) === "function", routes: app?.routes ?? null };
process.stdout.write("\\nfacts " + JSON.stringify(facts) + "\\n", () => process.exit());`;
  const { stdout } = await runProgram({
    command: [process.execPath, "--input-type=module", "--eval", script],
    cwd,
    env: toolEnvironment({ NODE_ENV: "production", ...environment }),
    withinMs: WITHIN_MS,
  });
  const line = stdout.split("\n").findLast((text) => text.startsWith(FACTS_LINE));
  const facts = (parseJson(line?.slice(FACTS_LINE.length) ?? "{}") ?? {}) as Partial<HandlerFacts>;
  return { hasFetch: facts.hasFetch ?? true, routes: describeRoutes(facts.routes) };
}

const FACTS_LINE = "facts ";

/**
 * Describes the routes that a handler has. Where it does not name them in the way of Hono, one route stands for all
 * paths.
 */
export function describeRoutes(found: unknown): readonly OwnAppRoute[] {
  if (!Array.isArray(found) || !found.every(isHonoRoute)) {
    return UNKNOWN;
  }
  const middleware = found.filter(({ method, path }) => method === "ALL" && path.endsWith("*"));
  const isBehind = (path: string) => middleware.some((every) => path.startsWith(every.path.slice(0, -1)));
  const paths = new Set(found.filter(({ method }) => method === "GET").map(({ path }) => path));
  if (paths.size === 0) {
    return UNKNOWN;
  }
  return [...paths].map((path) => ({ path, kind: "dynamic", hasMiddleware: isBehind(path), note: null }));
}

function isHonoRoute(route: unknown): route is HonoRoute {
  const { method, path } = (route ?? {}) as Record<string, unknown>;
  return typeof method === "string" && typeof path === "string";
}
