import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type OwnAppBuild, type OwnAppSource, type PlatformId, UserError } from "@evenbench/core";
import { packOwnWorker } from "../own.ts";
import { CONFIGURATION_FILES, readOwnConfiguration } from "./own-configuration.ts";
import { CONFIGURATION_FILE, readAsWritten, usualConfiguration, wranglerProgram } from "./wrangler.ts";

export { missingPart } from "../own.ts";
export { applyMigrations } from "./databases.ts";

/** The places at which an adapter puts a Worker. */
export interface AdaptedWorker {
  /** Path of the Worker's module, from the app's folder on. */
  readonly main: string;
  /** Path of the folder of static files, from the app's folder on. */
  readonly assets: string;
}

/**
 * Writes the wrangler.json that an adapter reads in the private copy: the app's own, but for where the Worker and its
 * files are.
 *
 * @throws {UserError} with wrangler's words where the app's own is wrong.
 */
export async function writeWorkerConfiguration(build: OwnAppBuild, worker: AdaptedWorker): Promise<void> {
  const { folder } = build;
  const usual = await usualConfiguration();
  const file = CONFIGURATION_FILES.find((name) => existsSync(join(folder, name)));
  const own: Readonly<Record<string, unknown>> =
    file === undefined
      ? { name: "own-app", compatibility_flags: usual.compatibility_flags, vars: usual.vars }
      : await readAsWritten(join(folder, file));
  if (file === undefined) {
    build.note(`${CONFIGURATION_FILE} was added in the copy.`);
  }
  // A build of the user's own would run again, inside wrangler.
  const { build: _, ...kept } = own;
  const content = {
    compatibility_date: usual.compatibility_date,
    ...kept,
    main: worker.main,
    assets: { binding: "ASSETS", ...(kept.assets as object | undefined), directory: worker.assets },
  };
  for (const name of CONFIGURATION_FILES) {
    await rm(join(folder, name), { force: true });
  }
  await writeFile(join(folder, CONFIGURATION_FILE), `${JSON.stringify(content, null, 2)}\n`);
}

/** Cloudflare's plugin, which makes of an app's build one for Workers alone. */
const WORKERS_PLUGIN = "@cloudflare/vite-plugin";

/** Gives the reason for other platforms where an app's own configuration builds for Workers, by platform. */
export function refusalsForWorkersAlone(source: OwnAppSource): Readonly<Record<PlatformId, string>> {
  if (source.rangeOf(WORKERS_PLUGIN) === null) {
    return {};
  }
  const why = `Its Vite configuration has ${WORKERS_PLUGIN}, which builds for Workers alone.`;
  return { node: why, vercel: why };
}

/** Puts Workers last: their setup changes the private copy. */
export function workersLast(platforms: readonly PlatformId[]): readonly PlatformId[] {
  return platforms.toSorted((a, b) => Number(a === "cloudflare") - Number(b === "cloudflare"));
}

/**
 * Lets wrangler set up the private copy for Workers, as Cloudflare's documents have it. An app that has the plugin is
 * left.
 */
export async function setUpWorker(build: OwnAppBuild): Promise<void> {
  if (build.source.rangeOf(WORKERS_PLUGIN) !== null) {
    return;
  }
  const env = { WRANGLER_SEND_METRICS: "false" };
  await build.run("wrangler setup", [process.execPath, wranglerProgram(), "setup", "--yes"], { env });
  build.note(`For Workers the copy was set up by \`wrangler setup\`, which adds ${WORKERS_PLUGIN}.`);
}

/** Packs the Worker of the configuration that is in an app's private copy, such as one that an adapter left. */
export async function packAdaptedWorker(build: OwnAppBuild, deployable: string): Promise<void> {
  const configuration = await readOwnConfiguration(build.folder, build.source.variables);
  if (configuration === null) {
    throw new UserError(`${build.folder} has no configuration of wrangler any more.`);
  }
  await packOwnWorker(build, configuration, deployable);
}
