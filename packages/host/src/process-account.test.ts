import { expect, test } from "vitest";
import { chooseAccountant, PROC, usedBetween } from "./usage.ts";

test("a thread that ends between two accounts of an idle process makes its CPU time none, never less", () => {
  const rest = {
    pids: [1],
    userMs: 50,
    systemMs: 10,
    minorFaults: 0,
    residentBytes: 5,
    peakResidentBytes: 6,
  };
  // The first is the exact sum of all threads. The second has ticks alone, which are rounded down.
  const before = { ...rest, cpuMs: 75, liveThreadsMs: 75 };
  expect(usedBetween(before, { ...rest, cpuMs: 60, liveThreadsMs: 40 }).cpuMs).toBe(0);
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
