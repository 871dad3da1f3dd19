import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TYPE_STRIPPING } from "#repository";
import { folderOfEachTest } from "../test/folder.ts";
import { stillRunning } from "../test/processes.ts";
import { runProgram } from "./run-program.ts";

let folder: string;
folderOfEachTest((path) => {
  folder = path;
});

/** Says its pid, and goes on for ever; it leaves what a terminal asks of it to others. */
const ENDLESS = `require("node:fs").writeFileSync("pid", String(process.pid));
process.on("SIGINT", () => {});
setInterval(() => {}, 1000);`;

const endless = [process.execPath, "--eval", ENDLESS] as const;

/** Runs that, and ends itself where a line comes in. */
const CALLER = `import { runProgram } from ${JSON.stringify(import.meta.resolve("./run-program.ts"))};
process.stdin.once("data", () => process.exit(3));
const { failure } = await runProgram({ command: ${JSON.stringify(endless)}, cwd: "." });
if (failure !== null) process.exit(1);`;

async function pidOfProgram(): Promise<number> {
  await expect.poll(() => readFile(join(folder, "pid"), "utf8").catch(() => "")).toMatch(/^\d+$/);
  return Number(await readFile(join(folder, "pid"), "utf8"));
}

test.each([
  { ending: "Ctrl-C", end: (caller: ChildProcess) => caller.kill("SIGINT") },
  { ending: "SIGTERM", end: (caller: ChildProcess) => caller.kill("SIGTERM") },
  { ending: "its own exit", end: (caller: ChildProcess) => caller.stdin?.write("now\n") },
])("no program outlives its caller, which ends by $ending", async ({ end }) => {
  const caller = spawn(process.execPath, [...TYPE_STRIPPING, "--input-type=module", "--eval", CALLER], {
    cwd: folder,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const pid = await pidOfProgram();
  const ended = once(caller, "exit");
  end(caller);
  const [code] = await ended;
  expect(code).not.toBe(0);
  expect(await stillRunning([pid])).toEqual([]);
});

test("an abort ends it", async () => {
  const abort = new AbortController();
  const running = runProgram({ command: endless, cwd: folder, signal: abort.signal });
  const pid = await pidOfProgram();
  abort.abort();
  expect((await running).failure).toBe("ended with SIGTERM");
  expect(await stillRunning([pid])).toEqual([]);
});
