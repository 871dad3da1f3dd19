import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host";

/** A command as a reader would type it. */
export interface WrittenCommand {
  /** "docs/adding-a-case.md:12" */
  readonly place: string;
  readonly words: readonly string[];
}

/** The pages at the root that say how to work here, and those of docs/ and docs/findings/. */
export function listPages(): string[] {
  const atRoot = ["CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"];
  return [...atRoot, ...globSync("docs/{*,findings/*}.md", { cwd: repositoryRoot })].sort();
}

/**
 * Every command of a page: the lines of its blocks marked `sh`, and code in a sentence that begins with one
 * of our doors.
 */
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
  // "npm run" alone names no command.
  return codes
    .filter((code) => DOORS.test(code) && code.split(" ").length > 1)
    .flatMap(commandsOf)
    .map(withoutEllipsis);
}

/** "..." in a sentence stands for whatever else there may be. */
const withoutEllipsis = (words: readonly string[]) => words.filter((word) => word !== "...");

/** What stands between quotes is part of a word, whatever it is. */
const ONE_COMMAND = /(?:"[^"]*"|'[^']*'|[^"'&;|])+/g;
const ONE_WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
const QUOTED = /"([^"]*)"|'([^']*)'/g;

/**
 * The words of each command in a line of shell, without comments, variables set in front, and where its
 * output goes.
 */
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
