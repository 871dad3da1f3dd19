import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { digestOfDirectory } from "@evenbench/bundle";
import { UserError } from "@evenbench/core";
import type { AbsentPair, StatePart } from "@evenbench/report";
import type { OwnAppRecord } from "@evenbench/results";
import { isOfPlatform, type LocalTarget } from "@evenbench/runner";
import { type BuiltApp, reasonsOf } from "../app-words.ts";
import { type BuildAppOptions, buildApp, recordOf } from "../own-app.ts";
import { checkOut, isFolder, openFolder, partsOf, stateOf } from "./base.ts";
import { assertRepository, gitIn } from "./find-commit.ts";
import { namedAs, type Pair, type PairedTargets, pairOf } from "./measure.ts";

/** Two states of a user's app, built. */
export interface OwnPairs extends PairedTargets {
  /** How the earlier state is called in files' names, such as the first letters of a commit. */
  readonly name: string;
  /** The app and its earlier state, for the records of runs. */
  readonly ownApp: OwnAppRecord;
  readonly before: StatePart;
  readonly after: StatePart;
}

/** Options of the two states of a user's app. */
export interface OwnStates extends BuildAppOptions {
  /** Packages in other versions, such as "next@16.3.0". The earlier state is the app as it is. Default: none. */
  readonly with?: readonly string[];
}

/**
 * Builds a user's app as it was at a commit of its own repository, and as it is.
 *
 * @param ref a branch, a tag, a commit, or a folder with a checkout.
 * @param open gets the worktree, which is gone when it is disposed of; the servers' files do not lie in it.
 * @throws {UserError} with git's reason, or where a state can be built for no platform.
 */
export async function pairsAgainst(
  ref: string,
  folder: string,
  options: OwnStates,
  open: AsyncDisposableStack,
): Promise<OwnPairs> {
  const app = await realpath(resolve(folder)).catch(() => {
    throw new UserError(`There is no folder ${resolve(folder)}. Give the folder of your app.`);
  });
  if (isFolder(ref)) {
    const base = open.use(openFolder(ref));
    const states = await pairUpStates(base.folder, app, options, options);
    const parts = partsOf(base, app);
    return { ...parts, ...namedPairs(base.name, states, folder) };
  }
  const root = await repositoryOf(app);
  const base = open.use(await checkOut(ref, root));
  const place = relative(root, app);
  if (!existsSync(join(base.folder, place))) {
    throw new UserError(`The commit ${base.name} has no folder ${place}. Name a later commit.`);
  }
  const states = await pairUpStates(join(base.folder, place), app, options, options);
  const parts = partsOf(base, app);
  return {
    ...parts,
    ...namedPairs(base.name, states, folder),
  };
}

/** Builds a user's app as it is, and with other versions of packages. */
export async function pairsWith(folder: string, options: OwnStates): Promise<OwnPairs> {
  const { with: packages = [], ...asItIs } = options;
  const name = packages.join("-").replace(/[^\w.@-]+/g, "-");
  const states = await pairUpStates(folder, folder, asItIs, options);
  const asIs = stateOf(folder, "as it is");
  const parts = { before: asIs, after: { ...asIs, id: `with ${packages.join(" ")}` } };
  return { ...parts, ...namedPairs(name, states, folder) };
}

/**
 * Adds to two states what files and records call them.
 *
 * @param folder the app's folder as it was typed.
 */
function namedPairs(
  name: string,
  { head, ...pairs }: PairedStates,
  folder: string,
): Omit<OwnPairs, "before" | "after"> {
  return { ...pairs, name, ownApp: recordOf(head, folder) };
}

/** Two states of a user's app, in pairs. */
interface PairedStates extends PairedTargets {
  /** The later state. */
  readonly head: BuiltApp;
}

async function repositoryOf(folder: string): Promise<string> {
  const git = gitIn(folder);
  await assertRepository(git);
  return realpath(await git("rev-parse", "--show-toplevel"));
}

/**
 * Each state has its own files of variables, as far as a commit has them. Those that are in no repository are the later
 * state's for both.
 */
async function pairUpStates(
  before: string,
  after: string,
  ofBefore: OwnStates,
  ofAfter: OwnStates,
): Promise<PairedStates> {
  const base = await buildApp(before, ofBefore, { label: "before", variablesOf: [after] });
  const head = await buildApp(after, ofAfter, { label: "after", withPackages: ofAfter.with ?? [] });
  assertSome(base, "before");
  assertSome(head, "after");
  const haveEqualVariables = isDeepStrictEqual({ ...base.app.variables }, { ...head.app.variables });
  const changed: Pair[] = [];
  const absent: AbsentPair[] = [];
  for (const target of head.targets) {
    const { name } = target;
    const other = base.targets.find((candidate) => candidate.name === name);
    if (other === undefined) {
      const why = base.app.refusals.find(({ platform }) => platform === name)?.why ?? "It is not built.";
      const quote = `It is not there before the change: ${why}`;
      absent.push({ ...namedAs(target), code: "one-state-only", quote });
    } else if (haveEqualVariables && (await areEqual(other, target))) {
      absent.push({ ...namedAs(target), code: "equal-builds", quote: null });
    } else {
      changed.push(pairOf(other, target, head.requests.cases));
    }
  }
  for (const platform of ofAfter.on ?? []) {
    const refused = [base, head].map(({ app }) =>
      app.refusals.find((refusal) => refusal.platform === platform),
    );
    if (refused.every((refusal) => refusal !== undefined)) {
      absent.push({
        name: platform,
        spoken: platform,
        code: "not-built",
        quote: refused[1]?.why ?? null,
      });
    }
  }
  const gone = base.targets.filter(({ name }) => !head.targets.some((target) => target.name === name));
  for (const target of gone) {
    const refusal = head.app.refusals.find(({ platform }) => platform === target.name);
    const quote = `It is not there after the change: ${refusal?.why ?? "It is not built."}`;
    absent.push({ ...namedAs(target), code: "one-state-only", quote });
  }
  return { changed, absent, head };
}

function assertSome({ app, targets }: BuiltApp, state: string): void {
  if (targets.length > 0) {
    return;
  }
  throw new UserError(`Nothing can be compared: ${state} the change no platform is left. ${reasonsOf(app)}`);
}

/** Tells whether two states are equal byte for byte. What a command serves is not known, so it counts as different. */
async function areEqual(base: LocalTarget, head: LocalTarget): Promise<boolean> {
  const isCommand = (target: LocalTarget) => target.ownServer?.facts.command != null;
  if (!isOfPlatform(base) || isCommand(base) || isCommand(head)) {
    return false;
  }
  const [before, after] = await Promise.all(
    [base, head].map(({ deployable }) => digestOfDirectory(deployable)),
  );
  return before === after;
}
