import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gitIn, testFolder } from "@evenbench/host/testing/folder";
import { beforeAll, expect, test } from "vitest";
import { buildBase, checkOut } from "./base.ts";

const root = testFolder();
const git = gitIn(root);
beforeAll(async () => {
  git("init", "--quiet", "--initial-branch", "main");
  await writeFile(join(root, "case.ts"), "one");
  git("add", ".");
  git("commit", "--quiet", "--message", "One");
  await writeFile(join(root, "case.ts"), "two");
});

test("a commit stands beside the working copy while it is needed, and leaves nothing", async () => {
  let folder = "";
  {
    await using base = await checkOut("main", root);
    folder = base.folder;
    expect(base.name).toBe(git("rev-parse", "--short=12", "HEAD"));
    expect(readFileSync(join(folder, "case.ts"), "utf8")).toBe("one");
    expect(git("worktree", "list").split("\n")).toHaveLength(2);
  }
  expect(existsSync(dirname(folder))).toBe(false);
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  expect(readFileSync(join(root, "case.ts"), "utf8")).toBe("two");
});

test("a submodule stands in a commit as it was there", async () => {
  const [inner, outer] = [join(root, "inner"), join(root, "outer")].map((folder) => {
    mkdirSync(folder);
    gitIn(folder)("init", "--quiet");
    return gitIn(folder);
  }) as [typeof git, typeof git];
  const commitWord = (word: string) => {
    writeFileSync(join(root, "inner/word"), word);
    inner("add", ".");
    inner("commit", "--quiet", "--message", word);
  };
  commitWord("one");
  outer("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(root, "inner"), "lib/inner");
  outer("commit", "--quiet", "--message", "One");
  commitWord("two");
  gitIn(join(root, "outer/lib/inner"))("pull", "--quiet");
  await using base = await checkOut("HEAD", join(root, "outer"));
  expect(readFileSync(join(root, "outer/lib/inner/word"), "utf8")).toBe("two");
  expect(readFileSync(join(base.folder, "lib/inner/word"), "utf8")).toBe("one");
});

test("a commit that cannot be built by itself is one line", async () => {
  await using base = await checkOut("main", root);
  await expect(buildBase(base, [], new AbortController().signal)).rejects.toThrow(
    `Commit ${base.name} has no packages/setup/start.mjs, by which it would be built. Name a later commit`,
  );
});
