import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { digestOfDirectory } from "@evenbench/bundle";
import { UserError } from "@evenbench/core";
import { gitEnvironment } from "@evenbench/host";
import type { OwnAppRecord } from "@evenbench/results";
import { isOfPlatform, type LocalTarget } from "@evenbench/runner";
import { type BuildAppOptions, type BuiltApp, buildApp, reasonsOf, recordOf } from "../own-app.ts";
import { checkOut, isFolder, openFolder } from "./base.ts";
import { assertRepository, type Git } from "./find-commit.ts";
import type { Pair, PairedTargets } from "./measure.ts";

/** Two states of a user's app, built. */
export interface OwnPairs extends PairedTargets {
  /** How the earlier state is called in files' names, such as the first letters of a commit. */
  readonly name: string;
  /** The app and its earlier state, for the records of runs. */
  readonly ownApp: OwnAppRecord;
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
    return namedPairs(base.name, states, folder, options, { base: ref, withPackages: [] });
  }
  const root = await repositoryOf(app);
  const base = open.use(await checkOut(ref, root));
  const place = relative(root, app);
  if (!existsSync(join(base.folder, place))) {
    throw new UserError(`The commit ${base.name} has no folder ${place}. Name a later commit.`);
  }
  const states = await pairUpStates(join(base.folder, place), app, options, options);
  return namedPairs(base.name, states, folder, options, { base: base.name, withPackages: [] });
}

/** Builds a user's app as it is, and with other versions of packages. */
export async function pairsWith(folder: string, options: OwnStates): Promise<OwnPairs> {
  const { with: packages = [], ...asItIs } = options;
  const name = packages.join("-").replace(/[^\w.@-]+/g, "-");
  const states = await pairUpStates(folder, folder, asItIs, options);
  return namedPairs(name, states, folder, options, { base: null, withPackages: packages });
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
  options: OwnStates,
  against: NonNullable<OwnAppRecord["against"]>,
): OwnPairs {
  return { ...pairs, name, ownApp: { ...recordOf(head, folder, options), against } };
}

/** Two states of a user's app, in pairs. */
interface PairedStates extends PairedTargets {
  /** The later state. */
  readonly head: BuiltApp;
}

async function repositoryOf(folder: string): Promise<string> {
  const env = { ...gitEnvironment(), LC_ALL: "C" };
  const git: Git = async (...args) =>
    (await promisify(execFile)("git", args, { cwd: folder, env })).stdout.trim();
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
  const equal: string[] = [];
  const casesOfOneState: string[] = [];
  for (const target of head.targets) {
    const { name } = target;
    const other = base.targets.find((candidate) => candidate.name === name);
    if (other === undefined) {
      const why = base.app.refusals.find(({ platform }) => platform === name)?.why ?? "It is not built.";
      casesOfOneState.push(`${name} is not there before the change: ${why}`);
    } else if (haveEqualVariables && (await areEqual(other, target))) {
      equal.push(name);
    } else {
      changed.push({
        name,
        base: { ...other, name: `${name}.base` },
        head: { ...target, name: `${name}.head` },
        cases: head.requests.cases,
      });
    }
  }
  for (const platform of ofAfter.on ?? []) {
    const refused = [base, head].map(({ app }) =>
      app.refusals.find((refusal) => refusal.platform === platform),
    );
    if (refused.every((refusal) => refusal !== undefined)) {
      casesOfOneState.push(`${platform} is left out of both states: ${refused[1]?.why}`);
    }
  }
  const gone = base.targets.filter(({ name }) => !head.targets.some((target) => target.name === name));
  for (const { name } of gone) {
    const why = head.app.refusals.find(({ platform }) => platform === name)?.why ?? "It is not built.";
    casesOfOneState.push(`${name} is not there after the change: ${why}`);
  }
  return { changed, equal, casesOfOneState, head };
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
