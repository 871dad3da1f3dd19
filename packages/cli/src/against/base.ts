import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { realpath, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { messageOf, UserError } from "@evenbench/core";
import { gitEnvironment, repositoryRoot, runProgram, scratchFolder } from "@evenbench/host";
import type { LocalTarget } from "@evenbench/runner";
import { packageOf } from "../build.ts";
import { sayAside } from "../say.ts";

const run = promisify(execFile);
const SHOWN_LINES = 20;

/** A commit's files outside of the repository, gone once it is disposed of. */
export interface Worktree extends AsyncDisposable {
  readonly folder: string;
  readonly commit: string;
}

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
    await git("worktree", "prune").catch((error: unknown) =>
      sayAside(
        `! git may still list ${folder} (${whyOf(error)}). Run \`git worktree prune\` in ${root} yourself.`,
      ),
    );
  };
  try {
    await git("worktree", "add", "--quiet", "--detach", folder, commit);
  } catch (error) {
    await dispose();
    throw new UserError(`git cannot check out ${commit.slice(0, 12)} into ${folder}: ${whyOf(error)}.`);
  }
  return { folder, commit, [Symbol.asyncDispose]: dispose };
}

function whyOf(error: unknown): string {
  const [said = ""] = ((error as { stderr?: string }).stderr ?? "").trim().split("\n");
  return said || messageOf(error);
}

/** When this has thrown, nothing writes into the worktree any more. */
export async function buildBase(
  { folder, commit }: Worktree,
  targets: readonly LocalTarget[],
  signal: AbortSignal,
): Promise<void> {
  const packages = targets
    .map(packageOf)
    .filter((one) => existsSync(join(folder, one.folder, "package.json")));
  if (packages.length === 0) return;
  signal.throwIfAborted();
  const filters = new Set(packages.map(({ name }) => `--filter=${name}`));
  const { failure, said } = await runProgram({
    command: [
      process.execPath,
      ...["packages/setup/start.mjs", "build", ...filters, "--continue", "--output-logs=errors-only"],
    ],
    cwd: folder,
    signal,
  });
  signal.throwIfAborted();
  if (failure === null || targets.some((target) => existsSync(placeIn(folder, target)))) return;
  const lines = said.trim().split("\n").slice(-SHOWN_LINES).join("\n");
  throw new UserError(`Commit ${commit.slice(0, 12)} could not be built. Its last lines:\n${lines}`);
}

export function placeIn(folder: string, { deployable }: LocalTarget): string {
  return join(folder, relative(repositoryRoot, deployable));
}
