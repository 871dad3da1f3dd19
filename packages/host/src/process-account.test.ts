import { expect, test } from "vitest";
import { usedBetween } from "./usage.ts";

const base = { pids: [1], cpuMs: 10, liveThreadsMs: null, userMs: 8, systemMs: 2, minorFaults: 3 };
const memory = { residentBytes: 7, peakResidentBytes: 6 };
const after = { ...base, ...memory, cpuMs: 25, userMs: 20, systemMs: 5, minorFaults: 9 };

test.each([
  ["all of it", after, { cpuMs: 15, userMs: 12, systemMs: 3, minorFaults: 6 }],
  [
    "nothing apart that an account does not tell apart",
    { ...after, userMs: null, systemMs: null },
    { cpuMs: 15, userMs: null, systemMs: null, minorFaults: 6 },
  ],
])("what was used between two accounts is %s, and memory is the later one's", (_, later, used) => {
  expect(usedBetween({ ...base, residentBytes: 5, peakResidentBytes: 6 }, later)).toEqual({
    ...used,
    ...memory,
  });
});

// Threads that live are accounted exactly; the process in ticks, which are rounded down, with those that ended.
test.each([
  ["a thread of an idle process that ends in between takes nothing from its CPU time", [75, 75], [60, 40], 0],
  ["a thread that ended before both accounts is in neither", [60, 51], [60, 53.5], 2.5],
  [
    "a thread that ended in between took its account with it, and the ticks of its process have its time",
    [60, 51],
    [80, 40],
    20,
  ],
] as const)("%s", (_, [cpuMs, liveThreadsMs], [laterCpuMs, laterLiveMs], used) => {
  const before = { ...base, ...memory, cpuMs, liveThreadsMs };
  expect(usedBetween(before, { ...before, cpuMs: laterCpuMs, liveThreadsMs: laterLiveMs })?.cpuMs).toBe(used);
});

test("what other processes used is nobody's, and so is what was not accounted", () => {
  const before = { ...base, ...memory };
  expect(usedBetween(before, { ...before, pids: [1, 2] })).toBeNull();
  expect([usedBetween(null, before), usedBetween(before, null)]).toEqual([null, null]);
});
