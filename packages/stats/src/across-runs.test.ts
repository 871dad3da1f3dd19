import { expect, test } from "vitest";
import { testSample as sample } from "../test/samples.ts";
import { compareMedians, judgeAcross, medianInterval, trialMedians } from "./across-runs.ts";
import { drawNormal, seededRandom } from "./random.ts";

const ratio = (estimate: number, low: number, high: number) => ({ estimate, low, high, level: 0.95 });

test("the medians of trials are of measured exchanges alone, and of trials with rounds enough", () => {
  const samples = [
    ...[1, 5, 3].map((lastByteMs, roundIndex) => sample({ trial: 0, roundIndex, lastByteMs })),
    ...[1, 2].map((lastByteMs, roundIndex) => sample({ trial: 1, roundIndex, lastByteMs })),
    sample({ trial: 0, roundIndex: 9, lastByteMs: 99, phase: "warmup" }),
  ];
  const [first] = samples;
  const medians = trialMedians(samples, first?.caseId ?? "", "lastByteMs");
  expect(medians.get(first?.target ?? "")).toEqual([3]);
});

test("trials that were not warm are left out, where at least half were", () => {
  const samples = [0, 1, 2].flatMap((trial) =>
    [0, 1, 2].map((roundIndex) => sample({ trial, roundIndex, lastByteMs: trial === 0 ? 50 : 10 })),
  );
  const warmOnes = (...warm: readonly number[]) =>
    new Map([
      [
        "node",
        new Map([0, 1, 2].map((trial) => [trial, { warm: warm.includes(trial), reason: "fell" }] as const)),
      ],
    ]);
  expect(trialMedians(samples, "case", "lastByteMs", warmOnes(1, 2)).get("node")).toEqual([10, 10]);
  expect(trialMedians(samples, "case", "lastByteMs", warmOnes(1)).get("node")).toEqual([50, 10, 10]);
});

test("the interval of Welch agrees with a worked example", () => {
  // NIST/SEMATECH e-Handbook, 7.3.1: unequal variances; here with hand-made logarithms 1..5 and 2, 4, 6.
  const [a, b] = [[1, 2, 3, 4, 5].map(Math.exp), [2, 4, 6].map(Math.exp)];
  const found = compareMedians(a, b);
  // means 3 and 4; errors 0.5 and 4/3; degrees of freedom 3.36 -> 3; t(0.995) = 5.8409.
  const half = 5.840909 * Math.sqrt(0.5 + 4 / 3);
  expect(Math.log(found?.estimate ?? 0)).toBeCloseTo(1, 9);
  expect(Math.log(found?.low ?? 0)).toBeCloseTo(1 - half, 6);
  expect(Math.log(found?.high ?? 0)).toBeCloseTo(1 + half, 6);
});

test("it covers the true ratio in at least 94 of 100 pairs of runs", () => {
  const random = seededRandom(3);
  const medians = (centre: number, spread: number) =>
    Array.from({ length: 5 }, () => centre * Math.exp(spread * drawNormal(random)));
  let covered = 0;
  for (let pair = 0; pair < 2000; pair++) {
    const found = compareMedians(medians(10, 0.01), medians(10.5, 0.03));
    if (found && found.low <= 1.05 && found.high >= 1.05) covered += 1;
  }
  expect(covered / 2000).toBeGreaterThan(0.94);
});

test("one trial has a median and no interval, none has neither", () => {
  expect(medianInterval([4])).toEqual({ estimate: 4, low: null, high: null });
  expect(medianInterval([])).toBeNull();
  expect(compareMedians([1], [1, 2, 3])).toBeNull();
});

test.each([
  ["slower", ratio(1.1, 1.05, 1.15)],
  ["faster", ratio(0.9, 0.85, 0.95)],
  ["inconclusive", ratio(1.1, 0.95, 1.2)],
  ["same", ratio(1.001, 0.99, 1.01)],
  ["inconclusive", null],
] as const)("it is %s with a ratio of %o", (verdict, found) => {
  expect(judgeAcross(found)).toBe(verdict);
});
