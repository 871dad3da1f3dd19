import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { repositoryRoot } from "@evenbench/host/repository";
import { descendants, stillRunning } from "@evenbench/host/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "evenbench-interrupted-")));
});
afterAll(() => rm(folder, { recursive: true }));

const worktrees = () =>
  execFileSync("git", ["worktree", "list", "--porcelain"], { cwd: repositoryRoot, encoding: "utf8" });

const found = (pids: readonly number[]) => (pids.length > 0 ? pids : null);

test("Ctrl-C while the other commit is installed and built leaves no folder, no worktree and no process", async () => {
  const words = ["against", "HEAD", "--target", "node", "--no-build"];
  const child = spawn(process.execPath, [join(repositoryRoot, "packages/cli/evenbench.ts"), ...words], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, TMPDIR: folder },
  });
  const ended = once(child, "exit");
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.startsWith("Building ")) continue;
    expect(worktrees()).toContain(folder);
    const below = await vi.waitUntil(() => found(descendants(child.pid ?? Number.NaN)), { timeout: 10_000 });
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    expect(await stillRunning(below)).toEqual([]);
    expect(worktrees()).not.toContain(folder);
    expect((await readdir(folder)).filter((name) => name.startsWith("evenbench-against-"))).toEqual([]);
    return;
  }
  throw new Error("It never began to build.");
});
