import { spawn } from "node:child_process";
import { once } from "node:events";
import { descendants, signalGroup, stillRunning } from "@evenbench/host/testing";
import { expect, onTestFinished, test } from "vitest";
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

/** Says something once it is up; at the head of a group that does not outlive its test. */
async function start(command: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
    detached: true,
  });
  const { pid: root = Number.NaN } = child;
  onTestFinished(() => signalGroup(root, "SIGKILL"));
  const closed = once(child, "close");
  await once(child.stdout, "data");
  return { root, closed };
}

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
  const { root, closed } = await start(process.execPath, ["-e", source, "2"], { TREE: source });
  const all = [root, ...descendants(root)];
  expect(all).toHaveLength(3);
  await endTree(root, graceMs);
  expect(await stillRunning(all, 0)).toEqual([]);
  // None is left that could write, either.
  await closed;
});

test("where the system lists no processes below one, its group is ended", async () => {
  const { root, closed } = await start("sh", ["-c", "sleep 600 & echo ready; wait"]);
  const below = descendants(root);
  expect(below).toHaveLength(1);
  await endTree(root, undefined, () => []);
  expect(await stillRunning(below, 0)).toEqual([]);
  await closed;
});
