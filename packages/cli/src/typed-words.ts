import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { recordedFile } from "./asked.ts";
import { recordedHeader, recordedPath } from "./own-servers.ts";

/** An option as it was typed. */
interface TypedOption {
  /** Its long name, such as "--case". */
  readonly name: string;
  /** Its value; null for a switch. */
  readonly value: string | null;
}

/** Options of where results go, and of what was built before: the same is measured without them. */
const LEFT_OUT = ["--out", "--json", "--export", "--no-build"];
/** Options whose values are paths of files or folders. */
const OF_FILES = ["--own-app", "--body", "--env-file", "--node", "--deployed", "--with", "--out"];

/** The words that a program is run with, as its commands understand them. */
export class TypedWords {
  readonly #options = new Map<CommandUnknownOpts, TypedOption[]>();

  /** @param program has all of its commands, and has parsed nothing yet. */
  constructor(program: CommandUnknownOpts) {
    this.#watch(program);
  }

  /** Notes the options of a command, and of those below it, as they are parsed. */
  #watch(command: CommandUnknownOpts): void {
    const typed: TypedOption[] = [];
    this.#options.set(command, typed);
    for (const { long, mandatory } of command.options) {
      const name = long ?? "";
      if (mandatory || !LEFT_OUT.includes(name)) {
        const event = `option:${name.replace(/^--/, "")}`;
        command.on(event, (value: string | undefined) => typed.push({ name, value: value ?? null }));
      }
    }
    for (const below of command.commands) {
      this.#watch(below);
    }
  }

  /**
   * Gives the words of the command that runs as records have them: options by their long names, each with one value at
   * most, and without secrets and absolute paths, which may name a user. A value that begins with "-" is joined by "=":
   * every other word that begins so is an option.
   */
  wordsOf(command: CommandUnknownOpts): readonly string[] {
    const paths: string[] = [];
    const options = (this.#options.get(command) ?? []).flatMap(({ name, value }) => {
      if (value === null) {
        return name;
      }
      const recorded = recordedValue(name, value, paths);
      return recorded.startsWith("-") ? `${name}=${recorded}` : [name, recorded];
    });
    return [...namesOf(command), ...command.args.map(recordedFile), ...options];
  }
}

/** Gives the names that lead to a command, without the program's and that of the default command. */
function namesOf(command: CommandUnknownOpts): readonly string[] {
  const { parent } = command;
  if (parent === null || command.name() === DEFAULT_COMMAND) {
    return [];
  }
  return [...namesOf(parent), command.name()];
}

/** Name of the command that runs where none is named. */
const DEFAULT_COMMAND = "run";

/**
 * Gives an option's value as records have it.
 *
 * @param paths recorded values of `--path` so far; another one is added.
 */
function recordedValue(option: string, value: string, paths: string[]): string {
  if (option === "--path") {
    const path = recordedPath(value, paths);
    paths.push(path);
    return path;
  }
  if (option === "--header") {
    return recordedHeader(value);
  }
  return OF_FILES.includes(option) ? recordedFile(value) : value;
}
