// Kept libraries were looked at first. @bomb.sh/tab 0.0.22 knows no default command and no option that takes
// several words, offers no files, asks for no names later than at its start, and its script for bash needs a
// package of functions beside bash.
import type { Argument, Command, Option } from "commander";
import { namesFor } from "./names.ts";
import { placeOf } from "./place.ts";

/** What the word under the cursor may become. */
export interface Candidate {
  readonly word: string;
  /** "" where there is nothing to say. */
  readonly about: string;
}

/**
 * What the last of some words may become. Nothing is built for it. None where nothing is known: shells then
 * offer files.
 *
 * @param words those behind `evenbench`, the last one as far as it is written.
 */
export async function candidates(program: Command, words: readonly string[]): Promise<readonly Candidate[]> {
  const place = placeOf(program, words);
  const { current } = place;
  if (place.option !== null) return startingWith(current, await valuesOf(place.option), place.before);
  if (current.startsWith("-")) return startingWith(current, optionsOf(program, place.command));
  if (!place.isChosen) return startingWith(current, commandsOf(place.isNamed ? place.command : program));
  const argument = argumentAt(place.command, place.operands);
  return argument === null ? [] : startingWith(current, await valuesOf(argument, place.command));
}

/** @param before what of the word stays as it is, such as "a," of "a,b". */
function startingWith(current: string, all: readonly Candidate[], before = ""): readonly Candidate[] {
  return all
    .map(({ word, about }) => ({ word: `${before}${word}`, about }))
    .filter(({ word }) => word.startsWith(current));
}

function commandsOf(parent: Command): readonly Candidate[] {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .map((command) => ({ word: command.name(), about: command.description() }));
}

function optionsOf(program: Command, command: Command): readonly Candidate[] {
  const help = program.createHelp();
  const all = [...help.visibleOptions(command), ...help.visibleOptions(program)];
  const longs = new Map(all.map(({ long, description }) => [long ?? "", description]));
  return [...longs].map(([word, about]) => ({ word, about }));
}

/** The last argument may take several words. */
function argumentAt({ registeredArguments: all }: Command, index: number): Argument | null {
  const last = all.at(-1);
  return all[index] ?? (last?.variadic ? last : null);
}

async function valuesOf(taker: Option | Argument, command?: Command): Promise<readonly Candidate[]> {
  const values = taker.argChoices ?? (await namesFor(taker, command));
  return values.map((word) => ({ word, about: "" }));
}
