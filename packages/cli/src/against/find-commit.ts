import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { messageOf, UserError } from "@evenbench/core/errors";
import { shellWord } from "@evenbench/core/shell";
import { gitEnvironment } from "@evenbench/host";

/** Runs git in the repository; it rejects with an error that has git's own words as `stderr`. */
export type Git = (...args: string[]) => Promise<string>;

/** Gives the git of a folder. It speaks English: what it says is quoted, and searched for what went wrong. It asks nobody for a password. */
export function gitIn(folder: string): Git {
  // Next.js' types, which know this file, want NODE_ENV in every environment.
  const env = { ...gitEnvironment(), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" } as NodeJS.ProcessEnv;
  return async (...args) => {
    const { stdout } = await promisify(execFile)("git", args, { cwd: folder, env });
    return stdout.trim();
  };
}

/** A commit that was found by its name. */
export interface FoundCommit {
  /** The commit's full hash. */
  readonly commit: string;
  /** The name that git knows it by, where that is not the name that was asked for; null where it is. */
  readonly foundAs: string | null;
}

/**
 * Finds a commit by the name that somebody typed. A branch that only one remote has is found as `<remote>/<branch>`, as
 * `git checkout` does: a CI's checkout of a pull request has no other branches of its own.
 *
 * @throws {UserError} with git's reason, and the command that gets a commit which is not here.
 */
export async function findCommit(name: string, git: Git): Promise<FoundCommit> {
  const hashOf = (rev: string): Promise<string> =>
    git("rev-parse", "--verify", "--end-of-options", `${rev}^{commit}`);
  try {
    return { commit: await hashOf(name), foundAs: null };
  } catch (error) {
    await assertRepository(git);
    const remotes = await remotesOf(git);
    const found = new Map<string, string>();
    for (const remote of remotes) {
      const commit = await hashOf(`refs/remotes/${remote}/${name}`).catch(() => null);
      if (commit !== null) {
        found.set(`${remote}/${name}`, commit);
      }
    }
    const [first] = found;
    if (first === undefined) {
      throw await notHere(name, error, remotes, git);
    }
    if (new Set(found.values()).size > 1) {
      const names = [...found.keys()].join(" and ");
      throw new UserError(
        `git knows no branch "${name}" here, but ${names}, which differ. Name one of them.`,
      );
    }
    return { commit: first[1], foundAs: first[0] };
  }
}

/** Gives the first line that says why git failed, without the word "fatal". */
export function reasonOfGit(error: unknown): string {
  const lines = ((error as { stderr?: string }).stderr ?? "").trim().split("\n");
  const line = lines.find((text) => /^(?:fatal|error): /.test(text)) ?? lines[0] ?? "";
  return line.replace(/^(?:fatal|error): /, "").replace(/\.$/, "") || messageOf(error);
}

/** Checks that git reads a repository. @throws {UserError} with git's reason, and what to do. */
export async function assertRepository(git: Git): Promise<void> {
  try {
    await git("rev-parse", "--git-dir");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      throw new UserError("git is not installed here, and the base is checked out by it.");
    }
    const reason = reasonOfGit(error);
    const { stderr = "" } = error as { stderr?: string };
    const [trust] = /git config --global --add safe\.directory .+/.exec(stderr) ?? [];
    const next =
      trust === undefined
        ? "Clone the repository instead of unpacking an archive of it, or give a checkout that is built, such as ../before."
        : `If you trust whoever owns it, run: ${trust.trim()}`;
    throw new UserError(`git cannot read the repository here: ${reason}. ${next}`);
  }
}

/** Lists the names of remotes, the usual one first. */
async function remotesOf(git: Git): Promise<readonly string[]> {
  const names = (await git("remote")).split("\n").filter((name) => name !== "");
  return names.toSorted((a, b) => Number(b === "origin") - Number(a === "origin"));
}

/** Git's reason for any name that it does not know. */
const NO_REASON = "Needed a single revision";

async function notHere(
  name: string,
  error: unknown,
  remotes: readonly string[],
  git: Git,
): Promise<UserError> {
  const reason = reasonOfGit(error);
  const why = reason === NO_REASON ? "" : `: ${reason}`;
  return new UserError(`git knows no commit "${name}" here${why}. ${await howToGet(name, remotes, git)}`);
}

const ANY_NAME = "Name a branch, a tag or a commit that is here (git branch --all shows the branches).";

async function howToGet(name: string, remotes: readonly string[], git: Git): Promise<string> {
  const isShallow = (await git("rev-parse", "--is-shallow-repository")) === "true";
  const remote = remotes.find((known) => name.startsWith(`${known}/`)) ?? remotes[0];
  if (remote === undefined) {
    return ANY_NAME;
  }
  if (/^[0-9a-f]{40}$/.test(name)) {
    return thenAgain(["git", "fetch", ...depthOf(isShallow), remote, name], remote);
  }
  const isRelative = /[~^]|@\{|^@$/.test(name) || /^[0-9a-f]{7,39}$/.test(name);
  if (isRelative && isShallow) {
    return `This clone is shallow. ${thenAgain(await unshallow(remote, git), null)}`;
  }
  const branch = name.startsWith(`${remote}/`) ? name.slice(remote.length + 1) : name;
  if (isRelative || !(await isBranchName(branch, git))) {
    return ANY_NAME;
  }
  const refspec = `${branch}:refs/remotes/${remote}/${branch}`;
  return thenAgain(["git", "fetch", ...depthOf(isShallow), remote, refspec], remote);
}

/** Gives the depth of a fetch: a clone that has all commits would become shallow by one. */
function depthOf(isShallow: boolean): readonly string[] {
  return isShallow ? ["--depth", "1"] : [];
}

/** Gives the command that fetches the whole history; a commit that no branch leads to is asked for by its hash. */
async function unshallow(remote: string, git: Git): Promise<readonly string[]> {
  const isOnBranch = await git("symbolic-ref", "--quiet", "HEAD").catch(() => null);
  const head = isOnBranch === null ? [await git("rev-parse", "HEAD")] : [];
  return ["git", "fetch", "--unshallow", remote, ...head];
}

async function isBranchName(name: string, git: Git): Promise<boolean> {
  const isOne = await git("check-ref-format", `refs/heads/${name}`).catch(() => null);
  return isOne !== null && !name.startsWith("-");
}

function thenAgain(command: readonly string[], remote: string | null): string {
  const get = remote === null ? "Get the rest" : `If the remote ${remote} has it, get it`;
  return `${get}, and run the same command again: ${command.map(shellWord).join(" ")}`;
}
