import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, messageOf, type OwnAppRead, parseJson, UserError } from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import { type GetRoutesProps, getTransformedRoutes, mergeRoutes, type Route } from "@vercel/routing-utils";

const FILE = "vercel.json";

/** The key that says nothing of how the app answers. */
const OF_EDITORS = "$schema";

/** Keys that become routes. */
const OF_ROUTING = ["cleanUrls", "headers", "redirects", "rewrites", "routes", "trailingSlash"];

/** Why other keys do not count. */
const NOT_HERE =
  "no route is made of it: Vercel reads it, if it knows it, where it builds or deploys the app";

/** Other files that Vercel takes. */
const OTHER_FILES = /^(?:now\.json|vercel\.(?:[cm]?[jt]s|toml)|\.(?:vercel|now)ignore)$/;

/**
 * Lists what of an app's vercel.json counts; nothing where there is none.
 *
 * @param isFinished true where the app was built already.
 */
export function readVercelConfiguration(folder: string, isFinished: boolean): readonly OwnAppRead[] {
  const others = readdirSync(folder).filter((name) => OTHER_FILES.test(name));
  const notRead = [{ what: "all of it", why: "it is not read here" }];
  return [
    ...readMain(folder, isFinished),
    ...others.map((file) => ({ file, applied: [], notApplied: notRead })),
  ];
}

function readMain(folder: string, isFinished: boolean): readonly OwnAppRead[] {
  const text = readIfThere(join(folder, FILE));
  if (text === null) {
    return [];
  }
  const content = parseJson(text);
  if (!isObject(content)) {
    return [{ file: FILE, applied: [], notApplied: [{ what: "all of it", why: "it is no JSON object" }] }];
  }
  const keys = Object.keys(content).filter((key) => key !== OF_EDITORS);
  const applied = isFinished ? [] : keys.filter((key) => OF_ROUTING.includes(key));
  const others = keys.filter((key) => !applied.includes(key));
  const why = isFinished ? "the finished output has the routes that count" : NOT_HERE;
  return [{ file: FILE, applied, notApplied: others.map((what) => ({ what, why })) }];
}

/**
 * Adds the routes of an app's vercel.json to those of its build, in the order of Vercel's CLI.
 *
 * @param built the routes of the build's config.json.
 * @throws {UserError} where vercel.json is no JSON object, or with Vercel's words on a wrong route.
 */
export function withOwnRoutes(folder: string, built: readonly Route[]): readonly Route[] {
  const text = readIfThere(join(folder, FILE));
  if (text === null) {
    return built;
  }
  const content = parseJson(text);
  if (!isObject(content)) {
    throw new UserError(`${FILE} is no JSON object. Correct it, and start again.`);
  }
  const { routes, error } = transformedRoutes(content);
  if (error !== null) {
    throw new UserError(`${FILE} is refused by Vercel's rules: ${error.message}`);
  }
  return routes === null
    ? built
    : mergeRoutes({ userRoutes: routes, builds: [{ use: "", entrypoint: "", routes: [...built] }] });
}

/** Makes routes of a configuration by Vercel's code, which throws some errors and gives others. */
function transformedRoutes(content: object): {
  readonly routes: Route[] | null;
  readonly error: { readonly message: string } | null;
} {
  try {
    return getTransformedRoutes(content as GetRoutesProps);
  } catch (error) {
    return { routes: null, error: { message: messageOf(error) } };
  }
}

/** Adds the routes of an app's vercel.json to an output that an adapter made without Vercel's CLI. */
export async function applyOwnRoutes(folder: string, output: string): Promise<void> {
  const file = join(output, "config.json");
  const configuration = JSON.parse(await readFile(file, "utf8")) as { readonly routes?: readonly Route[] };
  const routes = withOwnRoutes(folder, configuration.routes ?? []);
  await writeFile(file, `${JSON.stringify({ ...configuration, routes }, null, 2)}\n`);
}

/** Leaves keys of a project's settings out of a copy's vercel.json: the CLI would prefer them. */
export async function leaveToSettings(directory: string, settings: readonly string[]): Promise<void> {
  const file = join(directory, FILE);
  const content = parseJson(readIfThere(file) ?? "");
  if (!isObject(content)) {
    return;
  }
  const kept = Object.entries(content).filter(([key]) => !settings.includes(key));
  if (kept.length < Object.keys(content).length) {
    await writeFile(file, JSON.stringify(Object.fromEntries(kept), null, 2));
  }
}
