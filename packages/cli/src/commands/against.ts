import type { Command } from "@commander-js/extra-typings";
import { EVENBENCH, IN_CLONE } from "@evenbench/core/called";
import { UsageError, UserError } from "@evenbench/core/errors";
import { repositoryRoot, version } from "@evenbench/host/repository";
import type { Facts, StatePart } from "@evenbench/report";
import type { PairedTargets, PairOptions } from "../against/measure.ts";
import type { AgainstOutcome } from "../against/outcome.ts";
import { askedFor } from "../asked.ts";
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
  withLocalTargets,
  withOutcome,
} from "../options.ts";
import { addOwnAppOptions, ownAppOf } from "../own-app-options.ts";
import { namesOwnServers, withOwnServers } from "../own-server-options.ts";
import { sayNote } from "../say.ts";
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
  const whole = withOutcome(withOwnServers(withLocalTargets(own)));
  addOwnAppOptions(whole);
  return whole;
}

/**
 * Compares the working copy with another commit, or with a checkout that is built, and prints the findings. With an
 * own app it compares that app at a commit of its own repository, or with other versions of packages.
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
    const { outcome, out } =
      folder === null
        ? await compareInRepository(base, options, open, signal)
        : await ofOwnApp(base, folder, options, open, signal);
    const { printOutcome } = await import("../against/outcome.ts");
    const { code, lines } = await printOutcome(outcome, { ...options, out, signal });
    // What could not be loaded or built has failed it already.
    if (exit.code === ExitCode.done) {
      exit.code = code;
    }
    if (!signal.aborted) {
      return { facts: outcome.facts, out, lines };
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
 * Gives the folder of the user's app; null where states of the repository are compared. Outside of a clone it is the
 * current one.
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

/** A comparison that was made. */
interface ComparedPairs {
  readonly outcome: AgainstOutcome;
  /** Path of the folder of the runs. */
  readonly out: string;
}

/** A path that a package manager reads from the private copy on, where the user's files are not. */
const RELATIVE_PATH = /^(?:[^/]*@)?(?:(?:file|link|portal):)?(?:\.{1,2}(?:[/\\]|$)|~)/;

/**
 * @throws {UsageError} where a word of `--with` would be an option of the package manager, or a path from the copy
 * on.
 */
function assertPackage(packageSpec: string): void {
  if (packageSpec.startsWith("-")) {
    throw new UsageError(
      `--with takes packages, such as next@16.3.0, and ${packageSpec} would be an option of the package manager. Leave it out.`,
    );
  }
  if (RELATIVE_PATH.test(packageSpec)) {
    throw new UsageError(
      `--with is installed in a private copy, from which ${packageSpec} leads elsewhere. Give a version, such as next@16.3.0, or an absolute path.`,
    );
  }
}

async function ofOwnApp(
  word: string | undefined,
  folder: string,
  options: AgainstCommandOptions,
  open: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<ComparedPairs> {
  for (const packageSpec of options.with ?? []) {
    assertPackage(packageSpec);
  }
  const { pairsAgainst, pairsWith } = await import("../against/own.ts");
  if ((word === undefined) === (options.with === undefined)) {
    throw new UsageError(
      `Name what the app is compared with: a commit (${EVENBENCH} against main), or other versions of packages (--with next@16.3.0); not both.`,
    );
  }
  const pairs =
    word === undefined ? await pairsWith(folder, options) : await pairsAgainst(word, folder, options, open);
  const { name, ownApp, ...paired } = pairs;
  return measureAll(paired, [], { ...termsOf(options, name, [], signal), ownApp });
}

async function compareInRepository(
  word: string | undefined,
  options: AgainstCommandOptions,
  open: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<ComparedPairs> {
  if (word === undefined) {
    throw new UsageError(
      `Name what is compared with: a branch, a tag or a commit (${EVENBENCH} against main).`,
    );
  }
  const { buildBase, checkOut, isFolder, openFolder, partsOf } = await import("../against/base.ts");
  const { pairUp } = await import("../against/measure.ts");
  const { chooseOfRepository, isLocal } = await import("../selection.ts");
  const isBuilt = isFolder(word);
  const base = open.use(isBuilt ? openFolder(word) : await checkOut(word));
  const { cases, otherCaseIds, ...chosen } = await chooseOfRepository(options);
  const targets = chosen.targets.filter(isLocal);
  if (!isBuilt) {
    sayNote(`Building ${base.name} ...`);
  }
  const unbuilt = isBuilt ? [] : await buildBase(base, targets, signal);
  const parts = partsOf(base, repositoryRoot);
  const isBuiltNow = options.build !== false || haveEqualSources(parts);
  const pairs = await pairUp(targets, cases, base.folder, isBuiltNow);
  const missing = pairs.absent.filter(({ code }) => code === "one-state-only");
  if (isBuilt && pairs.changed.length === 0 && missing.length === pairs.absent.length) {
    const reasons = missing.map(({ name, quote }) => `${name}: ${quote}`);
    throw new UserError(
      `Nothing can be compared: ${reasons.join(" ")} Run npm run build in both folders first.`,
    );
  }
  const terms = termsOf(options, base.name, otherCaseIds, signal);
  return measureAll({ ...pairs, ...parts }, unbuilt, terms);
}

/** Tells whether two states are surely the same sources: one commit, and no file that is not as committed. */
function haveEqualSources({ before, after }: Pick<PairedStates, "before" | "after">): boolean {
  const isAsCommitted = before.changed === false && after.changed === false;
  return isAsCommitted && before.commit === after.commit;
}

/** Gives the options that runs take: others have names that mean something else there. */
function termsOf(
  { time, cold, memory, seed, allow, sameWork, failOn, out }: AgainstCommandOptions,
  name: string,
  otherCaseIds: readonly string[],
  signal: AbortSignal,
): PairOptions {
  return {
    ...(time !== undefined && { time }),
    ...(cold !== undefined && { cold }),
    ...(memory !== undefined && { memory }),
    ...(seed !== undefined && { seed }),
    ...(allow !== undefined && { allow }),
    ...(sameWork !== undefined && { sameWork }),
    failOn,
    out: `${out}/${name}`,
    otherCaseIds,
    signal,
  };
}

/** Targets in two states, and which states these are. */
interface PairedStates extends PairedTargets {
  readonly before: StatePart;
  readonly after: StatePart;
}

/**
 * Measures the targets that differ.
 *
 * @param unbuilt a line for each target that could not be built before the change.
 */
async function measureAll(
  { changed, absent, before, after }: PairedStates,
  unbuilt: readonly string[],
  terms: PairOptions,
): Promise<ComparedPairs> {
  const { measurePairs } = await import("../against/measure.ts");
  const { factsOfStates } = await import("@evenbench/report");
  const startedAt = new Date().toISOString();
  const { unfinished, ...measured } = await measurePairs(changed, terms);
  const { command = null, settings = null } = askedFor();
  const facts = factsOfStates({
    ...measured,
    absent: [...absent, ...measured.absent],
    before,
    after,
    asked: { startedAt, evenbench: version, command, settings },
  });
  return {
    out: terms.out,
    outcome: { facts, unfinished: [...unbuilt, ...unfinished] },
  };
}
