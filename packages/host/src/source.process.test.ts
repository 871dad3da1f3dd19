import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn, testFolder } from "../test/folder.ts";
import { readSource, webAddress } from "./source.ts";

const folder = testFolder();
const git = gitIn(folder);

test("a repository's commit is told, and whether files differ from it", async () => {
  expect(readSource(folder)).toBe(null);
  git("init", "--quiet");
  expect(readSource(folder)).toBe(null);
  git("commit", "--quiet", "--allow-empty", "--message", "First");
  const commit = git("rev-parse", "HEAD");
  expect(readSource(folder)).toEqual({ commit, changed: false, repository: null });
  git("remote", "add", "origin", "git@github.com:someone/bench.git");
  await writeFile(join(folder, "case.ts"), "");
  const repository = "https://github.com/someone/bench";
  expect(readSource(folder)).toEqual({ commit, changed: true, repository });
});

test.each([
  ["https://github.com/someone/bench.git", "https://github.com/someone/bench"],
  ["https://user:secret@gitlab.com/group/part/bench", "https://gitlab.com/group/part/bench"],
  ["ssh://git@github.com/someone/bench.js.git", "https://github.com/someone/bench.js"],
  ["/srv/git/bench.git", null],
  ["https://git.example.com/someone/bench.git", null],
])("the remote %s is read at %s", (remote, address) => {
  expect(webAddress(remote)).toBe(address);
});
