import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { UserError } from "@evenbench/core/basics";
import { EVENBENCH, IN_CLONE } from "@evenbench/core/called";
import { repositoryRoot } from "@evenbench/host/repository";

/** `needs`: whether it needs a clone of the repository though its command does not. */
type Example = readonly [line: string, purpose: string, needs?: "clone"];

const known = new WeakMap<CommandUnknownOpts, readonly Example[]>();

/** They are typed as the documents have them: `npm run bench -- ...`. */
export function withExamples<C extends CommandUnknownOpts>(command: C, ...examples: readonly Example[]): C {
  known.set(command, examples);
  const shown = examples.filter(([, , needs]) => IN_CLONE || needs === undefined);
  const lines = shown.flatMap(([line, purpose]) => [
    `  ${line.replace("npm run bench --", EVENBENCH)}`,
    `      ${purpose}`,
  ]);
  if (lines.length > 0) command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
  return command;
}

export function examplesOf(command: CommandUnknownOpts): readonly string[] {
  const lines = (known.get(command) ?? []).map(([line]) => line);
  return [...lines, ...command.commands.flatMap(examplesOf)];
}

/** Outside of a clone: what options are there for, and those (null) that are not in the help. */
export function describeOutside(
  command: CommandUnknownOpts,
  texts: Readonly<Record<string, string | null>>,
): void {
  if (IN_CLONE) return;
  for (const option of command.options) {
    const text = texts[option.long ?? ""];
    if (text === null) option.hideHelp();
    else if (text !== undefined) option.description = text;
  }
}

export function cloneHelp(names: readonly string[]): string {
  return `\nIn a clone of the repository also: ${names.join(", ")}.\n${howToClone("<command>")}`;
}

export function needsClone(what: string, words: string): UserError {
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
