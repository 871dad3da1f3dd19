import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { accountant, chooseAccountant, PROC, toolAccountant, usedBetween } from "./process-account.ts";

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
      expect(Math.abs(told.residentBytes - after.residentBytes) / after.residentBytes).toBeLessThan(0.2);
      expect(told).toMatchObject({ pids: [pid], userMs: null, systemMs: null, peakResidentBytes: null });
      // Two processes together, and one that is not there.
      const both = await ps.read([pid, process.pid]);
      expect(both?.residentBytes).toBeGreaterThan(told.residentBytes);
      expect(await ps.read([pid, 2 ** 22 + 1])).toBeNull();
    });
  },
);

test.each([
  ["ps", toolAccountant(process.platform)],
  ["this system", accountant],
] as const)("%s has no account of a process that is gone, nor of none", async (_name, one) => {
  let gone = 0;
  await withBusyChild(1, async (pid) => {
    gone = pid;
    expect((await one.read([pid]))?.residentBytes).toBeGreaterThan(1e6);
  });
  expect(await one.read([gone])).toBeNull();
  expect(await one.read([])).toBeNull();
});

test("/proc is chosen where there is one; else the system's tool, with the unit that it prints in", () => {
  expect(chooseAccountant("linux", true)).toBe(PROC);
  expect(chooseAccountant("darwin", false)).toMatchObject({ source: "ps (pidusage)", resolutionMs: 10 });
  expect(chooseAccountant("freebsd", false)).toMatchObject({ source: "ps (pidusage)", resolutionMs: 1000 });
  expect(chooseAccountant("win32", false)).toMatchObject({ source: "WMI (pidusage)", resolutionMs: 16 });
});

test("what was used between two accounts is not told apart where one of them does not", () => {
  const before = {
    pids: [1],
    cpuMs: 10,
    liveThreadsMs: null,
    userMs: 8,
    systemMs: 2,
    minorFaults: 3,
    residentBytes: 5,
    peakResidentBytes: 6,
  };
  const after = { ...before, cpuMs: 25, userMs: 20, systemMs: 5, minorFaults: 9, residentBytes: 7 };
  const rest = { residentBytes: 7, peakResidentBytes: 6 };
  expect(usedBetween(before, after)).toEqual({ cpuMs: 15, userMs: 12, systemMs: 3, minorFaults: 6, ...rest });
  const together = { ...after, userMs: null, systemMs: null };
  expect(usedBetween(before, together)).toEqual({
    cpuMs: 15,
    userMs: null,
    systemMs: null,
    minorFaults: 6,
    ...rest,
  });
});

test("a thread that ended before both accounts hides nothing of what was used between them", () => {
  const rest = {
    pids: [1],
    userMs: 50,
    systemMs: 10,
    minorFaults: 0,
    residentBytes: 5,
    peakResidentBytes: 6,
  };
  // In ticks the process is at 60 ms each time; its live threads used 2.5 ms more.
  const before = { ...rest, cpuMs: 60, liveThreadsMs: 51 };
  expect(usedBetween(before, { ...before, liveThreadsMs: 53.5 }).cpuMs).toBe(2.5);
  // A thread that ended in between took its account with it; ticks kept it.
  expect(usedBetween(before, { ...before, cpuMs: 80, liveThreadsMs: 40 }).cpuMs).toBe(20);
});
