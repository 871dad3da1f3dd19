import { join } from "node:path";
import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { repositoryRoot } from "@evenbench/host";
import { expect, test } from "vitest";
import { createProgram } from "./main.ts";

test("docs/command-line.md is what the commands say of themselves (-u writes it)", async () => {
  const page = renderReference(await createProgram());
  await expect(page).toMatchFileSnapshot(join(repositoryRoot, "docs/command-line.md"));
});

const FOR_PROGRAMS = `## For programs

An option is given once, or each of its values counts: \`--fail-on\`, \`--export\`, \`--concurrency\`, \`--rate\`, and those with \`...\`.

With \`--json\`, standard output is one JSON document; all else goes to standard error. \`-s\` keeps npm's own lines out of it:

\`\`\`sh
npm run -s bench -- list --json > cases.json
\`\`\`

| exit code | meaning                                                                                         |
| --------: | ----------------------------------------------------------------------------------------------- |
|         0 | Done.                                                                                           |
|         1 | Not done, or not all of it; or a condition of \`--fail-on\` is met.                               |
|         2 | The command line is wrong: nothing was begun.                                                   |
|         3 | A condition of \`--fail-on\` is neither met nor ruled out, or \`against\` left a target out.        |
|       129 | The terminal was closed. What was measured is kept.                                             |
|       130 | Ctrl-C, also where it is the usual end (\`serve\`, \`dev\`), or SIGTERM. What was measured is kept. |
|       143 | SIGTERM where there is nothing to keep, such as while packages are installed.                   |

Colours are for terminals: \`NO_COLOR\` and \`TERM=dumb\` leave them out, \`FORCE_COLOR\` brings them.`;

/** Number of commands that share an option from which on it is described once for all. */
const SHARED_BY = 2;

function renderReference(program: CommandUnknownOpts): string {
  const commands = program.commands.flatMap((command) =>
    command.commands.length > 0 ? command.commands : [command],
  );
  const described = Map.groupBy(
    commands.flatMap(({ options }) => options.filter(({ hidden }) => !hidden)),
    lineOf,
  );
  const isShared = (option: Option) => (described.get(lineOf(option)) ?? []).length >= SHARED_BY;
  const shared = [...described.values()].flatMap((same) => same.slice(0, 1)).filter(isShared);
  return [
    "# Command line",
    "Type a command after `npm run bench --`; `--help` behind it says the same, with examples. This page is made from the commands: `npm test -- packages/cli/src/reference.test.ts -u`.",
    ...commands.map((command) => section(command, isShared)),
    "## Options of several commands",
    block(shared.map(lineOf)),
    `${FOR_PROGRAMS}\n`,
  ].join("\n\n");
}

function section(command: CommandUnknownOpts, isShared: (option: Option) => boolean): string {
  const path = [command.parent?.parent ? command.parent.name() : "", command.name()]
    .filter(Boolean)
    .join(" ");
  const options = command.options.filter((option) => !option.hidden && !isShared(option));
  const shared = command.options.filter((option) => !option.hidden && isShared(option));
  const args = command.registeredArguments.map((argument) => `<${argument.name()}>: ${argument.description}`);
  return [
    `## ${path}`,
    `${sentence(command.summary() || command.description())}`,
    ...(args.length + options.length > 0 ? [block([...args, ...options.map(lineOf)])] : []),
    ...(shared.length > 0 ? [`Also: ${shared.map(({ long }) => `\`${long}\``).join(", ")}.`] : []),
  ].join("\n\n");
}

const block = (lines: readonly string[]) => `\`\`\`text\n${lines.join("\n")}\n\`\`\``;
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function lineOf({ flags, description, defaultValue, defaultValueDescription, argChoices }: Option): string {
  const shown =
    defaultValueDescription ?? (defaultValue === undefined ? null : String(JSON.stringify(defaultValue)));
  const notes = [
    ...(argChoices === undefined ? [] : [argChoices.join(" or ")]),
    ...(shown === null || typeof defaultValue === "boolean" ? [] : [`default: ${shown}`]),
  ];
  return `${flags}: ${description}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`;
}
