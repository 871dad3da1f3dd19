import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { repositoryRoot } from "@evenbench/host";
import { descendants, signalGroup, stillRunning } from "@evenbench/host/testing";
import { expect, test } from "vitest";

test.each([
  { killed: "npm", steps: 0 },
  { killed: "the shell that npm runs", steps: 1 },
])("no server outlives $killed when that is killed", async ({ steps }) => {
  const args = ["run", "--silent", "bench", "--", "serve", "--json", "--no-build", "--target", "node"];
  const npm = spawn("npm", args, {
    cwd: repositoryRoot,
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  const top = npm.pid ?? Number.NaN;
  try {
    const [line] = await once(createInterface({ input: npm.stdout }), "line");
    const below = descendants(top);
    expect(below).toEqual(expect.arrayContaining(JSON.parse(line).targets[0].pids));
    const next = below.find((pid) => descendants(pid).length === below.length - 1);
    process.kill(steps === 0 ? top : (next ?? Number.NaN), "SIGKILL");
    expect(await stillRunning(below)).toEqual([]);
  } finally {
    signalGroup(top, "SIGKILL");
  }
});

test("a run ends with its report when npm is told to end, and not at its own time", async () => {
  const out = await mkdtemp(join(tmpdir(), "evenbench-end-"));
  const args = ["run", "--silent", "bench", "--", "--case", "empty", "--target", "node", "--no-build"];
  const npm = spawn("npm", [...args, "--time", "120s", "--out", out], {
    cwd: repositoryRoot,
    stdio: "ignore",
    detached: true,
  });
  const top = npm.pid ?? Number.NaN;
  const fileOf = async (name: string) => {
    const [folder = ""] = (await readdir(out)).filter((one) => !one.startsWith("."));
    return readFile(join(out, folder, name), "utf8").catch(() => "");
  };
  try {
    await expect.poll(async () => (await fileOf("samples.ndjson")).length).toBeGreaterThan(1000);
    const below = descendants(top);
    process.kill(top, "SIGTERM");
    await expect.poll(() => fileOf("report.html")).not.toBe("");
    expect(JSON.parse(await fileOf("run.json")).status).toBe("interrupted");
    expect(await stillRunning(below)).toEqual([]);
  } finally {
    signalGroup(top, "SIGKILL");
    await rm(out, { recursive: true, force: true });
  }
});
