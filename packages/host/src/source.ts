import { execFileSync } from "node:child_process";
import type { Run } from "@evenbench/results";
import { repositoryRoot } from "#repository";

/** Milliseconds within which git has to answer: a repository on a disk that does not answer must not hold a run up. */
const GIT_WITHIN_MS = 30_000;

/**
 * Says which source a folder has: its commit, whether files are changed, and its address on the web.
 *
 * @returns null where the folder is no repository's root, has no commit yet, git is missing or does not
 * answer within 30 s.
 */
export function readSource(folder: string = repositoryRoot): Run["source"] {
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: folder,
      encoding: "utf8",
      env: gitEnvironment(),
      stdio: ["ignore", "pipe", "ignore"],
      timeout: GIT_WITHIN_MS,
    }).trim();
  try {
    // Empty at the root alone: Evenbench may lie in another repository's folder.
    if (git("rev-parse", "--show-prefix") !== "") {
      return null;
    }
    return {
      commit: git("rev-parse", "HEAD"),
      changed: git("status", "--porcelain") !== "",
      repository: webAddress(git("ls-remote", "--get-url", "origin")),
    };
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
 * Gives this process's environment without git's own variables, since a hook names its own repository by GIT_DIR and
 * the like; with settings by which git runs no command of a repository.
 */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...process.env };
  for (const name of Object.keys(environment)) {
    if (name.startsWith("GIT_")) {
      delete environment[name];
    }
  }
  for (const [index, [key, value]] of NO_COMMANDS.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return { ...environment, GIT_CONFIG_COUNT: String(NO_COMMANDS.length) };
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
