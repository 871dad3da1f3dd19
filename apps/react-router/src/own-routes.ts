import { existsSync } from "node:fs";
import { join } from "node:path";
import { type OwnAppRoute, parseJson } from "@evenbench/core";
import { runProgram, toolEnvironment } from "@evenbench/host";

/** Milliseconds within which the framework has to name its routes. */
const WITHIN_MS = 60_000;

/** A route as `react-router routes --json` prints it. */
interface PrintedRoute {
  /** Its part of the path, such as "posts/:slug"; left out of layouts and of the page of a folder. */
  readonly path?: string;
  readonly index?: boolean;
  readonly children?: readonly PrintedRoute[];
}

/**
 * Asks the framework for a built app's routes; none where it does not say them.
 *
 * @param program absolute path of its program.
 * @param client absolute path of the build's files, with pages rendered ahead.
 */
export async function readRoutes(
  folder: string,
  program: string,
  client: string,
): Promise<readonly OwnAppRoute[]> {
  const { stdout } = await runProgram({
    command: [process.execPath, program, "routes", "--json"],
    cwd: folder,
    env: toolEnvironment({ NODE_ENV: "production" }),
    withinMs: WITHIN_MS,
  });
  const printed = parseJson(stdout);
  return Array.isArray(printed) ? describeRoutes(printed, (path) => existsSync(join(client, path))) : [];
}

/**
 * Describes the routes that a path leads to, layouts by their children.
 *
 * @param isFile tells whether the build made a file there.
 */
export function describeRoutes(
  printed: readonly PrintedRoute[],
  isFile: (path: string) => boolean,
): readonly OwnAppRoute[] {
  const paths = new Set(printed.flatMap((route) => pathsOf(route, "")));
  return [...paths].map((path) => ({
    path,
    kind: isFile(`${path}/index.html`) ? "prerendered" : "dynamic",
    hasMiddleware: false,
    note: null,
  }));
}

function pathsOf(
  { path = "", index = false, children = [] }: PrintedRoute,
  above: string,
): readonly string[] {
  const own = path === "" ? above : `${above}/${path}`;
  const below = children.flatMap((child) => pathsOf(child, own));
  const isPage = index || (path !== "" && children.length === 0);
  return isPage ? [own === "" ? "/" : own, ...below] : below;
}
