import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
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

test("no hook, filter or submodule of a repository gets a secret of whoever asks git", async () => {
  const place = testFolder();
  const ask = gitIn(place);
  const told = join(place, "told");
  ask("init", "--quiet");
  ask("config", "filter.curious.clean", `env >> ${told}; cat`);
  ask("config", "core.fsmonitor", `env >> ${told}`);
  await writeFile(join(place, ".gitattributes"), "*.ts filter=curious\n");
  await writeFile(join(place, "case.ts"), "one");
  ask("add", ".");
  ask("commit", "--quiet", "--message", "First");
  await writeFile(told, "");
  await writeFile(join(place, "case.ts"), "two");
  vi.stubEnv("EVENBENCH_TOKEN", "secret-of-a-test");
  expect(readSource(place)).toMatchObject({ changed: true });
  expect(await readFile(told, "utf8")).not.toContain("secret-of-a-test");
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
