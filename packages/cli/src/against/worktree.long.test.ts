import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { checkOut } from "./worktree.ts";

vi.mock(import("node:fs/promises"), async (original) => {
  const real = await original();
  return { ...real, rm: vi.fn(real.rm) };
});

let root: string;
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "evenbench-worktree-"));
  git("init", "--quiet", "--initial-branch", "main");
  await writeFile(join(root, "case.ts"), "one");
  git("add", ".");
  git("commit", "--quiet", "--message", "One");
  await writeFile(join(root, "case.ts"), "two");
});
afterAll(() => rm(root, { recursive: true }));

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

test("a folder that cannot be removed is named, and git forgets it", async () => {
  const base = await checkOut("main", root);
  // Without this file git does not remove it either.
  await unlink(join(base.folder, ".git"));
  vi.mocked(rm).mockRejectedValueOnce(Object.assign(new Error(), { code: "ENOTEMPTY" }));
  const stderr = vi.spyOn(console, "error").mockImplementation(() => {});
  await base[Symbol.asyncDispose]();
  expect(stderr.mock.calls).toEqual([
    [`! ${dirname(base.folder)} is left behind: it cannot be removed (ENOTEMPTY). Remove it yourself.`],
  ]);
  stderr.mockRestore();
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  await rm(dirname(base.folder), { recursive: true });
});

test.each(["no-such-branch", "--help", ""])(
  "what git does not know is named with what to do: %j",
  async (ref) => {
    await expect(checkOut(ref, root)).rejects.toThrow(`git knows no commit "${ref}" here.`);
  },
);
