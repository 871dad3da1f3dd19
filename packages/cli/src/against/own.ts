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
 * Builds a user's app as it was at a commit, or in a checkout's folder, and as it is.
 *
 * @param ref a branch, a tag, a commit of the app's own repository, or a folder with a checkout.
 * @param open gets the worktree, which is gone when it is disposed of; no server's files lie in it.
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
  const root = isFolder(ref) ? app : await repositoryOf(app);
  const base = open.use(isFolder(ref) ? openFolder(ref) : await checkOut(ref, root));
  const place = relative(root, app);
  const before = join(base.folder, place);
  if (!existsSync(before)) {
    throw new UserError(`The commit ${base.name} has no folder ${place}. Name a later commit.`);
  }
  const states = await pairUpStates(before, app, folder, options);
  return { ...partsOf(base, app), ...states, name: base.name };
}

/** Builds a user's app as it is, and with other versions of packages. */
export async function pairsWith(folder: string, options: OwnStates): Promise<OwnPairs> {
  const { with: packages = [] } = options;
  const name = packages.join("-").replace(/[^\w.@-]+/g, "-");
  const states = await pairUpStates(folder, folder, folder, options);
  const before = stateOf(folder, "as it is");
  return { ...states, name, before, after: { ...before, id: `with ${packages.join(" ")}` } };
}

async function repositoryOf(folder: string): Promise<string> {
  const git = gitIn(folder);
  await assertRepository(git);
  return realpath(await git("rev-parse", "--show-toplevel"));
}

/** Builds both states, each with its own files of variables; those in no repository are the later state's for both. */
async function pairUpStates(
  before: string,
  after: string,
  typedFolder: string,
  options: OwnStates,
): Promise<Pick<OwnPairs, "changed" | "absent" | "ownApp">> {
  const base = await buildApp(before, options, { label: "before", variablesOf: [after] });
  const head = await buildApp(after, options, { label: "after", withPackages: options.with ?? [] });
  assertSome(base, "before");
  assertSome(head, "after");
  const haveEqualVariables = isDeepStrictEqual({ ...base.app.variables }, { ...head.app.variables });
  const changed: Pair[] = [];
  const absent: AbsentPair[] = [];
  const names = [...head.targets, ...base.targets].map(({ name }) => name);
  for (const name of new Set([...names, ...(options.on ?? [])])) {
    const earlier = stateOn(name, base);
    const later = stateOn(name, head);
    const known = later.target ?? earlier.target;
    if (known === undefined) {
      absent.push({ name, spoken: name, code: "not-built", quote: later.why });
    } else if (earlier.target === undefined || later.target === undefined) {
      const [when, why] = earlier.target === undefined ? ["before", earlier.why] : ["after", later.why];
      const quote = `It is not there ${when} the change: ${why}`;
      absent.push({ ...namedAs(known), code: "one-state-only", quote });
    } else if (haveEqualVariables && (await areEqual(earlier.target, later.target))) {
      absent.push({ ...namedAs(known), code: "equal-builds", quote: null });
    } else {
      changed.push(pairOf(earlier.target, later.target, head.requests.cases));
    }
  }
  return { changed, absent, ownApp: recordOf(head, typedFolder) };
}

/** Finds a state's target on a platform, or why there is none. */
function stateOn(name: string, { app, targets }: BuiltApp) {
  const why = app.refusals.find(({ platform }) => platform === name)?.why ?? "It is not built.";
  return { target: targets.find((target) => target.name === name), why };
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
