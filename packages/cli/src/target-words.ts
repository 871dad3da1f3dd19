// The words of --target: names, URLs, and commands of a user's own.
import { collectNames } from "./option-values.ts";

/** Tells whether a word of `--target` has a command. */
export function isCommand(word: string): boolean {
  return commandOf(word) !== null;
}

/** Takes "name=cmd: node server.js" apart; null for a word that names no command. */
export function commandOf(word: string): { readonly name: string; readonly command: string } | null {
  const [, name, command] = /^([^=,]*)=\s*cmd:\s*(.*?)\s*$/s.exec(word) ?? [];
  return name === undefined || command === undefined ? null : { name, command };
}

/** Collects the words of `--target`. A command may have commas; other words are lists of names. */
export function collectTargets(text: string, before: readonly string[] = []): readonly string[] {
  if (commandOf(text) !== null) {
    return [...before, text];
  }
  return collectNames(text, before);
}
