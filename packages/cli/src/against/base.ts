import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import { quotedLines, type Reason, UserError } from "@evenbench/core";
import { readSource, repositoryRoot, runProgram, scratchFolder } from "@evenbench/host";
import { listed } from "@evenbench/page";
import type { StatePart } from "@evenbench/report";
import type { LocalTarget } from "@evenbench/runner";
import { buildPackageOf } from "../build.ts";
import { sayNote } from "../say.ts";
import { findCommit, gitIn, reasonOfGit } from "./find-commit.ts";

/** Number of a failed build's last lines that are shown. */
const SHOWN_LINES = 20;
/** A folder of which no commit is known. */
const NO_SOURCE = { commit: null, changed: null } as const;
/** The program of a checkout that builds. */
const BUILD_DOOR = "packages/setup/start.mjs";

/** A checkout that a working copy is compared with. Disposing of it removes what was made for it. */
export interface Base extends AsyncDisposable {
  /** Absolute path of the checkout. */
  readonly folder: string;
  /** The name in texts and in names of files. */
  readonly name: string;
  /** Its commit; null where that is not known. */
  readonly commit: string | null;
  /** true where files are not as committed; null where that is not known. */
  readonly changed: boolean | null;
}

/** Describes a state in a folder of the user's. @param id how it is called. */
export function stateOf(folder: string, id: string): StatePart {
  const { commit, changed } = readSource(folder) ?? NO_SOURCE;
  return { id, commit, changed };
}

/** Describes a checkout, and the working copy that it is compared with. */
export function partsOf(
  { name, commit, changed }: Base,
  workingCopy: string,
): { readonly before: StatePart; readonly after: StatePart } {
  return { before: { id: name, commit, changed }, after: stateOf(workingCopy, "working copy") };
}

/** Tells whether a word is a folder: no name of a commit begins so. */
export function isFolder(word: string): boolean {
  return word.startsWith(".") || isAbsolute(word);
}

/**
 * Takes a checkout that the user built, which stays as it is.
 *
 * @throws {UserError} where there is no such folder.
 */
export function openFolder(word: string): Base {
  const folder = resolve(word);
  if (existsSync(folder)) {
    const { id: name, ...source } = stateOf(folder, basename(folder));
    return { folder, name, ...source, async [Symbol.asyncDispose]() {} };
  }
  throw new UserError(`There is no folder ${folder}. Name a checkout that is built (npm run build).`);
}

/** Puts a commit's files into a folder outside of the repository. @throws {UserError} with git's reason. */
export async function checkOut(ref: string, root = repositoryRoot): Promise<Base> {
  const git = gitIn(root);
  const { commit, foundAs } = await findCommit(ref, git);
  if (foundAs !== null) {
    sayNote(`git knows no "${ref}" here, so ${foundAs} is taken.`);
  }
  const name = commit.slice(0, 12);
  const place = await scratchFolder("against");
  const folder = join(await realpath(place.path), "base");
  const dispose = async () => {
    await git("worktree", "remove", "--force", folder).catch(() => {});
    await place[Symbol.asyncDispose]().then(undefined, (error: NodeJS.ErrnoException) =>
      sayNote(`! ${place.path} is left behind: it cannot be removed (${error.code}). Remove it yourself.`),
    );
    await git("worktree", "prune").catch((error: unknown) =>
      sayNote(
        `! git may still list ${folder} (${reasonOfGit(error)}). Run \`git worktree prune\` in ${root} yourself.`,
      ),
    );
  };
  try {
    await git("worktree", "add", "--quiet", "--detach", folder, commit);
    await addSubmodules(root, folder);
  } catch (error) {
    await dispose();
    throw new UserError(`git cannot check out ${name} into ${folder}: ${reasonOfGit(error)}.`);
  }
  return { folder, name, commit, changed: false, [Symbol.asyncDispose]: dispose };
}

/**
 * Puts a checkout's submodules into it, which git leaves empty, from the user's own folder; those not checked out there
 * stay empty.
 */
async function addSubmodules(own: string, folder: string): Promise<void> {
  const git = gitIn(folder);
  const listed = await git("config", "--file", ".gitmodules", "--get-regexp", "\\.path$").catch(() => "");
  const paths = listed.split("\n").map((line) => line.slice(line.indexOf(" ") + 1));
  for (const path of paths.filter((name) => name !== "" && existsSync(join(own, name, ".git")))) {
    const from = join(own, path);
    const to = join(folder, path);
    const commit = await git("rev-parse", "--verify", `HEAD:${path}`);
    await git("clone", "--quiet", "--shared", "--no-checkout", from, to);
    await gitIn(to)("checkout", "--quiet", "--detach", commit);
    await addSubmodules(from, to);
  }
}

/**
 * Builds targets in a checkout. When this has thrown, nothing writes there any more.
 *
 * @returns why targets are not measured that failed, if others were built.
 */
export async function buildBase(
  { folder, name }: Base,
  targets: readonly LocalTarget[],
  signal: AbortSignal,
): Promise<readonly Reason[]> {
  if (!existsSync(join(folder, BUILD_DOOR))) {
    throw new UserError(
      `Commit ${name} has no ${BUILD_DOOR}, by which it would be built. Name a later commit, or give a checkout of it that is built, such as ../before.`,
    );
  }
  const there = targets.filter((target) =>
    existsSync(join(folder, buildPackageOf(target).folder, "package.json")),
  );
  if (there.length === 0) {
    return [];
  }
  signal.throwIfAborted();
  const filters = new Set(there.map((target) => `--filter=${buildPackageOf(target).name}`));
  const { failure, output } = await runProgram({
    command: [process.execPath, BUILD_DOOR, "build", ...filters, "--continue", "--output-logs=errors-only"],
    cwd: folder,
    signal,
  });
  signal.throwIfAborted();
  const missing = there.filter((target) => !existsSync(deployableIn(folder, target)));
  if (failure === null || missing.length === 0) {
    return [];
  }
  const last = output.trim().split("\n").slice(-SHOWN_LINES);
  const quotes = [quotedLines("The last lines of the build:", last)];
  if (missing.length === there.length) {
    throw new UserError(`Commit ${name} could not be built.`, quotes);
  }
  const names = listed(missing.map((target) => target.name));
  return [{ message: `Not measured: ${names}, since building commit ${name} failed.`, quotes }];
}

/** Gives the place of a target's deployable in another checkout of the repository. */
export function deployableIn(folder: string, { deployable }: LocalTarget): string {
  return join(folder, relative(repositoryRoot, deployable));
}
