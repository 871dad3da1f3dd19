// Takes the place of ../repository.ts in the published package.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

// Modules are bundled into files of other folders: the package finds itself by its name.
const manifestFile = createRequire(import.meta.url).resolve("evenbench/package.json");

/** Absolute path of the package's own folder: the package has no repository around it. */
export const repositoryRoot = dirname(manifestFile);

const manifest: { version: string } = JSON.parse(readFileSync(manifestFile, "utf8"));

export const { version } = manifest;

/** Absolute path of the supervisor's program in the package. */
export const SUPERVISOR = join(repositoryRoot, "supervisor.js");

/** There are no types to strip, and Node.js 20 does not know the flag. */
export const TYPE_STRIPPING: string[] = [];
