import { spawn } from "node:child_process";
import { once } from "node:events";
import { descendants, signalGroup, stillRunning } from "@evenbench/host/testing";
import { expect, test } from "vitest";
import { endTree } from "./process-tree.ts";

/** Starts the next one in a process group of its own, and so on; says so when the last one runs. */
const tree = (depth: number, onTerm: string) => `
const [depth] = process.argv.slice(-1);
process.on("SIGTERM", ${onTerm});
setInterval(() => {}, 1000);
const options = { stdio: "inherit", detached: true };
if (depth === "0") console.log("ready");
else require("node:child_process").spawn(process.execPath, ["-e", process.env.TREE, String(depth - 1)], options);
// ${depth}
`;

test.each([
  ["ends when it is told to", "() => process.exit()", 60_000],
  ["does not want to end", "() => {}", 100],
  [
    "starts another process instead",
    `() => require("node:child_process").spawn("sleep", ["600"], { stdio: "inherit" })`,
    100,
  ],
])("nothing is left of a tree that %s", async (_what, onTerm, graceMs) => {
  const source = tree(2, onTerm);
  const child = spawn(process.execPath, ["-e", source, "2"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TREE: source },
    detached: true,
  });
  const root = child.pid ?? Number.NaN;
  try {
    const closed = once(child, "close");
    await once(child.stdout, "data");
    const all = [root, ...descendants(root)];
    expect(all).toHaveLength(3);
    await endTree(root, graceMs);
    expect(await stillRunning(all, 0)).toEqual([]);
    // None is left that could write, either.
    await closed;
  } finally {
    signalGroup(root, "SIGKILL");
  }
});

test("where the system lists no processes below one, its group is ended", async () => {
  const child = spawn("sh", ["-c", "sleep 600 & echo ready; wait"], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const closed = once(child, "close");
  await once(child.stdout, "data");
  const below = descendants(child.pid ?? Number.NaN);
  expect(below).toHaveLength(1);
  try {
    await endTree(child.pid ?? Number.NaN, undefined, () => []);
    expect(await stillRunning(below, 0)).toEqual([]);
    await closed;
  } finally {
    signalGroup(child.pid ?? Number.NaN, "SIGKILL");
  }
});
