import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { TYPE_STRIPPING } from "#repository";
import { testFolder } from "../test/folder.ts";
import { descendants, stillRunning } from "../test/processes.ts";
import { toolEnvironment } from "./environment.ts";
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

test.each([
  ["is aborted", undefined, "ended with SIGTERM"],
  ["does not end in its time", 100, "did not end within 100 ms, and was ended"],
])("a program that %s is ended, and says so", async (_, withinMs, failure) => {
  const abort = new AbortController();
  const begun: number[] = [];
  const onStart = (pid: number) => {
    begun.push(pid);
    if (withinMs === undefined) {
      abort.abort();
    }
  };
  const program = { command: ["sleep", "600"], signal: abort.signal, withinMs, onStart } as const;
  expect(await runProgram(program)).toMatchObject({ failure });
  expect(begun).toHaveLength(1);
  expect(await stillRunning(begun)).toEqual([]);
});

test.skipIf(process.platform === "win32")(
  "variables that are longer than the system takes are refused in one line that names the longest",
  async () => {
    const env = { ...toolEnvironment(), SHORT: "y", BLOB: "x".repeat(2_000_000) };
    const { failure } = await runProgram({ command: ["true"], env });
    expect(failure).toMatch(
      /^could not be started: its arguments and variables are longer .* BLOB, with 2000000 bytes: shorten it, or leave it out$/,
    );
  },
);

test("of an output that does not end soon the head and the tail are kept", async () => {
  const command = ["sh", "-c", "echo first; head -c 99999999 /dev/zero; echo last"] as const;
  const { output, stdout } = await runProgram({ command });
  expect([output.slice(0, 5), output.slice(-5)]).toEqual(["first", "last\n"]);
  expect(output.length).toBeLessThan(60_000_000);
  expect(stdout).toBe(output);
});

test("no letter of an output that is kept whole is cut in two", async () => {
  const write = 'process.stdout.write("a" + "é".repeat(20_000_000))';
  const { stdout } = await runProgram({ command: [process.execPath, "--eval", write] });
  expect([stdout.length, stdout.includes("\uFFFD")]).toEqual([20_000_001, false]);
});

/** What a program may leave behind: each line says the pid of what it started, and ends at once. */
const LEAVES = {
  "in its own group": "sleep 600 & echo $!",
  "in its own group, with its output": "sleep 600 >&1 & echo $!",
  "in a session of its own": "setsid sleep 600 & echo $!",
  "in a session of its own, with nothing of its environment": "setsid env -i sleep 600 & echo $!",
  "deaf to SIGTERM": `(trap "" TERM; sleep 600; sleep 600) & echo $!`,
  stopped: "sleep 600 & kill -STOP $!; echo $!",
  "deaf to a closed terminal": "nohup sleep 600 & echo $!",
  "two parents further up": "(setsid sh -c 'sleep 600 & echo $!' &) | head -1",
};

/** Does the same with each of them at the same time, and expects nothing to be left of what it tells. */
async function expectNoneLeft(start: (script: string) => Promise<readonly number[]>): Promise<void> {
  const left = Object.entries(LEAVES).map(async ([what, script]) => {
    const pids = await start(script);
    expect(pids, what).toEqual([expect.any(Number)]);
    return [what, await stillRunning(pids, 0)] as const;
  });
  const none = Object.keys(LEAVES).map((what) => [what, []]);
  expect(Object.fromEntries(await Promise.all(left))).toEqual(Object.fromEntries(none));
}

// Other systems have no mark: there the group is ended.
describe.runIf(process.platform === "linux")("on Linux", () => {
  test("whatever a program leaves behind ends with it, and nobody waits for it", () =>
    expectNoneLeft(async (script) => {
      const { failure, stdout } = await runProgram({ command: ["sh", "-c", script] });
      expect(failure).toBeNull();
      return stdout.split("\n").filter(Boolean).map(Number);
    }));

  test("whatever a program started ends with it when it is aborted", () =>
    expectNoneLeft(async (script) => {
      const abort = new AbortController();
      const started: number[] = [];
      const { failure } = await runProgram({
        command: ["sh", "-c", `${script}; exec sleep 600`],
        signal: abort.signal,
        onOutput(text) {
          started.push(...text.split("\n").filter(Boolean).map(Number));
          abort.abort();
        },
      });
      expect(failure).toBe("ended with SIGTERM");
      return started;
    }));
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
