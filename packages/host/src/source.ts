import { execFileSync } from "node:child_process";
import type { Run } from "@evenbench/results";
import { repositoryRoot } from "#repository";
import { toolEnvironment } from "./environment.ts";

/** Milliseconds within which git has to answer: a repository on a disk that does not answer must not hold a run up. */
const GIT_WITHIN_MS = 30_000;
/** Bytes that git may write: the references of a large repository are some MB. */
const GIT_BYTES = 2 ** 26;

/**
 * Says which source a folder has: its commit, whether files are changed, and its address on the web.
 *
 * @returns null where the folder is no repository's root, has no commit yet, git is missing or does not
 * answer within 30 s.
 */
export function readSource(folder: string = repositoryRoot): Run["source"] {
  const git = (...args: string[]) => askGit(folder, args);
  const commit = git("rev-parse", "HEAD");
  // Empty at the root alone: Evenbench may lie in another repository's folder.
  if (commit === null || git("rev-parse", "--show-prefix") !== "") {
    return null;
  }
  // Submodules have settings of their own, which may name commands: whether files in them differ is not asked.
  const status = git("status", "--porcelain", "--ignore-submodules=dirty");
  const remote = git("ls-remote", "--get-url", "origin");
  return status === null
    ? null
    : { commit, changed: status !== "", repository: remote === null ? null : webAddress(remote) };
}

/** Asks git something that it answers at once; null where it is missing, fails, or does not answer within 30 s. */
export function askGit(folder: string, words: readonly string[]): string | null {
  try {
    const written = execFileSync("git", words, {
      cwd: folder,
      encoding: "utf8",
      // Next.js' types, which know this file, want NODE_ENV in every environment.
      env: gitEnvironment() as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "ignore"],
      timeout: GIT_WITHIN_MS,
      maxBuffer: GIT_BYTES,
    });
    return written.trim();
  } catch {
    return null;
  }
}

/** Settings by which git runs no command that a repository names, such as a hook that installs packages. */
const NO_COMMANDS = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
] as const;

/**
 * Makes the environment of git: that of tools, so that no variable of a hook names another repository and no secret
 * reaches a filter, with settings by which git runs no command of a repository.
 */
export function gitEnvironment(): Record<string, string> {
  const settings = NO_COMMANDS.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return toolEnvironment({ ...Object.fromEntries(settings), GIT_CONFIG_COUNT: String(NO_COMMANDS.length) });
}

/** An address of a repository on a host whose pages are known: its host, and its path there. */
const REMOTE =
  /^(?:https:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)(github\.com|gitlab\.com)[/:]([\w./-]+?)(?:\.git)?\/?$/;

/**
 * Gives the page of a remote repository, without credentials; null for a folder, or a host whose pages are not known.
 */
export function webAddress(remote: string): string | null {
  const [, host, path] = REMOTE.exec(remote) ?? [];
  return host === undefined ? null : `https://${host}/${path}`;
}
