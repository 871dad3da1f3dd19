import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";

/** The folder into which Nitro builds, but for Vercel. */
export const OUTPUT = ".output";

/** The module by which an output for Node.js starts. */
const SERVER = "server/index.mjs";

/** Nitro's presets of a server for Node.js: Nitro 2 writes "node-server", Nitro 3 "node_server". */
const FOR_NODE = /^node[-_](?:server|cluster)$/;

/**
 * Finds an output for Node.js that Nitro finished, from a folder on: ".output" of an app, "." for the output itself;
 * null where neither is there.
 */
export function finishedIn(folder: string): string | null {
  const found = [OUTPUT, "."].find((output) => {
    const { preset = "" } = (parseJson(readIfThere(join(folder, output, "nitro.json")) ?? "") ?? {}) as {
      readonly preset?: string;
    };
    return FOR_NODE.test(preset) && existsSync(join(folder, output, SERVER));
  });
  return found ?? null;
}
