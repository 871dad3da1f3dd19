// Projects of Cloudflare Pages: Cloudflare's documents on moving to Workers make one of their files and functions.
import { existsSync } from "node:fs";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { slashed } from "@evenbench/bundle/deployable";
import { type OwnAppBuild, type OwnAppRead, type OwnAppSource, UserError } from "@evenbench/core";
import { readJsonAs } from "@evenbench/core/user-file";
import * as z from "zod";
import type { OwnConfiguration } from "./own-configuration.ts";
import { CONFIGURATION_FILE, usualConfiguration, wranglerProgram } from "./wrangler.ts";

const FUNCTIONS = "functions";
/** The Worker that a build may leave among a project's files, in the place of functions. */
const ADVANCED = "_worker.js";
/** The file that says which paths are for functions. */
const ROUTES = "_routes.json";

/** The paths that are for functions where no file says it. */
const ALL_PATHS = { include: ["/*"], exclude: [] } as const;

/** A command that names the folder of a project's files to wrangler. */
const NAMES_FILES = /\bwrangler pages (?:dev|deploy|publish) (?:\.\/)?([\w.][^\s;&|]*)/;

/** Finds the folder of a Pages project's files that a script names, from the app's on; null where none does. */
export function filesNamedByScripts({ packageJson }: Pick<OwnAppSource, "packageJson">): string | null {
  const commands = Object.values(packageJson?.scripts ?? {});
  return commands.flatMap((command) => NAMES_FILES.exec(command)?.[1] ?? [])[0] ?? null;
}

/** Writes the configuration of a Pages project that has none into its private copy. */
export async function configurePages({ folder, source, note }: OwnAppBuild): Promise<void> {
  const output = filesNamedByScripts(source);
  if (output === null) {
    return;
  }
  const { compatibility_date } = await usualConfiguration();
  const content = {
    name: "worker",
    pages_build_output_dir: output,
    compatibility_date,
    compatibility_flags: ["nodejs_compat"],
  };
  await writeFile(join(folder, CONFIGURATION_FILE), JSON.stringify(content));
  note("It has no wrangler configuration: the Worker gets the flag nodejs_compat and a recent date.");
}

const paths = z.array(z.string().startsWith("/"));
/** Schema of `_routes.json` (Cloudflare's document "Functions: Routing"). Other keys may be anything. */
const pagesRoutes = z.looseObject({
  version: z.literal(1),
  description: z.string().exactOptional(),
  include: paths.min(1),
  exclude: paths,
});
type PagesRoutes = z.infer<typeof pagesRoutes>;

/** Reads which paths are for functions; null where the folder has no such file. @throws {UserError} where it is none. */
function readRoutes(folder: string): PagesRoutes | null {
  return readJsonAs(join(folder, ROUTES), pagesRoutes, "a _routes.json of Cloudflare Pages");
}

/**
 * Says what counts of the `_routes.json` of a Pages project; nothing where it has none, or its build makes it.
 *
 * @param folder absolute path of the app.
 * @param files absolute path of the project's files.
 * @throws {UserError} in one line, where the platform would not take it.
 */
export function readRoutesOf(folder: string, files: string): readonly OwnAppRead[] {
  const routes = readRoutes(files);
  if (routes === null) {
    return [];
  }
  const unknown = Object.keys(routes).filter((key) => !(key in pagesRoutes.shape));
  const notApplied = unknown.map((what) => ({ what, why: "Cloudflare Pages knows no such key" }));
  const file = slashed(relative(folder, join(files, ROUTES)));
  return [{ file, applied: ["include", "exclude"], notApplied }];
}

/**
 * Bundles the functions of a Pages project by wrangler; or takes the Worker among its files, which is bundled as others
 * are.
 *
 * @param output the folder of its files, from that of its configuration on.
 * @returns the configuration of a Worker that answers as the project does.
 * @throws {UserError} where it has files alone.
 */
export async function bundlePages(
  build: OwnAppBuild,
  configuration: OwnConfiguration,
  output: string,
): Promise<OwnConfiguration> {
  const files = join(configuration.folder, output);
  const folder = join(configuration.folder, ".evenbench/pages");
  await mkdir(folder, { recursive: true });
  const advanced = advancedIn(files);
  const main = advanced ?? (await bundleFunctions(build, configuration, folder, output));
  build.note("The functions of its Pages project are served as a Worker in front of its files.");
  const { include, exclude } = readRoutes(files) ?? readRoutes(folder) ?? ALL_PATHS;
  await mkdir(files, { recursive: true });
  await appendFile(join(files, ".assetsignore"), `\n${ADVANCED}\n${ROUTES}\n`);
  return {
    ...configuration,
    folder,
    main: slashed(relative(folder, main)),
    isBundled: advanced === null,
    assets: {
      directory: slashed(relative(folder, files)),
      binding: "ASSETS",
      run_worker_first: [...include, ...exclude.map((path) => `!${path}`)],
    },
  };
}

/** Finds the module of the Worker among a project's files, which may be a folder; null where there is none. */
function advancedIn(files: string): string | null {
  const places = [join(files, ADVANCED, "index.js"), join(files, ADVANCED)];
  return places.find((file) => existsSync(file)) ?? null;
}

/** Bundles the functions of a project. @returns the absolute path of the main module. */
async function bundleFunctions(
  { run }: OwnAppBuild,
  { folder: cwd, compatibilityDate, compatibilityFlags }: OwnConfiguration,
  folder: string,
  output: string,
): Promise<string> {
  if (!existsSync(join(cwd, FUNCTIONS))) {
    throw new UserError(
      `It is a Pages project without ${FUNCTIONS}/ and ${output}/${ADVANCED}: nothing is computed for a request, so there is nothing to compare.`,
    );
  }
  const program = [process.execPath, wranglerProgram(), "pages", "functions", "build"] as const;
  const places = ["--outdir", join(folder, "worker"), "--output-routes-path", join(folder, ROUTES)];
  const flags = compatibilityFlags.map((flag) => `--compatibility-flag=${flag}`);
  const options = [...places, "--compatibility-date", compatibilityDate, ...flags];
  const env = { WRANGLER_SEND_METRICS: "false", CI: "1" };
  await run("wrangler pages functions build", [...program, FUNCTIONS, ...options], { cwd, env });
  return join(folder, "worker/index.js");
}
