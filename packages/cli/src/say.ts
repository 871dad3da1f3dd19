// The one way out to the terminal. biome.json refuses console elsewhere in this package.
import { UsageError } from "@evenbench/core/errors";
import { CONTROL_CHARACTERS, terminalText } from "@evenbench/core/text";
import type { LeaveOut } from "@evenbench/host";

export function say(text: string): void {
  console.log(terminalText(text));
}

let quiet = false;

export function setQuiet(wanted: boolean): void {
  quiet = wanted;
}

export function isQuiet(): boolean {
  return quiet;
}

export function sayNote(text: string): void {
  if (!quiet) {
    sayAside(text);
  }
}

/** In quiet, too. */
export function sayAside(text: string): void {
  console.error(terminalText(text));
}

const namedPaths = new Set<string>();

/** Several parts of a command look for apps: each is said once. */
export const sayLeftOut: LeaveOut = ({ path, reason }) => {
  if (namedPaths.has(path)) {
    return;
  }
  namedPaths.add(path);
  sayAside(`! ${path} is left out: ${reason}`);
};

/** Its colours are ours: data has been freed of them before. */
export function sayPainted(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours begin with.
  const parts = text.split(/(\u001b\[[\d;]*m)/);
  console.log(parts.map((part, index) => (index % 2 === 1 ? part : terminalText(part))).join(""));
}

/** The same value to whoever reads it: what could steer a terminal is escaped. */
export function sayJson(value: unknown, indent?: number): void {
  if (hasLinesOfNpm(process.env) && !process.stdout.isTTY) {
    sayNote("! npm has written lines of its own before the JSON. Without them: npm run -s bench -- ...");
  }
  const escaped = JSON.stringify(value, null, indent).replace(
    CONTROL_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  console.log(escaped);
}

/** What `npm run` says on standard output, unless it is told to be silent. */
export function hasLinesOfNpm({ npm_lifecycle_event, npm_config_loglevel }: NodeJS.ProcessEnv): boolean {
  const isOurs = npm_lifecycle_event === "bench" || npm_lifecycle_event === "evenbench";
  return isOurs && npm_config_loglevel !== "silent";
}

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
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message: question, initialValue: false });
  return !isCancel(answer) && answer;
}
