import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { foldersUpFrom, slashed } from "@evenbench/bundle/deployable";
import { readIfThere } from "@evenbench/core/user-file";
import { askGit } from "@evenbench/host";
import ignore, { type Ignore } from "ignore";

/** The rules of one .gitignore, with the folder that its patterns count from. */
interface Rules {
  readonly folder: string;
  readonly rules: Ignore;
}

/**
 * What Git leaves out of a repository: the patterns of the .gitignore of each folder from the repository's root on, of
 * .git/info/exclude, and of the user's own file for all repositories. Patterns are read by the package `ignore`. A file
 * that a commit has, or will have, is left out by none.
 */
export interface Ignoring {
  /** Absolute paths of the files whose patterns count, as far as folders were entered. */
  readonly files: readonly string[];
  /** Adds the .gitignore of a folder that is entered. Folders are entered from above. */
  enter(folder: string): void;
  /** Tells whether a path is left out. Its folder was entered, and is not left out itself. */
  isIgnored(path: string, isFolder: boolean): boolean;
}

/** Reads what counts for all of a folder: the patterns above it, up to the root of its repository. */
export function ignoringIn(folder: string): Ignoring {
  const all: Rules[] = [];
  const files: string[] = [];
  const root = repositoryAbove(folder);
  let tracked: ReadonlySet<string> = new Set();
  if (root !== null) {
    add(usersFile(root), root);
    add(repositorysFile(root), root);
    for (const above of foldersBetween(root, folder)) {
      add(join(above, ".gitignore"), above);
    }
    // A folder that is ignored itself, such as an output, is no part of the repository.
    if (isIgnored(folder, true)) {
      all.length = 0;
      files.length = 0;
    } else {
      tracked = trackedThoughIgnored(root);
    }
  }
  return { files, enter: (entered) => add(join(entered, ".gitignore"), entered), isIgnored };

  function isIgnored(path: string, isFolder: boolean): boolean {
    if (tracked.has(path)) {
      return false;
    }
    // The nearest file that says anything of a path decides.
    for (const { folder: from, rules } of all.toReversed()) {
      const below = slashed(relative(from, path));
      if (below === "" || below.startsWith("../")) {
        continue;
      }
      const { ignored, unignored } = rules.test(isFolder ? `${below}/` : below);
      if (ignored || unignored) {
        return ignored;
      }
    }
    return false;
  }

  function add(file: string, from: string): void {
    const text = readIfThere(file);
    if (text !== null && !files.includes(file)) {
      files.push(file);
      all.push({ folder: from, rules: ignore().add(text) });
    }
  }
}

/** Gives the file with a user's patterns for all repositories: Git's setting, else its usual place (gitignore(5)). */
function usersFile(root: string): string {
  const configuration = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const named = askGit(root, ["config", "--type=path", "--get", "core.excludesFile"]);
  return named ?? join(configuration, "git/ignore");
}

/** Gives the file with the patterns of one repository, which a working tree beside it has from there. */
function repositorysFile(root: string): string {
  const named = askGit(root, ["rev-parse", "--path-format=absolute", "--git-path", "info/exclude"]);
  return named ?? join(root, ".git/info/exclude");
}

/** Lists the files that are tracked although a pattern leaves them out, and the folders that these lie in. */
function trackedThoughIgnored(root: string): ReadonlySet<string> {
  const listed = askGit(root, ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]) ?? "";
  const files = listed.split("\0").filter((path) => path !== "");
  return new Set(files.flatMap((path) => [join(root, path), ...foldersBetween(root, join(root, path))]));
}

/** Finds the root of the repository that a folder lies in, or is; null where it lies in none. */
export function repositoryAbove(folder: string): string | null {
  return foldersUpFrom(folder).find((place) => existsSync(join(place, ".git"))) ?? null;
}

/** Lists the folders from a root on to a folder below it, without the folder itself. */
export function foldersBetween(root: string, folder: string): readonly string[] {
  return foldersUpFrom(folder, root).slice(1).toReversed();
}
