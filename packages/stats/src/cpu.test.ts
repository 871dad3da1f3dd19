import type { InstanceUsage } from "@evenbench/core";
import { expect, test } from "vitest";
import { summariseCpu } from "./cpu.ts";
import { drawNormal, seededRandom } from "./random.ts";

function usage(target: string, generation: number, msPerExchange: number): InstanceUsage {
  const cpuMs = msPerExchange * 50;
  return {
    caseId: "case",
    target,
    generation,
    exchanges: 50,
    cpuMs,
    userMs: cpuMs * 0.75,
    systemMs: cpuMs * 0.25,
    residentBytes: 100 + generation,
    peakResidentBytes: 200 + generation,
  };
}

test("a target's CPU time per exchange is compared within generations, where a slow machine slows both", () => {
  const slowness = [1, 1.5, 0.8, 2, 1.1];
  const rows = slowness.flatMap((slow, generation) => [
    usage("node", generation, 10 * slow),
    usage("vercel", generation, 12 * slow),
  ]);
  const [node, vercel] = summariseCpu(rows, ["node", "vercel"], "node");
  expect(node).toMatchObject({ target: "node", ratio: null, systemShare: 0.25, residentBytes: 104 });
  expect(vercel?.msPerExchange).toBeCloseTo((node?.msPerExchange ?? 0) * 1.2, 9);
  expect(vercel?.ratio?.estimate).toBeCloseTo(1.2, 9);
  expect(vercel?.ratio?.low).toBeCloseTo(1.2, 6);
  expect(vercel?.ratio?.high).toBeCloseTo(1.2, 6);
});

test("its interval covers the true ratio in 95 of 100 runs, also with few generations", () => {
  const random = seededRandom(1);
  const runs = 2000;
  let covered = 0;
  for (let run = 0; run < runs; run++) {
    const rows = Array.from({ length: 5 }, (_, generation) => [
      usage("node", generation, 10 * Math.exp(0.02 * drawNormal(random))),
      usage("vercel", generation, 11 * Math.exp(0.03 * drawNormal(random))),
    ]).flat();
    const ratio = summariseCpu(rows, ["vercel"], "node")[0]?.ratio;
    if (ratio && ratio.low <= 1.1 && ratio.high >= 1.1) covered += 1;
  }
  expect(covered / runs).toBeGreaterThan(0.93);
  expect(covered / runs).toBeLessThan(0.97);
});

test("without an account, or with one generation, there is nothing to compare", () => {
  expect(summariseCpu([], ["node"], "node")).toEqual([]);
  const rows = [usage("node", 0, 10), usage("vercel", 0, 12), { ...usage("vercel", 1, 12), exchanges: 0 }];
  expect(summariseCpu(rows, ["vercel"], "node")[0]?.ratio).toBeNull();
});
