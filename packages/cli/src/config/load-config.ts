import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { IN_CLONE } from "@evenbench/core/called";
import { repositoryRoot } from "@evenbench/host/repository";
import { type Command, Option } from "commander";
import { UsageError } from "../nearest.ts";
import type { Config } from "./define-config.ts";

/** Outside of a clone the file is JavaScript, which Node.js 20 can read, in the folder where the command is called. */
const USUAL_FILE = IN_CLONE
  ? join(repositoryRoot, "evenbench.config.ts")
  : join(process.cwd(), "evenbench.config.mjs");

const WHERE = IN_CLONE ? "in the repository's root" : "in this folder";

/** Tests are not to depend on what a fork always passes: with an empty value no file is read. */
const VARIABLE = "EVENBENCH_CONFIG";

/** Adds `--config` and `--no-config` to the program, for all commands. */
export function withConfig(program: Command): Command {
  return program
    .addOption(
      new Option("--config <file>", "take values of options from this file")
        .default(USUAL_FILE, `${basename(USUAL_FILE)} ${WHERE}, where it is there`)
        .env(VARIABLE),
    )
    .option("--no-config", "take values of options from the command line alone");
}

/** What a file says, and how it is called in errors. */
export interface LoadedConfig {
  readonly name: string;
  readonly config: Config;
}

/**
 * Reads the file that `--config` names, or the usual one where it is there; null for none.
 *
 * @param file absolute, or relative to the working folder; false or "" for none.
 * @throws {UsageError} when the file named is not there, cannot be loaded, or exports no object.
 */
export async function loadConfig(file: string | false): Promise<LoadedConfig | null> {
  if (file === false || file === "" || (file === USUAL_FILE && !existsSync(file))) return null;
  const name = basename(file);
  if (!existsSync(file)) throw new UsageError(`There is no ${file}. Give --config the path of a file.`);
  if (!/\.[cm]?[jt]s$/.test(file))
    throw new UsageError(`${name} is no module. Give --config a .ts, .js or .mjs file.`);
  const loaded: { default?: unknown } = await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw new UsageError(`${name} cannot be loaded: ${String(error).split("\n", 1)[0]}`);
  });
  if (!isRecord(loaded.default)) {
    throw new UsageError(
      `${name} exports no values. Write \`export default { run: { suite: "mine" } }\`: a command, and its options.`,
    );
  }
  return { name, config: loaded.default as Config };
}

/** An object as in `{ quiet: true }`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
