// Two states of the repository or of a user's app: built, compared, and joined into one table of facts.
import { EVENBENCH } from "@evenbench/core/called";
import { type Reason, UsageError, UserError } from "@evenbench/core/errors";
import { repositoryRoot, version } from "@evenbench/host/repository";
import { factsOfStates, type StatePart } from "@evenbench/report";
import { askedFor } from "../asked.ts";
import { builtOfOthers } from "../build.ts";
import type { SelectionOptions } from "../options.ts";
import { sayNote } from "../say.ts";
import { chooseOfRepository, isLocal } from "../selection.ts";
import { buildBase, checkOut, isFolder, openFolder, partsOf } from "./base.ts";
import { measurePairs, type PairedTargets, type PairOptions, pairUp } from "./measure.ts";
import type { AgainstOutcome } from "./outcome.ts";
import { type OwnStates, pairsAgainst, pairsWith } from "./own.ts";

type StatesOptions = Omit<SelectionOptions, "build"> &
  OwnStates &
  Pick<PairOptions, "time" | "cold" | "memory" | "seed" | "allow" | "sameWork" | "failOn" | "limits" | "out">;

/** A path that a package manager reads from the private copy on, where the user's files are not. */
const RELATIVE_PATH = /^(?:[^/]*@)?(?:(?:file|link|portal):)?(?:\.{1,2}(?:[/\\]|$)|~)/;

/** @throws {UsageError} where a word of `--with` would be an option, or a path that the private copy does not have. */
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

/** Compares a state of a user's app with an earlier one, or with other versions of packages. */
export async function compareOwnApp(
  word: string | undefined,
  folder: string,
  options: StatesOptions,
  open: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<AgainstOutcome> {
  for (const packageSpec of options.with ?? []) {
    assertPackage(packageSpec);
  }
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

/** Compares the working copy of the repository with a commit, or with a checkout that is built. */
export async function compareInRepository(
  word: string | undefined,
  options: StatesOptions,
  open: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<AgainstOutcome> {
  if (word === undefined) {
    throw new UsageError(
      `Name what is compared with: a branch, a tag or a commit (${EVENBENCH} against main).`,
    );
  }
  const isBuilt = isFolder(word);
  const base = open.use(isBuilt ? openFolder(word) : await checkOut(word));
  const { cases, otherCaseIds, ...chosen } = await chooseOfRepository({ ...options, build: true });
  const targets = chosen.targets.filter(isLocal);
  if (!isBuilt) {
    sayNote(`Building ${base.name} ...`);
  }
  for (const name of isBuilt ? await builtOfOthers(targets, base.folder) : []) {
    sayNote(`! ${name} of ${base.name} was built of other sources than lie there. Run npm run build there.`);
  }
  const unbuilt = isBuilt ? [] : await buildBase(base, targets, signal);
  const parts = partsOf(base, repositoryRoot);
  const pairs = await pairUp(targets, cases, base.folder);
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

/** Gives the options that runs take: others have names that mean something else there. */
function termsOf(
  { time, cold, memory, seed, allow, sameWork, failOn, limits, out }: StatesOptions,
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
    ...(failOn !== undefined && { failOn }),
    ...(limits !== undefined && { limits }),
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

/** Measures the targets that differ. @param unbuilt why some could not be built before the change. */
async function measureAll(
  { changed, absent, before, after }: PairedStates,
  unbuilt: readonly Reason[],
  terms: PairOptions,
): Promise<AgainstOutcome> {
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
  return { facts, out: terms.out, unfinished: [...unbuilt, ...unfinished] };
}
