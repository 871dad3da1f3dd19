import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { realpath, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { messageOf, UserError } from "@evenbench/core";
import { gitEnvironment, repositoryRoot, runProgram, scratchFolder } from "@evenbench/host";
import type { LocalTarget } from "@evenbench/runner";
import { z } from "zod";
import { packageOf } from "../build.ts";
import { sayAside } from "../say.ts";

const run = promisify(execFile);
const SHOWN_LINES = 20;

const target = z.object({ name: z.string(), app: z.string(), platform: z.string() });

/** What others read of `list --json`. */
const listSchema = z.object({
  targets: z.array(target).readonly(),
  off: z.array(target).readonly(),
  cases: z.record(z.string(), z.array(z.object({ id: z.string() })).readonly()).readonly(),
});
export type ListDocument = z.infer<typeof listSchema>;

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
  base: Worktree,
  targets: readonly LocalTarget[],
  signal: AbortSignal,
): Promise<ListDocument> {
  const packages = new Set(targets.filter((target) => isIn(base, target)).map(packageOf));
  const filters = [...packages].map(({ name }) => `--filter=${name}`);
  if (filters.length > 0) {
    const built = await bench(base, ["build", ...filters, "--continue", "--output-logs=errors-only"], signal);
    const isBuilt = (target: LocalTarget) => existsSync(placeIn(base.folder, target));
    if (built.failure !== null && !targets.some(isBuilt)) throw failed(base, built.said);
  }
  const listed = await bench(base, ["bench", "list", "--json"], signal);
  // What pnpm says while it installs comes before.
  const json = listed.stdout.slice(listed.stdout.search(/^\{/m));
  if (listed.failure === null && json.startsWith("{")) return readList(json, base.commit);
  throw failed(base, listed.said);
}

export function placeIn(folder: string, { deployable }: LocalTarget, root = repositoryRoot): string {
  return join(folder, relative(root, deployable));
}

const isIn = ({ folder }: Worktree, target: LocalTarget) =>
  existsSync(join(folder, packageOf(target).folder, "package.json"));

function failed({ commit }: Worktree, said: string): UserError {
  const lines = said.trim().split("\n").slice(-SHOWN_LINES).join("\n");
  return new UserError(`Commit ${commit.slice(0, 12)} could not be built. Its last lines:\n${lines}`);
}

async function bench({ folder }: Worktree, words: readonly string[], signal: AbortSignal) {
  signal.throwIfAborted();
  const command = [process.execPath, "packages/setup/start.mjs", ...words] as const;
  const ended = await runProgram({ command, cwd: folder, signal });
  signal.throwIfAborted();
  return ended;
}

export function readList(json: string, commit: string): ListDocument {
  const read = listSchema.safeParse(parsed(json));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const why = `${issue?.path.join(".") || "its output"}: ${issue?.message}`;
  throw new UserError(
    `Commit ${commit.slice(0, 12)} cannot say what it has: its \`list --json\` is of another version of Evenbench (${why}). Name a later commit, or build both states yourself and run compare --builds <base> <other>.`,
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
