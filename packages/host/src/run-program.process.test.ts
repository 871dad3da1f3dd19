import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { TYPE_STRIPPING } from "#repository";
import { testFolder } from "../test/folder.ts";
import { descendants, stillRunning } from "../test/processes.ts";
import { runProgram } from "./run-program.ts";

const logFile = join(testFolder(), "orphans.log");

test.each<[what: string, ending: string, (parent: ChildProcess) => unknown]>([
  ["host", "SIGKILL", (parent) => parent.kill("SIGKILL")],
  ["host", "SIGINT to its group", ({ pid = 0 }) => process.kill(-pid, "SIGINT")],
  ["host", "an uncaught exception", ({ stdin }) => stdin?.write("throw\n")],
  ["host", "process.exit", ({ stdin }) => stdin?.write("exit\n")],
  ["program", "SIGINT", (parent) => parent.kill("SIGINT")],
  ["program", "SIGTERM", (parent) => parent.kill("SIGTERM")],
  ["program", "process.exit", ({ stdin }) => stdin?.write("exit\n")],
])("no process of a %s is left when its parent ends by %s", async (what, _, end) => {
  const file = fileURLToPath(new URL("../test/parent.ts", import.meta.url));
  const parent = spawn(process.execPath, [...TYPE_STRIPPING, file, what, logFile], {
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [pids] = await once(createInterface({ input: parent.stdout }), "line");
  const below = descendants(parent.pid ?? 0);
  // Of a host: supervisor, server, and the server's child.
  expect(below.length).toBeGreaterThanOrEqual(what === "host" ? 3 : 1);
  expect(below).toEqual(expect.arrayContaining(JSON.parse(pids)));
  const ended = once(parent, "exit");
  end(parent);
  const [code] = await ended;
  expect(code).not.toBe(0);
  expect(await stillRunning(below)).toEqual([]);
});

test("an abort ends a program", async () => {
  const abort = new AbortController();
  const begun: number[] = [];
  const started = (pid: number) => {
    begun.push(pid);
    abort.abort();
  };
  const { failure } = await runProgram({ command: ["sleep", "600"], signal: abort.signal, onStart: started });
  expect([failure, begun]).toEqual(["ended with SIGTERM", [expect.any(Number)]]);
  expect(await stillRunning(begun)).toEqual([]);
});

test("a program that does not end in its time is ended, and says so", async () => {
  const begun: number[] = [];
  const started = (pid: number) => begun.push(pid);
  const { failure } = await runProgram({ command: ["sleep", "600"], withinMs: 100, onStart: started });
  expect(failure).toBe("did not end within 100 ms, and was ended");
  expect(await stillRunning(begun)).toEqual([]);
});

test("a server that a program leaves behind ends with it", async () => {
  const leaving = `
    const { spawn } = require("node:child_process");
    const server = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    server.unref();
    process.stdout.write(String(server.pid));
  `;
  const { failure, stdout } = await runProgram({ command: [process.execPath, "-e", leaving] });
  expect(failure).toBeNull();
  expect(await stillRunning([Number(stdout)])).toEqual([]);
});
