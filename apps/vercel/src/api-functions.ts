import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { filesOf } from "@evenbench/bundle/deployable";
import type { OwnAppBuild } from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import { vercelBuild } from "./vercel-build.ts";

/** The folder of which Vercel makes a function of each module, without a framework. */
const FOLDER = "api";
/** A module that becomes a function, from the folder on: endings are those that Vercel's CLI looks for there. */
const FUNCTION = /^(?!.*(?:^|\/)(?:[._]|node_modules\/))(?!.*\.d\.ts$).*\.(?:m?js|tsx?)$/;

/** Lists the modules of an app that Vercel makes functions of, such as "api/hello.ts". */
export async function apiFunctions(folder: string): Promise<readonly string[]> {
  const api = join(folder, FOLDER);
  const paths = existsSync(api) ? await filesOf(api) : [];
  return paths.filter((path) => FUNCTION.test(path)).map((path) => `${FOLDER}/${path}`);
}

/** Tells whether Vercel makes a function of a module. @param file its path from the app's folder on. */
export function isApiFunction(file: string): boolean {
  return file.startsWith(`${FOLDER}/`) && FUNCTION.test(file.slice(FOLDER.length + 1));
}

/** A rule of vercel.json that leads to a function. */
const LEADS_TO_FUNCTIONS = /"(?:destination|dest)"\s*:\s*"\/?api\b/;

/** Tells whether an app is deployed as functions in api/, whatever else it has: its vercel.json leads paths to them. */
export async function isOfFunctions(folder: string): Promise<boolean> {
  const isLed = LEADS_TO_FUNCTIONS.test(readIfThere(join(folder, "vercel.json")) ?? "");
  return isLed && (await apiFunctions(folder)).length > 0;
}

/** Builds the functions of an app, as Vercel does without a framework. */
export async function buildApiFunctions(
  { run, folder, source }: OwnAppBuild,
  deployable: string,
): Promise<void> {
  const settings = { framework: null };
  if (source.packageJson?.scripts?.build === undefined) {
    await vercelBuild(run, { directory: folder, deployable, settings });
    return;
  }
  // The copy is built. The CLI would build it once more, and look for files in this folder.
  await mkdir(join(folder, "public"), { recursive: true });
  await vercelBuild(run, { directory: folder, deployable, settings: { ...settings, buildCommand: "" } });
}
