// Takes the place of ../repository.ts in the published package.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";

// Modules are bundled into files of other folders: the package finds itself by its name.
const manifestFile = createRequire(import.meta.url).resolve("evenbench/package.json");

export const repositoryRoot = dirname(manifestFile);

const manifest: { version: string } = JSON.parse(readFileSync(manifestFile, "utf8"));

export const { version } = manifest;
