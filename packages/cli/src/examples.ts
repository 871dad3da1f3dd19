import { EVENBENCH, IN_CLONE } from "@evenbench/core/called";
import type { Command } from "commander";

/** A command line and what it is for. */
type Example = readonly [line: string, purpose: string];

/** The same, and whether it needs a clone of the repository though its command does not. */
type NewExample = readonly [...Example, needs?: "clone"];

const known = new WeakMap<Command, readonly Example[]>();

/** Puts examples at the end of a command's help. They are typed as the documents have them: `npm run bench -- ...`. */
export function withExamples(command: Command, examples: readonly NewExample[]): Command {
  known.set(
    command,
    examples.map(([line, purpose]) => [line, purpose]),
  );
  const shown = examples.filter(([, , needs]) => IN_CLONE || needs === undefined);
  if (shown.length === 0) return command;
  const lines = shown.flatMap(([line, purpose]) => [`  ${calledHere(line)}`, `      ${purpose}`]);
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

function calledHere(line: string): string {
  return line.replace("npm run bench --", EVENBENCH);
}

export function ownExamplesOf(command: Command): readonly Example[] {
  return known.get(command) ?? [];
}

export function examplesOf(program: Command): readonly Example[] {
  return program.commands.flatMap((command) => [...ownExamplesOf(command), ...examplesOf(command)]);
}
