import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { PROC, toolAccountant } from "./usage.ts";

/** Uses so much CPU time by its own account, says so, and then waits for its end. */
const BUSY = (cpuMs: number) => `
  for (let u; (u = process.cpuUsage()), u.user + u.system < ${cpuMs * 1000}; );
  process.stdout.write("done");
  process.stdin.resume();
`;

async function withBusyChild(cpuMs: number, look: (pid: number) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ["-e", BUSY(cpuMs)], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    await once(child.stdout, "data");
    await look(child.pid as number);
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

test.runIf(existsSync("/proc/self/stat"))(
  "ps agrees with /proc on a busy process, within what its unit allows",
  async () => {
    const ps = toolAccountant(process.platform);
    await withBusyChild(2200, async (pid) => {
      const [before, told, after] = [await PROC.read([pid]), await ps.read([pid]), await PROC.read([pid])];
      if (before === null || told === null || after === null) throw new Error("the process lives");
      expect(told.cpuMs).toBeGreaterThan(before.cpuMs - ps.resolutionMs);
      expect(told.cpuMs).toBeLessThanOrEqual(after.cpuMs + PROC.resolutionMs);
      expect(told.cpuMs).toBeGreaterThan(0);
      // The unit is the same.
      expect(told.residentBytes / after.residentBytes).toBeCloseTo(1, 0);
      expect(told).toMatchObject({ pids: [pid], userMs: null, systemMs: null, peakResidentBytes: null });
      // Two processes together, and one that is not there.
      const both = await ps.read([pid, process.pid]);
      expect(both?.residentBytes).toBeGreaterThan(told.residentBytes);
      expect(await ps.read([pid, 2 ** 22 + 1])).toBeNull();
    });
  },
);
