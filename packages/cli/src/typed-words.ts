import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { UsageError } from "@evenbench/core/errors";
import { recordedPath } from "@evenbench/core/sent";
import { recordedFile } from "./asked.ts";
import { recordedHeader } from "./own-headers.ts";

interface TypedOption {
  /** Its long name, such as "--case". */
  readonly name: string;
  /** What it sets: `--build` and `--no-build` set the same. */
  readonly attribute: string;
  /** Its value; null for a switch. */
  readonly value: string | null;
  /** False where the same is measured without it. */
  readonly isRecorded: boolean;
}

/** Options of where results go, and of what was built before: the same is measured without them. */
const LEFT_OUT = ["--out", "--json", "--export", "--no-build", "--undecided"];
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
    for (const option of command.options) {
      const name = option.long ?? "";
      const attribute = option.attributeName();
      const isRecorded = option.mandatory || !LEFT_OUT.includes(name);
      command.on(`option:${name.replace(/^--/, "")}`, (value: string | undefined) =>
        typed.push({ name, attribute, value: value ?? null, isRecorded }),
      );
    }
    for (const below of command.commands) {
      this.#watch(below);
    }
  }

  /**
   * Refuses an option with one value that was typed twice: the last one would count silently.
   *
   * @throws {UsageError} with the names.
   */
  refuseTwice(command: CommandUnknownOpts): void {
    for (const [attribute, typed = []] of Map.groupBy(this.#typedOf(command), (option) => option.attribute)) {
      const isSwitch = typed.every(({ name, value }) => value === null && name === typed[0]?.name);
      if (typed.length === 1 || isSwitch || Array.isArray(command.getOptionValue(attribute))) {
        continue;
      }
      const names = [...new Set(typed.map(({ name }) => name))].join(" and ");
      throw new UsageError(
        `${names} can be given once, and was given ${typed.length} times. Leave all but one out.`,
      );
    }
  }

  #typedOf(command: CommandUnknownOpts): readonly TypedOption[] {
    return this.#options.get(command) ?? [];
  }

  /**
   * Gives the words of the command that runs as records have them: options by their long names, each with one value at
   * most, and without secrets and absolute paths, which may name a user. A value that begins with "-" is joined by "=":
   * every other word that begins so is an option.
   */
  wordsOf(command: CommandUnknownOpts): readonly string[] {
    const paths: string[] = [];
    const recorded = this.#typedOf(command).filter(({ isRecorded }) => isRecorded);
    const options = recorded.flatMap(({ name, value }) => {
      if (value === null) {
        return name;
      }
      const word = recordedValue(name, value, paths);
      return word.startsWith("-") ? `${name}=${word}` : [name, word];
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

/** Gives an option's value as records have it. @param paths recorded values of `--path`; another one is added. */
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
