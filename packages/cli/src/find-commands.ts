import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "@commander-js/extra-typings";
import type { Exit } from "./exit.ts";

export interface CommandModule {
  readonly default: (program: Command, exit: Exit) => void;
  /** Whether it works without a clone of the repository: then the published package has it, too. */
  readonly worksOutside?: true;
}

export interface FoundCommands {
  readonly add: readonly CommandModule["default"][];
  readonly inCloneOnly: readonly string[];
}

const FOLDER = join(import.meta.dirname, "commands");

/** By file: each adds the command that it is named by. */
export async function loadCommands(): Promise<ReadonlyMap<string, CommandModule>> {
  const files = (await readdir(FOLDER)).filter((file) => /^[a-z]+\.ts$/.test(file)).sort();
  const load = async (file: string) => [file, await import(pathToFileURL(file).href)] as const;
  return new Map(await Promise.all(files.map((file) => load(join(FOLDER, file)))));
}

/** The published package's build puts a list in the place of this file. */
export async function findCommands(): Promise<FoundCommands> {
  return { add: [...(await loadCommands()).values()].map((module) => module.default), inCloneOnly: [] };
}
