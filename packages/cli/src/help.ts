import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CommanderError, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { EVENBENCH, IN_CLONE } from "@evenbench/core/called";
import { UserError } from "@evenbench/core/errors";
import { repositoryRoot } from "@evenbench/host/repository";
import { oneOf } from "./nearest.ts";
import { NOT_FOR_OWN } from "./own-server-options.ts";

/** An example in a help. `needs`: it needs a clone of the repository though its command does not. */
type Example = readonly [line: string, purpose: string, needs?: "clone"];

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

/** A part of a command's options that its help shows by a word: `--help own`. */
interface HelpTopic {
  /** What the options are about, in a few words. */
  readonly about: string;
  readonly options: readonly string[];
}

/** What the help of a command with many options shows. */
export interface HelpTopics {
  /** Long names of the options that `--help` shows. */
  readonly short: readonly string[];
  /** How the command is typed, behind the program. */
  readonly usage: string;
  /** Further parts, by their words. "all" is always there. */
  readonly topics: Readonly<Record<string, HelpTopic>>;
}

/** The word for every option. */
const ALL = "all";

/** Makes a command's `--help` a short one, which names the topics that it has more on. */
export function withTopics(command: CommandUnknownOpts, { usage, short, topics }: HelpTopics): void {
  const lines = Object.entries(topics).map(([word, { about }]) => [word, about] as const);
  const words = [...lines, [ALL, "every option"] as const];
  let shown: readonly string[] | null = short;
  command.helpOption(false).addOption(new Option("-h, --help [topic]", "this help").hideHelp());
  command.configureHelp({
    commandUsage: () => `${EVENBENCH} ${usage}`,
    visibleOptions: ({ options }) =>
      options.filter(({ long, hidden }) => !hidden && (shown === null || shown.includes(long ?? ""))),
  });
  command.addHelpText("after", () => {
    const more = words.map(([word, about]) => `  --help ${word.padEnd(10)} ${about}`);
    return shown === short ? `\nMore:\n${more.join("\n")}` : "";
  });
  command.on("option:help", (word: string | null) => {
    if (word !== null) {
      oneOf(
        "help on",
        [word],
        words.map(([known]) => known),
      );
      shown = topics[word]?.options ?? null;
    }
    command.outputHelp();
    throw new CommanderError(0, "commander.helpDisplayed", "(outputHelp)");
  });
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
const OF_BUILDS = ["--no-build"];

/** Writes the part of a help that names the commands which only a clone of the repository has. */
export function cloneHelp(names: readonly string[]): string {
  return `\nIn a clone of the repository also: ${names.join(", ")}.\n${howToClone("<command>")}`;
}

/** Makes the error for what only a clone has. @param what the subject: "The command deploy". @param words to type there. */
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
