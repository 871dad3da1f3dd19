// The one way out to the terminal. biome.json refuses console elsewhere in this package.
import { UsageError } from "@evenbench/core/errors";
import { CONTROL_CHARACTERS, terminalText } from "@evenbench/core/text";
import type { LeaveOut } from "@evenbench/host";

/** Prints a text to stdout. Control characters are replaced, since parts of it may be of others. */
export function say(text: string): void {
  console.log(terminalText(text));
}

/** Prints a note to stderr: results alone go to stdout. On a terminal no word is cut in two by its edge. */
export function sayNote(text: string): void {
  const { isTTY, columns } = process.stderr;
  const safe = terminalText(text);
  console.error(isTTY && columns > 0 ? brokenAtBlanks(safe, columns) : safe);
}

/** The text in lines of at most so many columns, but for words that are longer. */
function brokenAtBlanks(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => line.replace(new RegExp(`(?=.{${columns + 1}})(.{1,${columns}}) `, "gu"), "$1\n"))
    .join("\n");
}

/** Paths that `sayLeftOut` has printed. */
const namedPaths = new Set<string>();

/** Prints a definition that was left out, once: several parts of a command look for apps. */
export const sayLeftOut: LeaveOut = ({ path, reason }) => {
  if (namedPaths.has(path)) {
    return;
  }
  namedPaths.add(path);
  sayNote(`! ${path} is left out: ${reason}`);
};

/** Prints a text with Evenbench's own ANSI colours to stdout. Data in it must have been freed of colours before. */
export function sayPainted(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours begin with.
  const parts = text.split(/(\u001b\[[\d;]*m)/);
  console.log(parts.map((part, index) => (index % 2 === 1 ? part : terminalText(part))).join(""));
}

/** Prints a value as JSON to stdout. Characters that could steer a terminal are escaped. */
export function sayJson(value: unknown, indent?: number): void {
  noteLinesOfNpm();
  const escaped = JSON.stringify(value, null, indent).replace(
    CONTROL_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  console.log(escaped);
}

/** Prints a text that is pasted or piped elsewhere, to stdout. */
export function sayForOthers(text: string): void {
  noteLinesOfNpm();
  say(text);
}

/** Says that npm has written to stdout, where that goes to a program or a file. */
function noteLinesOfNpm(): void {
  if (hasLinesOfNpm(process.env) && !process.stdout.isTTY) {
    const manager = managerOf(process.env);
    sayNote(
      `! ${manager} has written lines of its own before it. Without them: ${manager} run -s bench -- ...`,
    );
  }
}

/** Gives the package manager that started this script, by how it names itself: "pnpm/10.34.9 npm/? node/v20.20.2". */
function managerOf({ npm_config_user_agent: named = "" }: NodeJS.ProcessEnv): string {
  return /^(\w+)\//.exec(named)?.[1] ?? "npm";
}

/** Tells whether `npm run` writes lines of its own to stdout: it does, unless it is told to be silent. */
export function hasLinesOfNpm({ npm_lifecycle_event, npm_config_loglevel }: NodeJS.ProcessEnv): boolean {
  const isOurs = npm_lifecycle_event === "bench" || npm_lifecycle_event === "evenbench";
  return isOurs && npm_config_loglevel !== "silent";
}

/**
 * Shows what is about to be done, and asks whether to do it, unless the user has agreed already (`yes`).
 *
 * @throws {UsageError} without a terminal to ask in.
 */
export async function confirmLines(
  question: string,
  lines: readonly string[],
  yes: boolean,
): Promise<boolean> {
  for (const line of lines) {
    say(`  ${line}`);
  }
  if (yes) {
    return true;
  }
  if (!process.stdin.isTTY) {
    throw new UsageError(
      "Nothing was done: there is no terminal to confirm in. Pass --yes to do what is listed above.",
    );
  }
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D answer no.
  const closed = new AbortController();
  terminal.once("SIGINT", () => closed.abort()).once("close", () => closed.abort());
  try {
    const answer = await terminal.question(`${terminalText(question)} (y/N) `, { signal: closed.signal });
    return /^\s*y(?:es)?\s*$/i.test(answer);
  } catch (error) {
    if (!closed.signal.aborted) {
      throw error;
    }
    return false;
  } finally {
    terminal.close();
  }
}
