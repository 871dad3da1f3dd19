import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root. */
export const repositoryRoot = fileURLToPath(new URL("../../..", import.meta.url));

const manifest: { version: string } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));

/** Evenbench's own version. */
export const { version } = manifest;
