import { existsSync } from "node:fs";
import { cp, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { namedPath } from "@evenbench/bundle/deployable";
import {
  defineOwnApp,
  failedBuild,
  type OwnAppBuild,
  type OwnAppRoute,
  type OwnRouteKind,
  parseJson,
} from "@evenbench/core";
import { isThere, readIfThere } from "@evenbench/core/user-file";
import { entriesBelow } from "@evenbench/host";
import { apiFunctions, buildApiFunctions } from "./src/api-functions.ts";
import {
  functionConfiguration,
  outputConfiguration,
  prerenderConfiguration,
  readOutputFile,
} from "./src/output-files.ts";

const OUTPUT = ".vercel/output";

/** Why other platforms have none of the functions in api/. */
const OF_VERCEL = "The modules in api/ are functions of Vercel, which no other platform calls.";

/** Takes the output of `vercel build` and of adapters, which is served as it is; and functions in api/, which Vercel builds. */
export default defineOwnApp({
  title: "a finished .vercel/output",
  order: 9,

  async detect({ folder }) {
    const output = outputIn(folder);
    if (output === null) {
      const [first] = await apiFunctions(folder);
      return first === undefined
        ? null
        : {
            title: `functions of Vercel (${first})`,
            refusals: { cloudflare: OF_VERCEL, node: OF_VERCEL },
            keeps: [],
            platforms: ["vercel"],
          };
    }
    return {
      title: `the finished ${OUTPUT}`,
      refusals: {},
      keeps: [output],
      platforms: ["vercel"],
      isFinished: true,
    };
  },

  async build(build) {
    const { folder } = build;
    const output = outputIn(folder);
    const deployable = build.placeFor("vercel");
    if (output === null) {
      try {
        await buildApiFunctions(build, deployable);
      } catch (error) {
        return { platforms: { vercel: failedBuild(error) }, routes: [] };
      }
      return { platforms: { vercel: { deployable } }, routes: await routesOf(deployable) };
    }
    for (const part of ["config.json", "functions", "static"]) {
      const from = join(folder, output, part);
      if (existsSync(from)) {
        await cp(from, join(deployable, part), { recursive: true, verbatimSymlinks: true });
      }
    }
    await takeLinkedFiles(build, deployable);
    return { platforms: { vercel: { deployable } }, routes: await routesOf(deployable) };
  },
});

/** Takes the files into functions that lie elsewhere in the project: `vercel build` copies them with --standalone alone. */
async function takeLinkedFiles({ folder, workspace }: OwnAppBuild, output: string): Promise<void> {
  const functions = join(output, "functions");
  const entries = existsSync(functions) ? await entriesBelow(functions) : [];
  for (const { name, parentPath } of entries) {
    if (name !== FUNCTION_CONFIGURATION) {
      continue;
    }
    const file = join(parentPath, name);
    const { filePathMap, ...rest } = readOutputFile(file, functionConfiguration) ?? {};
    if (filePathMap === undefined) {
      continue;
    }
    for (const [to, from] of Object.entries(filePathMap)) {
      const source = namedPath({ file: name, named: from, from: folder, within: workspace });
      const target = namedPath({ file: name, named: to, from: parentPath, within: parentPath });
      await cp(source, target, { recursive: true, verbatimSymlinks: true });
    }
    await writeFile(file, JSON.stringify(rest));
  }
}

const FUNCTION_CONFIGURATION = ".vc-config.json";

/**
 * Finds an output from a folder on: ".vercel/output" of an app, "." for the output itself; null without one.
 *
 * @throws {UserError} where it is not as the Build Output API has it.
 */
function outputIn(folder: string): string | null {
  for (const output of [OUTPUT, "."]) {
    const file = join(folder, output, "config.json");
    const content = parseJson(readIfThere(file) ?? "") as { readonly version?: unknown } | null | undefined;
    if (content?.version === 3 || (output === OUTPUT && isThere(file))) {
      readOutputFile(file, outputConfiguration);
      return output;
    }
  }
  return null;
}

/** Lists the routes of an output: functions, pages rendered ahead of them, and static pages. */
async function routesOf(output: string): Promise<readonly OwnAppRoute[]> {
  const functions = join(output, "functions");
  const names = await namesBelow(functions);
  const routes: OwnAppRoute[] = [];
  for (const name of names.filter((path) => path.endsWith(".func"))) {
    const path = name.slice(0, -".func".length);
    const kind = prerenderKindOf(join(functions, `${path}.prerender-config.json`));
    routes.push({ path: asPath(path), kind, hasMiddleware: false, note: null });
  }
  for (const name of await namesBelow(join(output, "static"))) {
    if (!name.endsWith(".html")) {
      continue;
    }
    const path = asPath(name.slice(0, -".html".length));
    routes.push({ path, kind: "prerendered", hasMiddleware: false, note: null });
  }
  return routes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function prerenderKindOf(prerenderFile: string): OwnRouteKind {
  const configuration = readOutputFile(prerenderFile, prerenderConfiguration);
  if (configuration === null) {
    return "dynamic";
  }
  return typeof configuration.expiration === "number" ? "isr" : "prerendered";
}

/** Lists paths below a folder, with slashes; of functions the folders themselves, not what lies in them. */
async function namesBelow(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder)) {
    return [];
  }
  const entries = await entriesBelow(folder);
  const paths = entries.map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return paths.map((path) => path.split(sep).join("/")).filter((path) => !path.includes(".func/"));
}

function asPath(name: string): string {
  return `/${name.replace(/(?:^|\/)index$/, "")}`;
}
