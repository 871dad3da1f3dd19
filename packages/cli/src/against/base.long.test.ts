import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import { isRunning } from "@evenbench/host/testing";
import type { LocalTarget } from "@evenbench/runner";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { buildBase, checkOut } from "./base.ts";

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

test("where git cannot forget it, one line says what to do", async () => {
  const base = await checkOut("main", root);
  await rename(join(root, ".git"), join(root, "moved"));
  const stderr = vi.spyOn(console, "error").mockImplementation(() => {});
  await base[Symbol.asyncDispose]();
  expect(stderr.mock.calls.flat()).toEqual([
    expect.stringMatching(
      /^! git may still list \S+ \(fatal: .*\)\. Run `git worktree prune` in \S+ yourself\.$/,
    ),
  ]);
  stderr.mockRestore();
  await rename(join(root, "moved"), join(root, ".git"));
  git("worktree", "prune");
});

test.each(["no-such-branch", "--help", ""])(
  "what git does not know is named with what to do: %j",
  async (ref) => {
    await expect(checkOut(ref, root)).rejects.toThrow(`git knows no commit "${ref}" here.`);
  },
);

/**
 * What stands for the door of a checkout: it starts a step of a build, in a process group of its own as steps
 * have it.
 */
const DOOR = `
import { spawn } from "node:child_process";
const options = { stdio: "ignore", detached: true };
spawn(process.execPath, [new URL("step.mjs", import.meta.url).pathname], options);
setInterval(() => {}, 1000);
`;
/** Writes as long as it runs, and for a while after it was told to end. */
const STEP = `
import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("written");
let files = 0;
setInterval(() => writeFileSync(\`written/\${files++}\`, ""), 5);
process.on("SIGTERM", () => setTimeout(() => { writeFileSync("ended", ""); process.exit(); }, 300));
writeFileSync("pid", String(process.pid));
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-base-"));
  await mkdir(join(folder, "packages/setup"), { recursive: true });
  await writeFile(join(folder, "packages/setup/start.mjs"), DOOR);
  await writeFile(join(folder, "packages/setup/step.mjs"), STEP);
  await mkdir(join(folder, "apps/node"), { recursive: true });
  await writeFile(join(folder, "apps/node/package.json"), "{}");
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 5 }));

const contentOf = (name: string) => {
  try {
    return readFileSync(join(folder, name), "utf8");
  } catch {
    return null;
  }
};
const base = () => ({ folder, commit: "0123456789abcdef", [Symbol.asyncDispose]: async () => {} });
const targets = [{ deployable: join(repositoryRoot, "apps/node/dist/deployable") } as LocalTarget];

test("an interrupted build is over, with all its steps, when that is told", async () => {
  const interruption = new AbortController();
  const building = buildBase(base(), targets, interruption.signal);
  const failed = expect(building).rejects.toThrow("aborted");
  await expect.poll(() => contentOf("pid")).toMatch(/^\d+$/);
  const step = Number(contentOf("pid"));
  try {
    interruption.abort();
    await failed;
    expect(isRunning(step)).toBe(false);
    expect(contentOf("ended")).toBe("");
  } finally {
    if (isRunning(step)) process.kill(step, "SIGKILL");
  }
});

test("what is interrupted before is not started", async () => {
  await expect(buildBase(base(), targets, AbortSignal.abort())).rejects.toThrow("aborted");
  expect(contentOf("pid")).toBeNull();
});
