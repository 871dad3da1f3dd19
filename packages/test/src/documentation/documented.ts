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

/** Blocks marked `sh`, and code in a sentence that begins with one of our doors. */
export function readCommands(page: string): WrittenCommand[] {
  const lines = readFileSync(join(repositoryRoot, page), "utf8").split("\n");
  const found: WrittenCommand[] = [];
  let block: string | null = null;
  let begun = "";
  for (const [index, part] of lines.entries()) {
    const place = `${page}:${index + 1}`;
    const line = begun + part;
    begun = block === "sh" && line.endsWith("\\") ? line.slice(0, -1) : "";
    if (begun !== "") continue;
    const fence = /^\s*```(\w*)/.exec(line);
    if (fence !== null) block = block === null ? (fence[1] ?? "") : null;
    else if (block === "sh") found.push(...commandsOf(line).map((words) => ({ place, words })));
    else if (block === null) found.push(...inSentence(line).map((words) => ({ place, words })));
  }
  return found;
}

const DOORS = /^(npm (run|test)|pnpm|npx pnpm|evenbench) ?/;

function inSentence(line: string): (readonly string[])[] {
  const codes = [...line.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? "");
  return codes
    .filter((code) => DOORS.test(code) && code.split(" ").length > 1)
    .flatMap(commandsOf)
    .map(withoutEllipsis);
}

const withoutEllipsis = (words: readonly string[]) => words.filter((word) => word !== "...");

/** What stands between quotes is part of a word, whatever it is. */
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

const OTHER_TOOLS = ["cat", "cd", "cp", "curl", "gh", "git", "go", "mkdir"];

const NPM_ITSELF = ["install", "pack", "pkg", "publish"];

/** Those that npx starts in an app that a reader has beside this repository. */
const TOOLS_OF_OTHER_APPS = ["create-next-app@16.4.3", "opennextjs-cloudflare", "wrangler"];

/** The tasks of packages/setup that hand their arguments on to the command of the same name. */
const COMMAND_OF_TASK: Readonly<Record<string, readonly string[]>> = {
  bench: [],
  deploy: ["deploy"],
  dev: ["dev"],
  new: ["new"],
};

function evenbenchArguments(words: readonly string[]): readonly string[] | null {
  const [first, second, ...rest] = words;
  if (first === "evenbench") return words.slice(1);
  if (first === "npx" && second === "pnpm") return evenbenchArguments(words.slice(1));
  if (first === "pnpm" && second === "evenbench") return rest;
  const script = scriptOf(words);
  const own = script === null ? undefined : COMMAND_OF_TASK[script.name];
  return script === null || own === undefined ? null : [...own, ...script.args];
}

function scriptOf(words: readonly string[]): { name: string; args: readonly string[] } | null {
  const [manager, ...all] = words.filter((word) => word !== "--silent");
  if (manager === "pnpm") return { name: all[0] ?? "", args: all.slice(1) };
  if (manager !== "npm") return null;
  const [name = "", ...args] = all[0] === "run" ? all.slice(1) : all;
  return { name, args: args[0] === "--" ? args.slice(1) : args };
}

/** Null where nothing is wrong. Nothing is run. */
export async function whyWrong(words: readonly string[]): Promise<string | null> {
  const [first = ""] = words;
  if (OTHER_TOOLS.includes(first)) return null;
  const args = evenbenchArguments(words);
  if (args !== null) return whyNotParsed(args);
  if (first === "npx" && TOOLS_OF_OTHER_APPS.includes(words[1] ?? "")) return null;
  if (first === "npx" && words[1] === "pnpm") return whyWrong(words.slice(1));
  if (first === "pnpm" && words[1] === "-C") return whyNoFolder(words[2]);
  const script = scriptOf(words);
  if (first === "npm" && NPM_ITSELF.includes(script?.name ?? "")) return null;
  if (script === null) return `"${first}" is no tool that these pages should need`;
  if (script.name === "turbo") return whyNoTask(script.args);
  if (!(script.name in scripts)) return `package.json has no script "${script.name}"`;
  const paths = script.args.filter((word) => word.includes("/") && !/[<>]/.test(word));
  const missing = script.name === "test" ? paths.find((path) => !isThere(path)) : undefined;
  return missing === undefined ? null : `there is no ${missing}`;
}

function whyNoFolder(folder = ""): string | null {
  return isThere(folder) ? null : `there is no ${folder}`;
}

/** What a fork removed is no mistake. */
export function isThere(path: string): boolean {
  const [, removable] = /^((?:apps|packages\/cases)\/[\w-]+)\b/.exec(path) ?? [];
  const isRemoved = removable !== undefined && !existsSync(join(repositoryRoot, removable));
  return isRemoved || existsSync(join(repositoryRoot, path));
}

function whyNoTask([task = ""]: readonly string[]): string | null {
  const { tasks } = JSON.parse(readFileSync(join(repositoryRoot, "turbo.json"), "utf8"));
  return task in tasks ? null : `turbo.json has no task "${task}"`;
}

async function whyNotParsed(args: readonly string[]): Promise<string | null> {
  const program = await createProgram({ code: 0 });
  silence(program);
  try {
    await program.parseAsync(args, { from: "user" });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? null : error.message;
  }
}

function silence(command: CommandUnknownOpts): void {
  command.action(() => {});
  command.configureOutput({ writeOut: () => {}, writeErr: () => {} });
  for (const child of command.commands) silence(child);
}
