import { pathToFileURL } from "node:url";
import { type OwnAppRoute, parseJson } from "@evenbench/core";
import { runProgram, serverEnvironment } from "@evenbench/host";

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

/**
 * Loads a bundled handler in a process of its own, and asks it for its routes. Where it cannot name them, one route
 * stands for all paths.
 */
export async function routesOf(
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly OwnAppRoute[]> {
  const url = JSON.stringify(pathToFileURL(file).href);
  const script = `const { default: app } = await import(${url});
process.stdout.write("\\nroutes " + JSON.stringify(app?.routes ?? null) + "\\n", () => process.exit());`;
  const { stdout } = await runProgram({
    command: [process.execPath, "--input-type=module", "--eval", script],
    env: serverEnvironment(environment),
    withinMs: WITHIN_MS,
  });
  const line = stdout.split("\n").findLast((text) => text.startsWith("routes "));
  return describeRoutes(parseJson(line?.slice("routes ".length) ?? "null"));
}

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
