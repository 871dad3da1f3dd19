import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";

/** `commands/<name>.ts`. What it works with is loaded when it is called: a help text is there at once. */
export interface CommandModule {
  declare(program: Command): CommandUnknownOpts;
  /** Runs the command. A command that has others below it does nothing by itself. */
  readonly default?: Parameters<CommandUnknownOpts["action"]>[0];
  /** True where it works without a clone of the repository: then the published package has it, too. */
  readonly worksOutside?: true;
}

/** The commands that are there. */
export interface FoundCommands {
  readonly modules: readonly CommandModule[];
  readonly inCloneOnly: readonly string[];
}

const FOLDER = join(import.meta.dirname, "commands");

/** Loads all commands, by the name of their file in `commands/`: "run.ts". */
export async function loadCommands(): Promise<ReadonlyMap<string, CommandModule>> {
  const files = (await readdir(FOLDER)).filter((file) => /^[a-z]+\.ts$/.test(file)).sort();
  const load = async (file: string) => [file, await import(pathToFileURL(file).href)] as const;
  return new Map(await Promise.all(files.map((file) => load(join(FOLDER, file)))));
}

/** The published package's build puts a list in the place of this file. */
export async function findCommands(): Promise<FoundCommands> {
  return { modules: [...(await loadCommands()).values()], inCloneOnly: [] };
}
