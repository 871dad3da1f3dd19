import { isAbsolute, relative } from "node:path";
import type { AskedFor } from "@evenbench/results";

/** The command line of the command that runs, as its records have it. */
let asked: AskedFor = {};

/** Keeps the words of the command that begins. */
export function keepWords(command: readonly string[]): void {
  asked = { command };
}

/** Keeps other words for what the command that runs does: those that mean the same wherever they are typed. */
export function replaceWords(command: readonly string[]): void {
  asked = { ...asked, command };
}

/** Keeps which settings file counts beside the words. */
export function keepSettings(settings: NonNullable<AskedFor["settings"]>): void {
  asked = { ...asked, settings: { ...settings, file: recordedFile(settings.file) } };
}

/** Gives the command line of the command that runs, for its records; empty where a program has called it. */
export function askedFor(): AskedFor {
  return asked;
}

/** Gives a path as records have it: from the folder where it was typed, since an absolute one may name a user. */
export function recordedFile(path: string): string {
  return isAbsolute(path) ? relative(process.cwd(), path) || "." : path;
}
