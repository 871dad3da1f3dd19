import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { repositoryRoot } from "@evenbench/host/repository";
import { descendants, stillRunning } from "@evenbench/host/testing";
import { expect, test, vi } from "vitest";
import { start, testFolder, words } from "../../test/evenbench.ts";

const at = testFolder();

const worktrees = () =>
  execFileSync("git", ["worktree", "list", "--porcelain"], { cwd: repositoryRoot, encoding: "utf8" });

const found = (pids: readonly number[]) => (pids.length > 0 ? pids : null);

test("Ctrl-C while the other commit is installed and built leaves no folder, no worktree and no process", async () => {
  const env = { ...process.env, TMPDIR: at() };
  const { child, ended } = start(words`against HEAD --target node`, { env });
  for await (const line of createInterface({ input: child.stderr })) {
    if (!/^Building [0-9a-f]{12} /.test(line)) {
      continue;
    }
    expect(worktrees()).toContain(at());
    const below = await vi.waitUntil(() => found(descendants(child.pid ?? Number.NaN)), { timeout: 150_000 });
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, signal: null });
    expect(await stillRunning(below)).toEqual([]);
    expect(worktrees()).not.toContain(at());
    expect((await readdir(at())).filter((name) => name.startsWith("evenbench-against-"))).toEqual([]);
    return;
  }
  throw new Error("It never began to build.");
});
