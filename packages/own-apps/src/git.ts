import { existsSync, statSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readIfThere } from "@evenbench/core/user-file";

/** Files of a repository that say at which commit a folder is, and what its branches and tags are. */
const OF_THE_FOLDER = ["HEAD", "index"];
const OF_THE_REPOSITORY = ["packed-refs", "refs", "shallow"];

/**
 * Gives a private copy a repository of its own: at the same commit, with the same branches and tags. It reads the
 * user's objects and writes its own. Hooks, addresses of servers and settings, which may name commands, stay behind.
 *
 * @param root absolute path of the user's folder with `.git`.
 * @param copy absolute path of its copy.
 */
export async function copyRepository(root: string, copy: string): Promise<void> {
  const folder = gitFolderOf(root);
  const common = commonOf(folder);
  const own = join(copy, ".git");
  await mkdir(join(own, "objects/info"), { recursive: true });
  await mkdir(join(own, "refs"), { recursive: true });
  const parts = [
    ...OF_THE_FOLDER.map((name) => [folder, name] as const),
    ...OF_THE_REPOSITORY.map((name) => [common, name] as const),
  ];
  for (const [from, name] of parts) {
    if (existsSync(join(from, name))) {
      await cp(join(from, name), join(own, name), { recursive: true, dereference: true });
    }
  }
  await writeFile(join(own, "objects/info/alternates"), `${join(common, "objects")}\n`);
  await writeFile(join(own, "config"), configurationOf(readIfThere(join(common, "config")) ?? ""));
}

/** Reads the commit that a folder of a repository is at; "" where it has none. */
export function commitOf(root: string): string {
  const folder = gitFolderOf(root);
  const head = (readIfThere(join(folder, "HEAD")) ?? "").trim();
  const [, branch] = /^ref: (.+)$/.exec(head) ?? [];
  if (branch === undefined) {
    return head;
  }
  const common = commonOf(folder);
  const own = readIfThere(join(common, branch));
  const packed = readIfThere(join(common, "packed-refs")) ?? "";
  return (own ?? packed.split("\n").find((line) => line.endsWith(` ${branch}`)) ?? "").trim();
}

/** Gives the folder of a repository's objects and branches: that of a worktree is another one. */
function commonOf(folder: string): string {
  return resolve(folder, (readIfThere(join(folder, "commondir")) ?? ".").trim());
}

/** Gives the folder of a repository: `.git` itself, or the one that a file of this name leads to. */
function gitFolderOf(root: string): string {
  const path = join(root, ".git");
  if (statSync(path).isDirectory()) {
    return path;
  }
  const [, named = ".git"] = /^gitdir: (.+)$/m.exec(readIfThere(path) ?? "") ?? [];
  return resolve(dirname(path), named);
}

/** Keeps the settings by which Git reads the objects of a repository at all. */
function configurationOf(text: string): string {
  const format = /^\s*repositoryformatversion\s*=\s*(\d+)/im.exec(text)?.[1] ?? "0";
  const objects = /^\s*objectformat\s*=\s*(\w+)/im.exec(text)?.[1];
  const references = /^\s*refstorage\s*=\s*(\w+)/im.exec(text)?.[1];
  const extensions = [
    ...(objects === undefined ? [] : [`objectformat = ${objects}`]),
    ...(references === undefined ? [] : [`refstorage = ${references}`]),
  ];
  const core = `[core]\n\trepositoryformatversion = ${format}\n\tbare = false\n`;
  return extensions.length === 0 ? core : `${core}[extensions]\n\t${extensions.join("\n\t")}\n`;
}
