import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { readCpuTimeMs, readMemory } from "./usage.ts";

/** Spins until this process has used that much more CPU time by its own account, whatever the clock says. */
const SPIN = (cpuMs: number) => `
  const start = process.cpuUsage();
  for (let u; (u = process.cpuUsage(start)), u.user + u.system < ${cpuMs * 1000}; );
`;

const ownCpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

describe.runIf(existsSync("/proc/self/schedstat"))("with /proc", () => {
  test("CPU time agrees with the process's own account", () => {
    new Function("process", SPIN(100))(process);
    const before = ownCpuMs();
    const read = readCpuTimeMs(process.pid) ?? Number.NaN;
    const after = ownCpuMs();
    // What runs at the moment is not in it yet.
    expect(read).toBeGreaterThan(before / 2);
    expect(read).toBeLessThanOrEqual(after + 1);
  });

  test("CPU time of a thread that has ended stays counted", async () => {
    const before = readCpuTimeMs(process.pid) ?? Number.NaN;
    await new Promise<void>((resolve, reject) => {
      new Worker(SPIN(300), { eval: true }).once("exit", () => resolve()).once("error", reject);
    });
    expect(readCpuTimeMs(process.pid)).toBeGreaterThan(before + 200);
  });

  test("resident memory agrees with the process's own account, and the peak is no less", () => {
    const memory = readMemory(process.pid);
    if (memory === null) throw new Error("this process must have memory");
    const own = process.memoryUsage.rss();
    expect(memory.residentBytes / own).toBeCloseTo(1, 0);
    expect(memory.peakBytes).toBeGreaterThanOrEqual(memory.residentBytes);
  });
});

test("a process that is gone has neither CPU time nor memory", () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  expect(readCpuTimeMs(pid)).toBeNull();
  expect(readMemory(pid)).toBeNull();
});
