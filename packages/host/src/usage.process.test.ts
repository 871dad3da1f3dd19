import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { exchangeMeter, NO_COST, PROC } from "./usage.ts";

const cpuMsOf = async (pid: number) => (await PROC.read([pid]))?.cpuMs ?? Number.NaN;

/** Spins until this process has used that much more CPU time by its own account, whatever the clock says. */
const SPIN = (cpuMs: number) => `
  const start = process.cpuUsage();
  for (let u; (u = process.cpuUsage(start)), u.user + u.system < ${cpuMs * 1000}; );
`;

const _ownCpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

describe.runIf(existsSync("/proc/self/schedstat"))("with /proc", () => {
  test("CPU time of a thread that has ended stays counted", async () => {
    const before = await cpuMsOf(process.pid);
    await new Promise<void>((resolve, reject) => {
      new Worker(SPIN(300), { eval: true }).once("exit", () => resolve()).once("error", reject);
    });
    expect(await cpuMsOf(process.pid)).toBeGreaterThan(before + 200);
  });
});

/**
 * Spins for as much CPU time as each line of its input asks for, by its own account, and answers with what it
 * was; touches memory as well.
 */
const WORKER = `
  const kept = [];
  require("node:readline").createInterface({ input: process.stdin }).on("line", (ms) => {
    const start = process.cpuUsage();
    kept.push(Buffer.alloc(4 << 20, 1));
    let used;
    do { const { user, system } = process.cpuUsage(start); used = (user + system) / 1000; } while (used < Number(ms));
    console.log(used);
  });
  console.log("ready");
`;

async function withWorker(look: (pid: number, work: (ms: number) => Promise<number>) => Promise<void>) {
  const child = spawn(process.execPath, ["-e", WORKER], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value as string;
  try {
    await next();
    await look(child.pid as number, async (ms) => {
      child.stdin.write(`${ms}\n`);
      return Number(await next());
    });
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

test.runIf(existsSync("/proc/self/schedstat"))(
  "each reading is what was used since the one before, and all readings add up",
  async () => {
    await withWorker(async (pid, work) => {
      const read = exchangeMeter(() => [pid]);
      expect(read()).toEqual(NO_COST);
      let [told, own] = [0, 0];
      for (const ms of [5, 40, 5, 40, 5]) {
        own += await work(ms);
        const { cpuMs, minorFaults } = read();
        told += cpuMs ?? Number.NaN;
        // Four megabytes of fresh memory are some thousand pages of 4 KiB, or a few large ones.
        expect(minorFaults).toBeGreaterThan(0);
      }
      // By its own account, short by what the last reading found still running.
      expect(told).toBeGreaterThan(own / 2);
      // And what it does between two lines is little.
      expect(told).toBeLessThan(10 * own);
    });
  },
);

test("there is no cost of no process, nor of one that is gone or has taken another's place", async () => {
  expect(exchangeMeter(() => [])()).toEqual(NO_COST);
  const gone = exchangeMeter(() => [2 ** 22 + 1]);
  expect([gone(), gone()]).toEqual([NO_COST, NO_COST]);
  await withWorker(async (pid) => {
    let pids = [process.pid];
    const read = exchangeMeter(() => pids);
    read();
    pids = [pid];
    expect(read()).toEqual(NO_COST);
  });
});
