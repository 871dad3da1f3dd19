import type { Sample } from "@evenbench/core";
import { expect, test } from "vitest";
import { drawNormal, seededRandom } from "./random.ts";
import { testSample } from "./test-samples.ts";
import { workTimes } from "./work-time.ts";

/** Sets of instances with rounds of a case that works for `workMs` on top of a floor, both a little different in each set. */
function run(target: string, floorMs: number, workMs: number, sets = 5, scatter = 0, seed = 1): Sample[] {
  const random = seededRandom(seed);
  return Array.from({ length: sets }, (_, generation) => {
    const way = floorMs * (1 + 0.02 * generation);
    const work = workMs * (1 + 0.03 * generation) * Math.exp(scatter * drawNormal(random));
    return Array.from({ length: 8 }, (_unused, roundIndex) => [
      testSample({ target, generation, roundIndex, lastByteMs: way + work }),
      // The first rounds are warm-up of what only the payload uses.
      testSample({
        target,
        generation,
        roundIndex,
        phase: "floor",
        lastByteMs: way + (roundIndex < 3 ? 50 : 0),
      }),
    ]).flat();
  }).flat();
}

test("what both spend on the way does not draw the ratio of their work towards 1", () => {
  const samples = [...run("node", 10, 10), ...run("other", 10, 20)];
  const [node, other] = workTimes(samples, ["node", "other"], "node");
  expect(node).toMatchObject({ target: "node", ratio: null });
  expect(node?.floorMs).toBeCloseTo(10 * 1.04, 9);
  expect(node?.workMs).toBeCloseTo(10 * 1.06, 9);
  // As times the ratio would be 1.5.
  expect(other?.ratio?.estimate).toBeCloseTo(2, 9);
});

test("its interval covers the true ratio in 93 to 97 of 100 runs", () => {
  let covered = 0;
  for (let seed = 0; seed < 2000; seed++) {
    const samples = [...run("node", 1, 10, 5, 0.02, 2 * seed), ...run("other", 1, 12, 5, 0.02, 2 * seed + 1)];
    const ratio = workTimes(samples, ["other"], "node")[0]?.ratio;
    if (ratio && ratio.low <= 1.2 && 1.2 <= ratio.high) covered += 1;
  }
  expect(covered / 2000).toBeGreaterThan(0.93);
  expect(covered / 2000).toBeLessThan(0.97);
});

test("work that vanishes in the noise has no ratio, and raw figures stay", () => {
  const samples = [...run("node", 10, 5), ...run("other", 10, -0.1)];
  const [, other] = workTimes(samples, ["node", "other"], "node");
  expect(other?.ratio).toBeNull();
  expect(other?.workMs).toBeLessThan(0);
});

test("without a floor there is nothing to say", () => {
  const samples = run("node", 10, 5).filter(({ phase }) => phase === "measure");
  expect(workTimes(samples, ["node"], "node")).toEqual([]);
  const failed = run("node", 10, 5).map((sample) => ({
    ...sample,
    error: sample.phase === "floor" ? ({ kind: "status", detail: "404" } as const) : null,
  }));
  expect(workTimes(failed, ["node"], "node")).toEqual([]);
});
