import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { NodeProgram, ServeOptions } from "@evenbench/core";
import { HostError } from "./loopback.ts";
import { ownFolder } from "./own-folder.ts";
import { runProgram } from "./run-program.ts";

/** A whole version, with or without "v" before it. */
const WHOLE_VERSION = /^v?(\d+\.\d+\.\d+)$/;
/** The oldest version that hosts run on: the first one that strips types. */
const OLDEST = { major: 22, minor: 12 };
/** Milliseconds within which a program has to say its version. */
const VERSION_WITHIN_MS = 10_000;
/** Milliseconds within which a version is fetched: about 60 MB. */
const FETCH_WITHIN_MS = 300_000;

/** Gives the Node.js that serves: the one that was asked for, or Evenbench's own. */
export function servingNode({ nodeProgram }: Pick<ServeOptions, "nodeProgram">): NodeProgram {
  return nodeProgram ?? { file: process.execPath, version: process.versions.node };
}

/**
 * Finds the Node.js that `--node` names: the program at a path, or a whole version, such as "24.21.0". A
 * version is fetched once, as the package `node-<system>-<processor>` of the npm registry, into the user's
 * cache.
 *
 * @throws {HostError} where it is neither, cannot be fetched, or is older than hosts can run on.
 */
export async function findNodeProgram(word: string): Promise<NodeProgram> {
  const version = WHOLE_VERSION.exec(word)?.[1];
  if (version === undefined && !word.includes("/")) {
    throw new HostError(
      `--node ${word} names no Node.js. Give a whole version, such as 24.21.0, or the path of a program, such as ./node.`,
    );
  }
  const file = version === undefined ? resolve(word) : await fetchedNode(version);
  const { failure, stdout } = await runProgram({
    command: [file, "--version"],
    withinMs: VERSION_WITHIN_MS,
  });
  const found = WHOLE_VERSION.exec(stdout.trim())?.[1];
  if (failure !== null || found === undefined) {
    throw new HostError(`${file} is no Node.js: it ${failure ?? "does not say its version"}.`);
  }
  const [major = 0, minor = 0] = found.split(".").map(Number);
  if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
    throw new HostError(
      `Node.js ${found} cannot serve here: the hosts need ${OLDEST.major}.${OLDEST.minor} or newer. Name a newer one with --node.`,
    );
  }
  return { file, version: found };
}

/** Fetches a version, where it has not been fetched before. @returns the absolute path of its program. */
async function fetchedNode(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = ownFolder(`node-${version}`);
  const file = join(folder, "node_modules", name, "bin/node");
  if (existsSync(file)) {
    return file;
  }
  // Whole or not at all, also where two fetch it at the same time.
  const part = `${folder}.${process.pid}`;
  const words = ["install", "--prefix", part, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  try {
    const { failure, output } = await runProgram({
      command: ["npm", ...words, `${name}@${version}`],
      withinMs: FETCH_WITHIN_MS,
    });
    if (failure !== null) {
      const reason = /^npm (?:error|ERR!) (?!code |errno |syscall )(.+)$/m.exec(output)?.[1] ?? failure;
      throw new HostError(
        `Node.js ${version} cannot be fetched as ${name} from the npm registry: ${reason.replace(/\.$/, "")}. Name another version, or the path of a Node.js that is there.`,
      );
    }
    await rm(folder, { recursive: true, force: true });
    await rename(part, folder);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
  return file;
}
