import type { Command } from "@commander-js/extra-typings";
import { EVENBENCH, IN_CLONE } from "@evenbench/core/called";
import { UsageError } from "@evenbench/core/errors";
import type { Facts } from "@evenbench/report";
import { ExitCode, exit, interruptible } from "../exit.ts";
import { withExamples } from "../help.ts";
import type { JudgedLine } from "../limits.ts";
import { collectNames } from "../option-values.ts";
import {
  type None,
  type OptionsOf,
  type OwnAppOptions,
  STATES_FOLDER,
  shared,
  withNames,
  withOutcome,
} from "../options.ts";
import { addOwnAppOptions, ownAppOf } from "../own-app-options.ts";
import { namesOwnServers, withOwnServers } from "../own-server-options.ts";
import type { FileOptions } from "../settings-values.ts";

export type AgainstCommandOptions = OptionsOf<typeof declare> & Omit<OwnAppOptions, "build"> & FileOptions;

/** Marks the command as one of the published package, too. */
export const worksOutside = true;

/** Declares the command `against`. */
export function declare(program: Command) {
  const command = program
    .command("against")
    .helpGroup("Compare a change:")
    .description(
      "compare the working copy with another commit: build and serve both, and measure them in turns",
    )
    .argument("[base]", "a branch, a tag or a commit; or a checkout that is built, such as ../before");
  return withExamples(
    withStates(command),
    [
      "npm run bench -- against main --case react-ssr",
      "your change against the branch main, on one case",
      "clone",
    ],
    ['npm run bench -- against HEAD --fail-on "slower 5%"', "what is not committed yet, as a check", "clone"],
    [
      "npm run bench -- against main --own-app ../my-app --path /api/hello",
      "your own app, of its own repository",
    ],
    [
      "npm run bench -- against --with next@16.3.0 --own-app ../my-app --path /",
      "your own app with another version of a package",
    ],
  );
}

/** Adds the options of comparing two states. */
export function withStates<A extends unknown[], O extends None, G extends None>(command: Command<A, O, G>) {
  const own = command
    .addOption(shared.cases())
    .addOption(shared.time("case", " (default: what it takes to be warm)"))
    .addOption(shared.cold())
    .addOption(shared.memory())
    .addOption(shared.seed())
    .addOption(shared.allow())
    .option(
      "--with <package...>",
      "your own app with other versions of packages, such as next@16.3.0, against the app as it is",
      collectNames,
    )
    .addOption(shared.out("folder for the runs, by commit", STATES_FOLDER));
  const whole = withOutcome(withOwnServers(withNames(own)));
  addOwnAppOptions(whole);
  return whole;
}

/**
 * Compares the working copy, or an own app, with another commit, a checkout, or other packages, and prints the
 * findings.
 */
export default async function against(
  word: string | undefined,
  options: AgainstCommandOptions,
): Promise<void> {
  await compareStates(word, options);
}

/** What a comparison of states found. */
export interface ComparedStates {
  readonly facts: Facts;
  /** Path of the folder of the runs. */
  readonly out: string;
  /** Why conditions are met or cannot be ruled out. */
  readonly lines: readonly JudgedLine[];
}

/** Compares states, prints the findings, and sets the exit code. @returns null where that was interrupted. */
export async function compareStates(
  word: string | undefined,
  options: AgainstCommandOptions,
): Promise<ComparedStates | null> {
  const folder = ownAppIn(options);
  const base = word ?? (options.with === undefined ? options.base : undefined);
  const signal = interruptible();
  try {
    await using open = new AsyncDisposableStack();
    const { compareInRepository, compareOwnApp } = await import("../against/states.ts");
    const outcome =
      folder === null
        ? await compareInRepository(base, options, open, signal)
        : await compareOwnApp(base, folder, options, open, signal);
    const { printOutcome } = await import("../against/outcome.ts");
    const { code, lines } = await printOutcome(outcome, { ...options, signal });
    // What could not be loaded or built has failed it already.
    if (exit.code === ExitCode.done) {
      exit.code = code;
    }
    if (!signal.aborted) {
      return { ...outcome, lines };
    }
  } catch (error) {
    // What was cut off has failed, too.
    if (!signal.aborted) {
      throw error;
    }
  }
  exit.code = ExitCode.interrupted;
  return null;
}

/**
 * Gives the folder of the user's app, outside of a clone the current one; null where states of the repository are
 * compared.
 */
function ownAppIn(options: AgainstCommandOptions): string | null {
  const { target, with: packages } = options;
  const folder = ownAppOf(options);
  if (folder !== null) {
    return folder;
  }
  if (target !== undefined && namesOwnServers(options)) {
    throw new UsageError(
      `\`against\` builds and starts both sides, so it takes no --target of your own. Name the app's folder, and how it starts: ${EVENBENCH} against main --own-app . --start "npm start" --path /`,
    );
  }
  if (!IN_CLONE) {
    return ".";
  }
  if (packages !== undefined || namesOwnServers(options)) {
    throw new UsageError("Name the folder of your app, too: --own-app ../my-app.");
  }
  return null;
}
