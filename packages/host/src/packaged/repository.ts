// Takes the place of ../repository.ts in the published package.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

// Modules are bundled into files of other folders: the package finds itself by its name.
const manifestFile = createRequire(import.meta.url).resolve("evenbench/package.json");

/** Absolute path of the package's own folder: the package has no repository around it. */
export const repositoryRoot: string = dirname(manifestFile);

const manifest: { version: string } = JSON.parse(readFileSync(manifestFile, "utf8"));

/** The version of the package. */
export const version: string = manifest.version;

/** The ending of a module's name in the package. */
export const MODULE_ENDING = ".js";

/** Gives the absolute path of a module that the build of the package made; see the file that this one replaces. */
export function moduleFile(path: string): string {
  return join(repositoryRoot, path + MODULE_ENDING);
}

/** Absolute path of the supervisor's program in the package. */
export const SUPERVISOR: string = join(repositoryRoot, "supervisor.js");

/** Flags by which Node.js runs TypeScript: none, since the package has no types to strip. */
export const TYPE_STRIPPING: readonly string[] = [];
