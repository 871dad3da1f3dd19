import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";

/** The module `commands/<name>.ts`. It imports its parts when it is called, so that a help text is there at once. */
export interface CommandModule {
  /** Declares the command. */
  declare(program: Command): CommandUnknownOpts;
  /** Runs the command. A command that has others below it does nothing by itself. */
  readonly default?: Parameters<CommandUnknownOpts["action"]>[0];
  /** True where it works without a clone of the repository: then the published package has it, too. */
  readonly worksOutside?: true;
}

/** The commands that are there. */
export interface FoundCommands {
  readonly modules: readonly CommandModule[];
  /** Names of the commands that only a clone of the repository has. */
  readonly inCloneOnly: readonly string[];
}

const COMMANDS_FOLDER = join(import.meta.dirname, "commands");

/** Loads all commands, by the name of their file in `commands/`: "run.ts". */
export async function loadCommands(): Promise<ReadonlyMap<string, CommandModule>> {
  const files = (await readdir(COMMANDS_FOLDER)).filter((file) => /^[a-z]+\.ts$/.test(file)).sort();
  const load = async (file: string) => [file, await import(pathToFileURL(file).href)] as const;
  return new Map(await Promise.all(files.map((file) => load(join(COMMANDS_FOLDER, file)))));
}

/** Finds all commands. The build of the published package puts a list in the place of this file. */
export async function findCommands(): Promise<FoundCommands> {
  return { modules: [...(await loadCommands()).values()], inCloneOnly: [] };
}
