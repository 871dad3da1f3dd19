import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "@evenbench/core/basics";
import { IN_CLONE } from "@evenbench/core/called";
import { repositoryRoot } from "@evenbench/host/repository";
import type { Command } from "commander";
import { isGiven, optionOf } from "./given.ts";

/** Adds what is known, and works in a clone of the repository alone: it is not in the help, and says what it needs. */
export function addCloneCommand(program: Command, name: string): void {
  program
    .command(name, { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .helpOption(false)
    .action(() => {
      throw needsClone(`"${name}"`, name);
    });
}

/** Options of a command that outside of a clone are not in its help, and refused where they are given. */
export function inCloneOnly(command: Command, ...flags: readonly string[]): Command {
  if (IN_CLONE) return command;
  const options = flags.map((flag) => optionOf(command, flag));
  for (const option of options) option.hideHelp();
  return command.hook("preAction", () => {
    const given = options.find((option) => isGiven(command, option));
    if (given !== undefined) throw needsClone(given.long ?? given.flags, `${command.name()} ${given.long}`);
  });
}

/** What options of a command are called outside of a clone, where they mean less. */
export function describeOutside(command: Command, texts: Readonly<Record<string, string>>): void {
  if (IN_CLONE) return;
  for (const [flag, text] of Object.entries(texts)) optionOf(command, flag).description = text;
}

/** The last line of the help outside of a clone. */
export function cloneHelp(names: readonly string[]): string {
  return `\nIn a clone of the repository also: ${names.join(", ")}.\n${howToClone("<command>")}`;
}

function needsClone(what: string, words: string): UserError {
  return new UserError(
    `${what} works on the repository's apps and cases, so it needs a clone. ${howToClone(words)}`,
  );
}

function howToClone(words: string): string {
  const manifest = readFileSync(join(repositoryRoot, "package.json"), "utf8");
  const { repository }: { repository?: { url: string } } = JSON.parse(manifest);
  const address = repository?.url.replace(/^git\+/, "") ?? "<its address>";
  const unknown = repository === undefined ? " (the page from which you have this package names it)" : "";
  return `Get one: git clone ${address} evenbench${unknown}; in it: npm run bench -- ${words}`;
}
