/** Its message says what, why and what next, and is printed without a stack. */
export class UserError extends Error {}

/** A command line that is wrong: exit code 2. */
export class UsageError extends UserError {}

/** Of keys from outside: nothing is found under "constructor", and "__proto__" is a key like any other. */
export function openRecord<T>(entries: Iterable<readonly [string, T]> = []): Record<string, T> {
  const record: Record<string, T> = Object.create(null);
  for (const [key, value] of entries) {
    record[key] = value;
  }
  return record;
}

/** @returns undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Steer a terminal: control sequences, and commands to its operating system, with their ends. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g;
/** Control characters but the line feed, and those that turn the direction of a text around. */
export const CONTROL_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function terminalText(text: string): string {
  return text.replace(SEQUENCES, "").replace(CONTROL_CHARACTERS, " ");
}

/** The same as one line: what comes from data must not look like a line of ours. */
export function terminalLine(text: string): string {
  return terminalText(text).replaceAll("\n", " ");
}

/** What cannot be seen, or acts upon a terminal; and "!", which shells expand. */
const NOT_PRINTABLE = /[\p{C}\u2028\u2029!]/gu;

/** For bash and zsh: it stays one word, and nothing in it is carried out. */
export function shellWord(word: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word)) {
    return word;
  }
  if (!/[\p{C}\u2028\u2029]/u.test(word)) {
    return `'${word.replaceAll("'", "'\\''")}'`;
  }
  const octal = (character: string) =>
    [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  return `$'${word.replace(/[\\']/g, "\\$&").replace(NOT_PRINTABLE, octal)}'`;
}

export function shellOption(name: string, value: string): string {
  return `${name}${value.startsWith("-") ? "=" : " "}${shellWord(value)}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1000) {
    return `${Math.round(ms)} ms`;
  }
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) {
    return `${seconds} s`;
  }
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? "" : ` ${rest} s`}`;
}

export function messageOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}
