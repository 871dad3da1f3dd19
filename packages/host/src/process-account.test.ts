import { expect, test } from "vitest";
import { usedBetween } from "./process-account.ts";

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
