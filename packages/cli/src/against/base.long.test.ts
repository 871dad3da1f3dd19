import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { beforeAll, expect, test } from "vitest";
import { checkOut } from "./base.ts";

const root = testFolder();
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
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
    expect(base.commit).toBe(git("rev-parse", "HEAD"));
    expect(readFileSync(join(folder, "case.ts"), "utf8")).toBe("one");
    expect(git("worktree", "list").split("\n")).toHaveLength(2);
  }
  expect(existsSync(dirname(folder))).toBe(false);
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  expect(readFileSync(join(root, "case.ts"), "utf8")).toBe("two");
});

test.each(["no-such-branch", "--help", ""])(
  "what git does not know is named with what to do: %j",
  async (ref) => {
    await expect(checkOut(ref, root)).rejects.toThrow(`git knows no commit "${ref}" here.`);
  },
);
