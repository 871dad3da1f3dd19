import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host";

/** A command as a reader would type it. */
export interface WrittenCommand {
  /** "docs/adding-a-case.md:12" */
  readonly place: string;
  readonly words: readonly string[];
}

/** The pages at the root that say how to work here, and those of docs/. */
export function listPages(): string[] {
  const atRoot = ["CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"];
  return [...atRoot, ...globSync("docs/*.md", { cwd: repositoryRoot })].sort();
}

/** Every command of a page: the lines of its blocks marked `sh`, and code in a sentence that begins with one of our doors. */
export function readCommands(page: string): WrittenCommand[] {
  const lines = readFileSync(join(repositoryRoot, page), "utf8").split("\n");
  const found: WrittenCommand[] = [];
  let block: string | null = null;
  for (const [index, line] of lines.entries()) {
    const place = `${page}:${index + 1}`;
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

/** The words of each command in a line of shell, without comments, variables set in front, and where its output goes. */
export function commandsOf(line: string): (readonly string[])[] {
  const uncommented = line.replace(/(^|\s)#.*$/, "");
  return uncommented
    .split(/&&|;|\|/)
    .map((command) => command.replace(/\s>.*$/, ""))
    .flatMap((command) => {
      const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
        ([, a, b, c]) => a ?? b ?? c ?? "",
      );
      const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
      return start === -1 ? [] : [words.slice(start)];
    });
}
