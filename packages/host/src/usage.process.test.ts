import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { areAtRest, exchangeMeter, NO_READING, PROC, toolAccountant, usedBetween } from "./usage.ts";

const NO_PROCESS = 2 ** 22 + 1;

/** Spins for the CPU time that each line asks for, by its own account, and answers with what it was; touches memory. */
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
  try {
    await lines.next();
    await look(child.pid as number, async (ms) => {
      child.stdin.write(`${ms}\n`);
      return Number((await lines.next()).value);
    });
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

describe.runIf(existsSync("/proc/self/schedstat"))("where the kernel accounts for threads", () => {
  test("CPU time of a thread that has ended stays counted", async () => {
    const cpuMs = async () => (await PROC.read([process.pid]))?.cpuMs ?? Number.NaN;
    const before = await cpuMs();
    const spin = "for (let u; (u = process.threadCpuUsage()), u.user + u.system < 300_000; );";
    await once(new Worker(spin, { eval: true }), "exit");
    expect(await cpuMs()).toBeGreaterThan(before + 200);
  });

  test("CPU time of a child that has ended counts, in accounts and in readings", async () => {
    const spin =
      "const { cpuUsage } = process; for (let u; (u = cpuUsage()), u.user + u.system < 300_000; );";
    const read = exchangeMeter(() => [process.pid]);
    read();
    const before = await PROC.read([process.pid]);
    await once(spawn(process.execPath, ["-e", spin], { stdio: "ignore" }), "exit");
    expect(read().cpuMs).toBeGreaterThan(200);
    expect(usedBetween(before, await PROC.read([process.pid]))?.cpuMs).toBeGreaterThan(200);
  });

  test("a process that wants a core is not at rest, whether it gets one or not; one that waits for input is", () =>
    withWorker(async (pid, work) => {
      await expect.poll(() => areAtRest([pid])).toBe(true);
      const working = work(1000);
      await expect.poll(() => areAtRest([pid])).toBe(false);
      await working;
      expect(areAtRest([NO_PROCESS])).toBe(true);
    }));

  test("a process that others keep from a core has waited for one", async () => {
    const spin = "for (let u; (u = process.cpuUsage()), u.user + u.system < 300_000; );";
    const children = Array.from({ length: availableParallelism() + 1 }, () =>
      spawn(process.execPath, ["-e", `${spin} console.log("done"); process.stdin.resume();`], {
        stdio: ["pipe", "pipe", "inherit"],
      }),
    );
    const pids = children.flatMap(({ pid }) => pid ?? []);
    const read = exchangeMeter(() => pids);
    read();
    try {
      await Promise.all(children.map(({ stdout }) => once(stdout, "data")));
      expect(read().waitedMs).toBeGreaterThan(0);
    } finally {
      for (const child of children) {
        child.kill("SIGKILL");
      }
      await Promise.all(children.map((child) => child.exitCode ?? once(child, "exit")));
    }
  });

  test("each reading is what was used since the one before, and all readings add up", () =>
    withWorker(async (pid, work) => {
      const read = exchangeMeter(() => [pid]);
      expect(read()).toEqual(NO_READING);
      let metered = 0;
      let worked = 0;
      for (const ms of [5, 40, 5, 40, 5]) {
        worked += await work(ms);
        const { cpuMs, minorFaults } = read();
        metered += cpuMs ?? Number.NaN;
        // Four megabytes of fresh memory are some thousand pages of 4 KiB, or a few large ones.
        expect(minorFaults).toBeGreaterThan(0);
      }
      // By its own account, short by what the last reading found still running.
      expect(metered).toBeGreaterThan(worked / 2);
      // And what it does between two lines is little.
      expect(metered).toBeLessThan(10 * worked);
    }));

  test("ps agrees with /proc on a busy process, within what its unit allows", () =>
    withWorker(async (pid, work) => {
      const ps = toolAccountant(process.platform);
      // More than a unit, which may be a whole second.
      await work(1200);
      const before = await PROC.read([pid]);
      const byPs = await ps.read([pid]);
      const after = await PROC.read([pid]);
      if (before === null || byPs === null || after === null) {
        throw new Error("the process lives");
      }
      expect(byPs.cpuMs).toBeGreaterThan(Math.max(0, before.cpuMs - ps.resolutionMs));
      expect(byPs.cpuMs).toBeLessThanOrEqual(after.cpuMs + PROC.resolutionMs);
      // The unit is the same.
      expect(byPs.residentBytes / after.residentBytes).toBeCloseTo(1, 0);
      expect(byPs).toMatchObject({ pids: [pid], userMs: null, systemMs: null, peakResidentBytes: null });
      const both = await ps.read([pid, process.pid]);
      expect(both?.residentBytes).toBeGreaterThan(byPs.residentBytes);
      expect(await ps.read([pid, NO_PROCESS])).toBeNull();
    }));
});

test("there is no cost of no process, nor of one that is gone or has taken another's place", async () => {
  let pids: readonly number[] = [];
  const read = exchangeMeter(() => pids);
  for (const now of [[], [NO_PROCESS], [NO_PROCESS], [process.pid], [process.ppid]]) {
    pids = now;
    expect(read()).toEqual(NO_READING);
  }
});
