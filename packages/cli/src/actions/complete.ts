import type { Command } from "commander";
import { candidates } from "../completion/candidates.ts";
import { say } from "../say.ts";

/** Prints what the last word may become: a line each, with a space and what it is behind it where that is known. */
export async function completeCommand(program: Command, words: readonly string[]): Promise<void> {
  for (const { word, about } of await candidates(program, words)) say(`${word} ${about}`.trimEnd());
}
