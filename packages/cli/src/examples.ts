import type { Command } from "commander";

/** A command line and what it is for. */
export type Example = readonly [line: string, purpose: string];

const known = new WeakMap<Command, readonly Example[]>();

/** Puts examples at the end of a command's help. They are typed as the documents have them: `npm run bench -- ...`. */
export function withExamples(command: Command, examples: readonly Example[]): Command {
  known.set(command, examples);
  const lines = examples.flatMap(([line, purpose]) => [`  ${line}`, `      ${purpose}`]);
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

/** Every example of a program's commands, and of theirs. */
export function examplesOf(program: Command): readonly Example[] {
  return program.commands.flatMap((command) => [...(known.get(command) ?? []), ...examplesOf(command)]);
}
