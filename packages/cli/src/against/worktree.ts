import { execFile } from "node:child_process";
import { realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { UserError } from "@evenbench/core";
import { gitEnvironment, repositoryRoot, scratchFolder } from "@evenbench/host";
import { sayAside } from "../say.ts";

const run = promisify(execFile);

/**
 * A commit's files in a folder of their own, outside of the repository. Nothing is left of it once it is
 * disposed of.
 */
export interface Worktree extends AsyncDisposable {
  readonly folder: string;
  readonly commit: string;
}

/**
 * Checks a commit out beside the working copy, which stays as it is.
 *
 * @throws {UserError} when git knows no such commit.
 */
export async function checkOut(ref: string, root = repositoryRoot): Promise<Worktree> {
  const git = async (...args: string[]) =>
    (await run("git", args, { cwd: root, env: gitEnvironment() })).stdout.trim();
  const commit = await git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT")
        throw new UserError("git is not installed here, and the base is checked out by it.");
      throw new UserError(
        `git knows no commit "${ref}" here. Name a branch, a tag or a commit; in a shallow clone, fetch it first (git fetch origin ${ref}).`,
      );
    },
  );
  const place = await realpath(await scratchFolder("against"));
  const folder = join(place, "base");
  const dispose = async () => {
    await git("worktree", "remove", "--force", folder).catch(() => {});
    await rm(place, { recursive: true, force: true, maxRetries: 5 }).catch((error: NodeJS.ErrnoException) =>
      sayAside(`! ${place} is left behind: it cannot be removed (${error.code}). Remove it yourself.`),
    );
    await git("worktree", "prune");
  };
  try {
    await git("worktree", "add", "--quiet", "--detach", folder, commit);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { folder, commit, [Symbol.asyncDispose]: dispose };
}
