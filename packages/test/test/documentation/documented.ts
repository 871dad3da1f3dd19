import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { expect, onTestFinished } from "vitest";
import { listPages, readCommands } from "../../src/documentation/read-commands.ts";
import { type Ended, runCommand, withArguments } from "../../src/documentation/run-command.ts";
import {
  fillIn,
  readCommand,
  representatives,
  type Surroundings,
  type Way,
  waysOf,
} from "../../src/documentation/ways.ts";

/** The commands of README.md, and every study. Those of other pages are parsed only (commands.test.ts). */
export const commands = listPages()
  .flatMap(readCommands)
  .filter(({ place, words }) => place.startsWith("README.md:") || words.includes("bench:self"));

/** Those that are run in a way, for all of their kind: words of the command, its place, and its words apart. */
export function commandsOf(way: Way): (readonly [string, string, readonly string[]])[] {
  const own = commands.filter(({ words }) => waysOf(words).includes(way));
  return representatives(own).map(({ place, words }) => [words.join(" "), place, words] as const);
}

/**
 * Places below a scratch folder for what commands read and write; `results` and `claims` are to be
 * made first.
 */
export function surroundingsIn(folder: string): Omit<Surroundings, "run"> {
  return {
    results: join(folder, "results"),
    claims: join(folder, "claims"),
    out: join(folder, "out"),
  };
}

/**
 * Leaves a run of the cheapest case on all platforms, by the door: what is not installed yet is, before any
 * command has another home.
 */
export const SMALL_RUN = [
  ...["npm", "run", "bench", "--", "--no-build", "--case", "empty", "--app", "bundle"],
  ...["--time", "1s", "--trials", "2"],
];

/** By the door, what is not installed yet is; in another home it would be installed into that. */
export async function install(): Promise<void> {
  const { code, said } = await runCommand(["npm", "run", "bench", "--", "--version"], {});
  expect(code, said).toBe(0);
}

/** Runs a command that is to leave one folder in another. @returns that folder. */
export async function makeFolderIn(parent: string, command: readonly string[]): Promise<string> {
  const { code, said } = await runCommand([...command, "--out", parent], {});
  expect(code, said).toBe(0);
  const [name = ""] = (await readdir(parent)).filter((one) => !one.startsWith("."));
  return join(parent, name);
}

/** Where a command is run, when not as the page starts it in this repository. */
interface Elsewhere {
  readonly variables: Readonly<Record<string, string>>;
  /** Root of the repository in which it is typed. */
  readonly root?: string;
  /** Root of the repository whose `evenbench` it is, whoever starts it on the page. */
  readonly cliOf?: string;
}

/** Runs a command in a way, and expects it to do what it should. */
export async function expectToWork(
  way: Way,
  words: readonly string[],
  around: Surroundings,
  { variables, cliOf, root = cliOf ?? repositoryRoot }: Elsewhere,
): Promise<void> {
  const filled = fillIn(words, around);
  const { command, args } = readCommand(filled) ?? { command: "", args: [] };
  const added = way.added(command, args, around);
  const started =
    cliOf === undefined
      ? withArguments(filled, added)
      : [process.execPath, join(cliOf, "packages/cli/evenbench.ts"), ...args, ...added];
  const over = new AbortController();
  // What takes longer than a test may is not left to disturb those that follow.
  onTestFinished(() => over.abort());
  const { code, said }: Ended = await runCommand(started, variables, way.ready, root, over.signal);
  // Package managers end by the signal, too: what counts is that every process of the group has ended.
  if (way.ready) expect(said).toContain("Stopping all servers.");
  else expect(code, said).toBe(0);
  expect(said).not.toBe("");
}
