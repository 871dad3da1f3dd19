import { readdir } from "node:fs/promises";
import type { Command } from "@commander-js/extra-typings";
import type { Exit } from "./exit.ts";

export type AddCommand = (program: Command, exit: Exit) => void;

export interface CommandModule {
  readonly default: AddCommand;
  /** Whether it works without a clone of the repository: then the published package has it, too. */
  readonly worksOutside?: true;
}

export interface FoundCommands {
  readonly add: readonly AddCommand[];
  readonly inCloneOnly: readonly string[];
}

const FOLDER = new URL("commands/", import.meta.url);

export async function loadCommands(): Promise<ReadonlyMap<URL, CommandModule>> {
  const files = (await readdir(FOLDER)).filter((file) => /^[a-z]+\.ts$/.test(file)).sort();
  const load = async (url: URL) => [url, (await import(url.href)) as CommandModule] as const;
  return new Map(await Promise.all(files.map((file) => load(new URL(file, FOLDER)))));
}

/** Every file of `commands/` adds one command. The published package's build puts a list in the place of this file. */
export async function findCommands(): Promise<FoundCommands> {
  const modules = [...(await loadCommands()).values()];
  return { add: modules.map((module) => module.default), inCloneOnly: [] };
}
