import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { askGit } from "@evenbench/host";

/** A clone with all branches and tags, which reads the user's objects and writes its own. It gets no hooks. */
const CLONE = [
  // By it the section of its address is found, which is removed: a user may have set another name.
  "-c",
  "clone.defaultRemoteName=origin",
  "clone",
  "--quiet",
  "--mirror",
  "--shared",
  "--template=",
];

/** Settings of such a clone that a folder of a user's has not: it stands beside files, and knows no address. */
const SETTINGS = [
  ["--bool", "core.bare", "false"],
  ["--remove-section", "remote.origin"],
];

/**
 * Gives a private copy a repository of its own: at the same commit, with the same branches and tags. Hooks, addresses of
 * servers and settings, which may name commands, stay behind. Without Git, or where it does not read the user's, there is
 * none.
 *
 * @param root absolute path of the user's folder with `.git`.
 * @param copy absolute path of its copy.
 */
export async function copyRepository(root: string, copy: string): Promise<void> {
  const own = join(copy, ".git");
  if (askGit(root, [...CLONE, root, own]) === null) {
    return;
  }
  for (const words of SETTINGS) {
    askGit(own, ["config", ...words]);
  }
  const index = askGit(root, ["rev-parse", "--path-format=absolute", "--git-path", "index"]);
  if (index !== null && existsSync(index)) {
    await cp(index, join(own, "index"));
  }
}

/** Reads what Git says of a repository to builds: its branch, and the commits of all branches and tags. */
export function referencesOf(root: string): string {
  const branch = askGit(root, ["symbolic-ref", "--quiet", "HEAD"]);
  return [branch, askGit(root, ["show-ref", "--head", "--heads", "--tags"])].join("\n");
}
