// Commands as npm starts them, whose end reaches all that is below.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { repositoryRoot } from "@evenbench/host";
import { descendants, signalGroup, stillRunning } from "@evenbench/host/testing";
import { expect, test } from "vitest";
import { readIn, testFolder, words } from "../test/evenbench.ts";

const at = testFolder();

function npmRun(...args: string[]) {
  const child = spawn("npm", [...words`run --silent bench --`, ...args, ...words`--no-build --target node`], {
    cwd: repositoryRoot,
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  const top = child.pid ?? Number.NaN;
  return { stdout: child.stdout, top, [Symbol.dispose]: () => signalGroup(top, "SIGKILL") };
}

test.each([
  { killed: "npm", steps: 0 },
  { killed: "the shell that npm runs", steps: 1 },
])("no server outlives $killed when that is killed", async ({ steps }) => {
  using npm = npmRun("serve", "--json");
  const [line] = await once(createInterface({ input: npm.stdout }), "line");
  const below = descendants(npm.top);
  expect(below).toEqual(expect.arrayContaining(JSON.parse(line).targets[0].pids));
  const next = below.find((pid) => descendants(pid).length === below.length - 1);
  process.kill(steps === 0 ? npm.top : (next ?? Number.NaN), "SIGKILL");
  expect(await stillRunning(below)).toEqual([]);
});

test.each([
  ["is told to end", (npm: number) => process.kill(npm, "SIGTERM")],
  ["and all below it lose their terminal", (npm: number) => process.kill(-npm, "SIGHUP")],
])("a run ends with its report when npm %s, and not at its own time", async (what, end) => {
  const out = at(`npm ${what}`);
  using npm = npmRun(...words`--case empty --time 120s --out ${out}`);
  await expect.poll(async () => (await readIn(out, "samples.ndjson")).length).toBeGreaterThan(1000);
  const below = descendants(npm.top);
  end(npm.top);
  await expect.poll(() => readIn(out, "report.html")).not.toBe("");
  expect(JSON.parse(await readIn(out, "run.json")).status).toBe("interrupted");
  expect(await stillRunning(below)).toEqual([]);
});
