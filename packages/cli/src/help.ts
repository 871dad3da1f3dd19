import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { EVENBENCH, IN_CLONE } from "@evenbench/core/called";
import { UserError } from "@evenbench/core/errors";
import { repositoryRoot } from "@evenbench/host/repository";
import { NOT_FOR_OWN } from "./options.ts";

/** An example in a help. `needs`: it needs a clone of the repository though its command does not. */
type Example = readonly [line: string, purpose: string, needs?: "clone"];

/** Examples by their command. */
const examplesOfCommands = new WeakMap<CommandUnknownOpts, readonly Example[]>();

/** Adds examples to a command's help, typed as the documents have them: `npm run bench -- ...`. */
export function withExamples<C extends CommandUnknownOpts>(command: C, ...examples: readonly Example[]): C {
  examplesOfCommands.set(command, examples);
  const shown = examples.filter(([, , needs]) => IN_CLONE || needs === undefined);
  const lines = shown.flatMap(([line, purpose]) => [
    `  ${line.replace("npm run bench --", EVENBENCH)}`,
    `      ${purpose}`,
  ]);
  if (lines.length > 0) {
    command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
  }
  return command;
}

/** Lists the command lines of a command's examples, and of those of commands below it. */
export function examplesOf(command: CommandUnknownOpts): readonly string[] {
  const lines = (examplesOfCommands.get(command) ?? []).map(([line]) => line);
  return [...lines, ...command.commands.flatMap(examplesOf)];
}

/** Gives options other texts outside of a clone, and takes those of the repository out of the help there. */
export function describeOutside(command: CommandUnknownOpts, texts: Readonly<Record<string, string>>): void {
  if (IN_CLONE) {
    return;
  }
  for (const option of command.options) {
    const { long = "" } = option;
    option.description = texts[long] ?? option.description;
    if (long in NOT_FOR_OWN || OF_BUILDS.includes(long)) {
      option.hideHelp();
    }
  }
}

/** Options that only a clone has. */
const OF_BUILDS = ["--no-build", "--deployments"];

/** Writes the part of a help that names the commands which only a clone of the repository has. */
export function cloneHelp(names: readonly string[]): string {
  return `\nIn a clone of the repository also: ${names.join(", ")}.\n${howToClone("<command>")}`;
}

/**
 * Makes the error for somebody who asks the published package for something that only a clone of the repository has.
 *
 * @param what the subject of the sentence: "The command deploy".
 * @param words the command line to type in the clone.
 */
export function needsClone(what: string, words: string): UserError {
  return new UserError(
    `${what} is in a clone of the repository, and not in this package. ${howToClone(words)}`,
  );
}

/** Says how to get a clone. @param words the command line to type in it. */
function howToClone(words: string): string {
  const manifest = readFileSync(join(repositoryRoot, "package.json"), "utf8");
  const { repository }: { repository?: { url: string } } = JSON.parse(manifest);
  const address = repository?.url.replace(/^git\+/, "") ?? "<its address>";
  const unknown = repository === undefined ? " (the page from which you have this package names it)" : "";
  return `Get one: git clone ${address} evenbench${unknown}; in it: npm run bench -- ${words}`;
}
