import { spawn } from "node:child_process";
import { once } from "node:events";
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
