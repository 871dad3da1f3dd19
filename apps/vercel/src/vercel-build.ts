import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { type Build, slashed } from "@evenbench/bundle/deployable";
import { FUNCTION_RUNTIME_VARIABLE } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import { resolveTool } from "@evenbench/host/tools";
import { readBuildOutput } from "./build-output.ts";
import { changeConfiguration } from "./deployable.ts";
import { applyOwnRoutes, leaveToSettings } from "./own-configuration.ts";

interface VercelBuild {
  /** The folder of the app. */
  readonly directory: string;
  /** The folder that becomes the deployable. */
  readonly deployable: string;
  /** True if the folder lies below an app: the CLI would take it for a repository of its own. Default: false. */
  readonly isCopy?: boolean;
  /** Settings of the project, as Vercel names them. */
  readonly settings: Readonly<Record<string, string | null>>;
  /** Variables that are added. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Why functions keep the runtime that an adapter names. Default: they get `RUNTIME`. */
  readonly keepsRuntime?: string;
}

/** The newest Node.js that the CLI takes for a project: it refuses 26.x (BUILD_UTILS_NODE_VERSION_INVALID). */
const PROJECT_NODE = "24.x";
/** The runtime of a new project on Vercel. What the CLI builds is JavaScript for it, too. */
const RUNTIME = "nodejs26.x";

/** Ids that `vercel link` would have written. They only matter when something is deployed. */
const IDS = { projectId: "prj_local", orgId: "team_local" };

/** The parts of the output that make the deployable, without copies and notes of tools. */
const OUTPUT_PARTS = ["config.json", "functions", "static"];

/** Variables by which the CLI sends nothing home, and installs nothing. */
const QUIET = { VERCEL_TELEMETRY_DISABLED: "1", VERCEL_INSTALL_COMPLETED: "1" };

/** Builds an app by `vercel build`, and makes its output the deployable. @throws {Error} where there is none. */
export async function vercelBuild(
  build: Build,
  { directory, deployable, isCopy = false, settings, env = {}, keepsRuntime }: VercelBuild,
): Promise<void> {
  const rootDirectory = isCopy ? slashed(relative(repositoryRoot, directory)) : null;
  const project = { ...IDS, settings: { nodeVersion: PROJECT_NODE, rootDirectory, ...settings } };
  // The CLI looks for the repository's link from below the project's folder, which has a link of its own.
  const cwd = isCopy ? join(directory, ".vercel/from") : directory;
  await mkdir(join(directory, ".vercel"), { recursive: true });
  await mkdir(cwd, { recursive: true });
  await writeFile(join(directory, ".vercel/project.json"), JSON.stringify(project));
  await leaveToSettings(directory, Object.keys(settings));
  const link = rootDirectory === null ? null : await linkRepository(rootDirectory);
  try {
    const cli = join(dirname(resolveTool("vercel/package.json", import.meta.url)), "dist/vc.js");
    const command = [process.execPath, cli, "build", "--prod", "--yes", "--standalone"] as const;
    await build("vercel build", command, { cwd, env: { ...env, ...QUIET } });
  } finally {
    if (link !== null) {
      await rm(link);
    }
  }
  await takeBuildOutput(directory, deployable);
  await nameRuntime(deployable, keepsRuntime);
}

/**
 * Names the runtime of each function; or, where an adapter has named it, says in the function's facts why it is kept.
 *
 * @param keepsRuntime the reason; undefined: functions get `RUNTIME`.
 */
export async function nameRuntime(deployable: string, keepsRuntime: string | undefined): Promise<void> {
  const { functions } = await readBuildOutput(deployable);
  for (const { directory, configuration } of functions) {
    if (keepsRuntime === undefined) {
      await changeConfiguration(directory, { runtime: RUNTIME });
      continue;
    }
    const fact = `${configuration.runtime}: ${keepsRuntime}`;
    const environment = { ...configuration.environment, [FUNCTION_RUNTIME_VARIABLE]: fact };
    await changeConfiguration(directory, { environment });
  }
}

/**
 * Moves what an adapter left in a project's `.vercel/output` into a folder of its own, with the routes of vercel.json,
 * which Vercel's CLI adds where it is deployed.
 */
export async function takeAdapterOutput(directory: string, deployable: string): Promise<void> {
  await takeBuildOutput(directory, deployable);
  await applyOwnRoutes(directory, deployable);
}

/**
 * Moves what a build left in a project's `.vercel/output` into a folder of its own.
 *
 * @throws {Error} where it left nothing: the Vercel CLI can end so without a word.
 */
export async function takeBuildOutput(directory: string, deployable: string): Promise<void> {
  if (!existsSync(join(directory, ".vercel/output/config.json"))) {
    throw new Error("The build for Vercel ended well, but left no .vercel/output/config.json.");
  }
  await mkdir(deployable, { recursive: true });
  for (const part of OUTPUT_PARTS) {
    const built = join(directory, ".vercel/output", part);
    if (existsSync(built)) {
      await rename(built, join(deployable, part));
    }
  }
}

/** The part that is used of the builder of servers, which the CLI brings along. */
interface Backends {
  findEntrypoint(folder: string): Promise<string | undefined>;
}

/** Finds the module that the CLI takes for an app's server, from the app's folder on; null where it takes none. */
export async function serverTakenByVercel(folder: string): Promise<string | null> {
  const { resolve } = createRequire(resolveTool("vercel/package.json", import.meta.url));
  const builder: Backends = await import(pathToFileURL(resolve("@vercel/backends")).href);
  return (await builder.findEntrypoint(folder)) ?? null;
}

/** Writes the link of the repository that the CLI looks for. @returns its file, which is removed after the build. */
async function linkRepository(directory: string): Promise<string> {
  const file = join(repositoryRoot, ".vercel/repo.json");
  const project = { id: IDS.projectId, name: "local", directory, orgId: IDS.orgId };
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(file, JSON.stringify({ projects: [project] }), { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
    throw new Error(
      `${relative(repositoryRoot, file)} links the repository already, by your hand or a build that was killed. Move it away, then try again.`,
    );
  }
  return file;
}
