import type { Command, Option } from "commander";

/** @throws {TypeError} for a flag that the command does not have: a defect of ours. */
export function optionOf(command: Command, flag: string): Option {
  const option = command.options.find(({ long }) => long === flag);
  if (option === undefined) throw new TypeError(`"${command.name()}" has no option ${flag}.`);
  return option;
}

/** Whether an option stands on the command line; a default does not count. */
export function isGiven(command: Command, option: Option): boolean {
  return command.getOptionValueSource(option.attributeName()) === "cli";
}
