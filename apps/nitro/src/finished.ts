import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";

/** The folder into which Nitro builds, but for Vercel. */
export const OUTPUT = ".output";

/** The module by which an output starts, but for Vercel. */
export const SERVER = "server/index.mjs";

/** Nitro's presets of a server for Node.js: Nitro 2 writes "node-server", Nitro 3 "node_server". */
const FOR_NODE = /^node[-_](?:server|cluster)$/;

/**
 * Finds an output for Node.js that Nitro finished, from a folder on: ".output" of an app, "." for the output itself;
 * null where neither is there.
 */
export function finishedIn(folder: string): string | null {
  const found = [OUTPUT, "."].find((output) => {
    const made = join(folder, output);
    return FOR_NODE.test(presetOf(made) ?? "") && existsSync(join(made, SERVER));
  });
  return found ?? null;
}

/** Gives the preset, such as "node-server", by which Nitro made an output; null where the output does not say it. */
export function presetOf(output: string): string | null {
  const text = readIfThere(join(output, "nitro.json")) ?? "";
  const { preset } = (parseJson(text) ?? {}) as { readonly preset?: unknown };
  return typeof preset === "string" ? preset : null;
}
