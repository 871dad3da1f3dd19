import { type Command, Option } from "commander";
import { sayAside } from "./say.ts";

/**
 * Lets an option that was renamed be given by its old name, too, until the next version: it does the same,
 * and a line says its new name. Help shows only the new one.
 *
 * @param oldName and `newName` are long flags, such as "--lanes" and "--concurrency". The command has the new
 *   one already.
 */
export function keepOldName(command: Command, oldName: string, newName: string, hint = sayAside): void {
  const option = command.options.find(({ long }) => long === newName);
  if (option === undefined) throw new Error(`${command.name()} has no option ${newName}.`);
  const old = new Option(option.flags.replace(newName, oldName)).hideHelp();
  if (option.parseArg !== undefined) old.argParser(option.parseArg);
  // What it is given is the value of the option that it stands for.
  old.attributeName = () => option.attributeName();
  command.addOption(old);
  command.on(`option:${old.name()}`, () =>
    hint(`${oldName} is now called ${newName}; the old name goes with the next version.`),
  );
}
