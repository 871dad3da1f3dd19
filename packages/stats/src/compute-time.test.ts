import type { Sample } from "@evenbench/results";
import { expect, test } from "vitest";
import { testSample } from "../test/samples.ts";
import { computeTimes } from "./compute-time.ts";
import { drawNormal, seededRandom } from "./random.ts";

/**
 * Trials with rounds of a case that works for `computeMs` on top of a transfer time, both a little different
 * in each trial.
 */
function run(
  target: string,
  transferMs: number,
  computeMs: number,
  trials = 5,
  scatter = 0,
  seed = 1,
): Sample[] {
  const random = seededRandom(seed);
  return Array.from({ length: trials }, (_, trial) => {
    const way = transferMs * (1 + 0.02 * trial);
    const work = computeMs * (1 + 0.03 * trial) * Math.exp(scatter * drawNormal(random));
    return Array.from({ length: 8 }, (_unused, roundIndex) => [
      testSample({ target, trial, roundIndex, lastByteMs: way + work }),
      // The first rounds are warm-up of what only the payload uses.
      testSample({
        target,
        trial,
        roundIndex,
        phase: "transfer",
        lastByteMs: way + (roundIndex < 3 ? 50 : 0),
      }),
    ]).flat();
  }).flat();
}

test("what both spend on the way does not draw the ratio of their work towards 1", () => {
  const samples = [...run("node", 10, 10), ...run("other", 10, 20)];
  const [node, other] = computeTimes(samples, ["node", "other"], "node");
  expect(node).toMatchObject({ target: "node", ratio: null });
  expect(node?.transferMs).toBeCloseTo(10 * 1.04, 9);
  expect(node?.computeMs).toBeCloseTo(10 * 1.06, 9);
  // As times the ratio would be 1.5.
  expect(other?.ratio?.estimate).toBeCloseTo(2, 9);
});

test("its interval covers the true ratio in about 99 of 100 runs", () => {
  let covered = 0;
  for (let seed = 0; seed < 2000; seed++) {
    const samples = [...run("node", 1, 10, 5, 0.02, 2 * seed), ...run("other", 1, 12, 5, 0.02, 2 * seed + 1)];
    const ratio = computeTimes(samples, ["other"], "node")[0]?.ratio;
    if (ratio && ratio.low <= 1.2 && 1.2 <= ratio.high) covered += 1;
  }
  expect(covered / 2000).toBeGreaterThan(0.98);
  expect(covered / 2000).toBeLessThan(0.998);
});

test("work that vanishes in the noise has no ratio, and raw figures stay", () => {
  const samples = [...run("node", 10, 5), ...run("other", 10, -0.1)];
  const [, other] = computeTimes(samples, ["node", "other"], "node");
  expect(other?.ratio).toBeNull();
  expect(other?.computeMs).toBeLessThan(0);
});

test("without a transfer time there is nothing to say", () => {
  const samples = run("node", 10, 5).filter(({ phase }) => phase === "measure");
  expect(computeTimes(samples, ["node"], "node")).toEqual([]);
  const failed = run("node", 10, 5).map((sample) => ({
    ...sample,
    error: sample.phase === "transfer" ? ({ kind: "status", detail: "404" } as const) : null,
  }));
  expect(computeTimes(failed, ["node"], "node")).toEqual([]);
});
