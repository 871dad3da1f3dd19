/**
 * Sequences that steer a terminal: control sequences with their end, and commands to its operating system
 * with theirs.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g;
/** Control characters but the line feed, and those that turn the direction of a text around. */
export const STEERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text of several lines that can be written to a terminal: nothing in it moves, hides, colours or turns
 * around what is shown.
 */
export function terminalText(text: string): string {
  return text.replace(SEQUENCES, "").replace(STEERING, " ");
}

/** The same as one line: what comes from data must not look like a line of ours. */
export function terminalLine(text: string): string {
  return terminalText(text).replaceAll("\n", " ");
}
