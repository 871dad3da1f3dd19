/** Control sequences of a terminal, and commands to its operating system (ECMA-48), each with its end. */
const CONTROL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g;

/** Control characters except the line feed, and characters that turn the direction of a text around. */
export const CONTROL_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The beginning of a command to the runner of a CI, which GitHub's and Azure's find anywhere in a line. */
const RUNNER_COMMANDS = /##(?=\[|vso\[)/g;

/**
 * Makes a text of others safe to print: control sequences are removed, control characters become blanks, and commands to
 * the runner of a CI are broken.
 */
export function terminalText(text: string): string {
  return text.replace(CONTROL_SEQUENCES, "").replace(CONTROL_CHARACTERS, " ").replace(RUNNER_COMMANDS, "# #");
}

/** Makes a text of others safe to print within one line, so that no part of it looks like a line of Evenbench. */
export function terminalLine(text: string): string {
  return terminalText(text).replaceAll("\n", " ");
}

/** Writes lines of others below a line that says what they are: "The last lines of its output:". */
export function quotedLines(what: string, lines: readonly string[]): string {
  return [what, ...lines.map((line) => `  | ${line}`)].join("\n");
}

/** Formats a duration in milliseconds: "850 ms", "12 s", "1 min", "1 min 32 s". */
export function formatDuration(ms: number): string {
  if (ms < 999.5) {
    return `${Math.round(ms)} ms`;
  }
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}
