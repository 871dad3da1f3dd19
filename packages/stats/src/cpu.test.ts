import type { InstanceUsage } from "@evenbench/results";
import { expect, test } from "vitest";
import { summariseCpu } from "./cpu.ts";
import { drawNormal, seededRandom } from "./random.ts";

function usage(target: string, trial: number, msPerExchange: number): InstanceUsage {
  const cpuMs = msPerExchange * 50;
  return {
    caseId: "case",
    target,
    trial,
    exchanges: 50,
    cpuMs,
    userMs: cpuMs * 0.75,
    systemMs: cpuMs * 0.25,
    minorFaults: null,
    residentBytes: 100 + trial,
    peakResidentBytes: 200 + trial,
  };
}

test("a target's CPU time per exchange is compared within trials, where a slow machine slows both", () => {
  const slowness = [1, 1.5, 0.8, 2, 1.1];
  const rows = slowness.flatMap((slow, trial) => [
    usage("node", trial, 10 * slow),
    usage("vercel", trial, 12 * slow),
  ]);
  const [node, vercel] = summariseCpu(rows, ["node", "vercel"], "node");
  expect(node).toMatchObject({ target: "node", ratio: null, systemShare: 0.25, residentBytes: 104 });
  expect(vercel?.msPerExchange).toBeCloseTo((node?.msPerExchange ?? 0) * 1.2, 9);
  expect(vercel?.ratio?.estimate).toBeCloseTo(1.2, 9);
  expect(vercel?.ratio?.low).toBeCloseTo(1.2, 6);
  expect(vercel?.ratio?.high).toBeCloseTo(1.2, 6);
});

test("page faults are told for one exchange, and not at all where one reading lacks them", () => {
  const rows = [0, 1].map((trial) => ({
    ...usage("node", trial, 10),
    minorFaults: 500 + 100 * trial,
  }));
  expect(summariseCpu(rows, ["node"], "node")[0]?.minorFaults).toBe(11);
  expect(summariseCpu([...rows, usage("node", 2, 10)], ["node"], "node")[0]?.minorFaults).toBe(null);
});

test("its interval covers the true ratio in 99 of 100 runs, also with few trials", () => {
  const random = seededRandom(1);
  const runs = 2000;
  let covered = 0;
  for (let run = 0; run < runs; run++) {
    const rows = Array.from({ length: 5 }, (_, trial) => [
      usage("node", trial, 10 * Math.exp(0.02 * drawNormal(random))),
      usage("vercel", trial, 11 * Math.exp(0.03 * drawNormal(random))),
    ]).flat();
    const ratio = summariseCpu(rows, ["vercel"], "node")[0]?.ratio;
    if (ratio && ratio.low <= 1.1 && ratio.high >= 1.1) covered += 1;
  }
  expect(covered / runs).toBeGreaterThan(0.98);
  expect(covered / runs).toBeLessThan(0.998);
});

test("without an account, or with one trial, there is nothing to compare", () => {
  expect(summariseCpu([], ["node"], "node")).toEqual([]);
  const rows = [usage("node", 0, 10), usage("vercel", 0, 12), { ...usage("vercel", 1, 12), exchanges: 0 }];
  expect(summariseCpu(rows, ["vercel"], "node")[0]?.ratio).toBeNull();
});
