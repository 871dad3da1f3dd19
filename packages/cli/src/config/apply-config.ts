import type { EventEmitter } from "node:events";
import { type Command, CommanderError, type Option } from "commander";
import { pick, UsageError } from "../nearest.ts";
import { isRecord, type LoadedConfig } from "./load-config.ts";
import { parseValue } from "./parse-value.ts";

/** The section of what holds for every command that has such an option. */
const ALL = "all";

/** A value for an option, and where in the file it stands: "run.suite". */
interface Given {
  readonly key: string;
  readonly option: Option;
  readonly value: unknown;
}

/**
 * Gives a command the values of a file, before it reads its words: those win. All of the file is checked,
 * whichever command it is.
 *
 * @throws {UsageError} for an unknown key, a bad value, or two that exclude each other; names the file and the key.
 */
export function applyConfig({ name, config }: LoadedConfig, program: Command, command: Command): void {
  try {
    assertKnown(config, program.commands);
    for (const one of program.commands) {
      const given = valuesFor(one, config);
      assertNoConflict(given);
      if (one === command) for (const value of given) setDefault(command, value);
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${name}: ${error.message}`);
  }
}

function assertKnown(config: object, commands: readonly Command[]): void {
  pick("command", Object.keys(config), [ALL, ...commands.map((command) => command.name())]);
  for (const [section, values] of Object.entries(config)) {
    if (values === undefined) continue;
    if (!isRecord(values)) throw new UsageError(`${section} is no object. Write { option: value }.`);
    const own = commands.filter((command) => section === ALL || command.name() === section);
    const known = own.flatMap((command) => optionsOf(command).map((option) => option.attributeName()));
    for (const key of Object.keys(values)) {
      pick(section === ALL ? "option" : `option of ${section}`, [key], [...new Set(known)]);
    }
  }
}

/** Without old names. */
function optionsOf({ options }: Command): readonly Option[] {
  return options.filter(({ hidden }) => !hidden);
}

/** A command's own values win over those of all. */
function valuesFor(command: Command, config: LoadedConfig["config"]): readonly Given[] {
  const sections = [command.name(), ALL];
  return optionsOf(command).flatMap((option) => {
    const name = option.attributeName();
    const section = sections.find((one) => config[one]?.[name] !== undefined);
    if (section === undefined) return [];
    const key = `${section}.${name}`;
    const value = parsed(option, config[section]?.[name], key);
    return value === undefined ? [] : [{ key, option, value }];
  });
}

function parsed(option: Option, value: unknown, key: string): unknown {
  try {
    return parseValue(option, value);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new UsageError(`${key} cannot be ${JSON.stringify(value)}. ${error.message}`);
  }
}

function assertNoConflict(given: readonly Given[]): void {
  for (const one of given) {
    const other = given.find(({ option }) => exclude(one.option, option));
    if (other !== undefined)
      throw new UsageError(`${one.key} and ${other.key} exclude each other. Leave one out.`);
  }
}

function exclude(one: Option, other: Option): boolean {
  return conflictsOf(one).includes(other.attributeName()) || conflictsOf(other).includes(one.attributeName());
}

/** Commander's types leave this out. */
function conflictsOf(option: Option): readonly string[] {
  return (option as Option & { readonly conflictsWith: readonly string[] }).conflictsWith;
}

/** Until the command line gives the option, or one that excludes it: then it is as if the file did not have it. */
function setDefault(command: Command, { option, value }: Given): void {
  const name = option.attributeName();
  const [before, source] = [command.getOptionValue(name), command.getOptionValueSource(name)];
  command.setOptionValueWithSource(name, value, "config");
  const giveWay = () => {
    if (command.getOptionValueSource(name) === "config")
      command.setOptionValueWithSource(name, before, source);
  };
  // Before commander's own listener, which adds a word to those that are there. Its types leave out that it
  // is an emitter.
  const emitter = command as unknown as EventEmitter;
  const against = command.options
    .filter((other) => exclude(option, other))
    .map((other) => other.attributeName());
  // An old name has the new one's attribute.
  for (const other of command.options) {
    if ([name, ...against].includes(other.attributeName()))
      emitter.prependListener(`option:${other.name()}`, giveWay);
  }
}
