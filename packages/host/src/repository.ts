import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const repositoryRoot = fileURLToPath(new URL("../../..", import.meta.url));

const manifest = readFileSync(join(repositoryRoot, "package.json"), "utf8");
export const { version }: { version: string } = JSON.parse(manifest);

export const SUPERVISOR = fileURLToPath(new URL("supervisor.ts", import.meta.url));

/** Node.js 22.12 to 22.17 strip types only when asked; newer ones take the flag and do nothing. */
export const TYPE_STRIPPING = ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];
