import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { createProgram } from "@evenbench/cli";
import { repositoryRoot } from "@evenbench/host";

export interface WrittenCommand {
  readonly place: string;
  readonly words: readonly string[];
}

export function listPages(): string[] {
  const atRoot = ["CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"];
  return [...atRoot, ...globSync("docs/{*,findings/*}.md", { cwd: repositoryRoot })].sort();
}

const DOORS = /^(npm (run|test)|npx pnpm|pnpm|evenbench) /;

/** Blocks marked `sh`, scripts in blocks marked `yaml`, and code in a sentence that begins with one of our doors. */
export function readCommands(page: string): WrittenCommand[] {
  const text = readFileSync(join(repositoryRoot, page), "utf8").replaceAll("\\\n", "");
  const blocks = [...text.matchAll(/^ *```(?:sh|yaml)\n(.*?)^ *```$/gms)].flatMap(([, block = ""]) =>
    block.replace(/^ *(?:- )?(?:run: )?/gm, "").split("\n"),
  );
  const sentences = text.replace(/^ *```.*?^ *```$/gms, "");
  const inSentences = [...sentences.matchAll(/`([^`\n]+)`/g)]
    .map(([, code = ""]) => code)
    .filter((code) => DOORS.test(code));
  return [...blocks, ...inSentences]
    .flatMap(commandsOf)
    .map((words) => ({ place: page, words: words.filter((word) => word !== "...") }));
}

/** Parts of a command line. Text between quotes is part of a word, whatever it is. */
const ONE_COMMAND = /(?:"[^"]*"|'[^']*'|[^"'&;|])+/g;
const ONE_WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
const QUOTED = /"([^"]*)"|'([^']*)'/g;

/** Without comments, variables set in front, and where the output goes. */
export function commandsOf(line: string): (readonly string[])[] {
  const uncommented = line.replace(/(^|\s)#.*$/, "");
  return (uncommented.match(ONE_COMMAND) ?? [])
    .map((command) => command.replace(/\s>.*$/, ""))
    .flatMap((command) => {
      const words = [...command.matchAll(ONE_WORD)].map(([word]) => word.replace(QUOTED, "$1$2"));
      const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
      return start === -1 ? [] : [words.slice(start)];
    });
}

const scripts: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(repositoryRoot, "package.json"), "utf8"),
).scripts;

const NPM_ITSELF = ["install", "pack", "pkg", "stage"];
/** Scripts that hand their arguments on to a command of ours. */
const OURS: Readonly<Record<string, readonly string[]>> = {
  bench: [],
  evenbench: [],
  dev: ["dev"],
  new: ["new"],
};

const SILENT = ["--silent", "-s"];

/** Without it npm's own lines are before the JSON. */
export function spoilsJson(words: readonly string[]): boolean {
  const isNpm = words[0] === "npm" && words[1] === "run";
  return isNpm && words.includes("--json") && !SILENT.some((word) => words.includes(word));
}

/** Null where nothing is wrong. Nothing is run, and what is not ours is not looked at. */
export async function whyWrong(words: readonly string[]): Promise<string | null> {
  const [first = "", second = ""] = words;
  if (first === "evenbench") {
    return whyNotParsed(words.slice(1));
  }
  if (first === "npx" && ["evenbench", "pnpm"].includes(second)) {
    return whyWrong(words.slice(1));
  }
  if (first === "pnpm" && second === "-C") {
    return isThere(words[2] ?? "") ? null : `there is no ${words[2]}`;
  }
  if (first !== "npm" && first !== "pnpm") {
    return null;
  }
  const rest = words.slice(1).filter((word) => !SILENT.includes(word));
  const [name = "", ...args] = rest[0] === "run" ? rest.slice(1) : rest;
  if (first === "npm" && NPM_ITSELF.includes(name)) {
    return null;
  }
  const given = args[0] === "--" ? args.slice(1) : args;
  if (OURS[name] !== undefined) {
    return whyNotParsed([...OURS[name], ...given]);
  }
  if (!(name in scripts)) {
    return `package.json has no script "${name}"`;
  }
  const missing = given.find((word) => word.includes("/") && !/[<>]/.test(word) && !isThere(word));
  return name === "test" && missing !== undefined ? `there is no ${missing}` : null;
}

/** Tells whether a path is in the repository. A folder that a fork may have removed counts as there. */
export function isThere(path: string): boolean {
  const [, removable] = /^((?:apps|packages\/cases)\/[\w-]+)\b/.exec(path) ?? [];
  const isRemoved = removable !== undefined && !existsSync(join(repositoryRoot, removable));
  return isRemoved || existsSync(join(repositoryRoot, path));
}

async function whyNotParsed(args: readonly string[]): Promise<string | null> {
  const program = await createProgram();
  silence(program);
  try {
    await program.parseAsync(args, { from: "user" });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    return error.exitCode === 0 ? null : error.message;
  }
}

function silence(command: CommandUnknownOpts): void {
  command.action(() => {});
  command.configureOutput({ writeOut: () => {}, writeErr: () => {} });
  for (const child of command.commands) {
    silence(child);
  }
}
