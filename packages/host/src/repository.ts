import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const repositoryRoot = fileURLToPath(new URL("../../..", import.meta.url));

const manifest: { version: string } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));

export const { version } = manifest;
