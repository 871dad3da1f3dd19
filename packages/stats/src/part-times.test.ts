import type { Timeline } from "@evenbench/results";
import { expect, test } from "vitest";
import { partTimes } from "./part-times.ts";
import { drawNormal, seededRandom } from "./random.ts";
import { partsSaid } from "./simulation-parts.ts";
import { TEST_SCENARIO } from "./test-samples.ts";

const QUESTION = {
  targets: ["node", "worker", "node~copy"],
  baseline: "node",
  copy: "node~copy",
  precision: 0.02,
};

/** Six trials of three rounds each: parts of 10, 40 and 50 bytes at the times given, with a scatter of 1 %. */
function timelinesOf(times: Readonly<Record<string, readonly [number, number, number]>>): Timeline[] {
  const random = seededRandom(7);
  const noisy = (ms: number) => ms * Math.exp(0.01 * drawNormal(random));
  return Object.entries(times).flatMap(([target, [first, half, last]]) =>
    Array.from({ length: 18 }, (_, index) => ({
      caseId: "page",
      target,
      trial: Math.floor(index / 3),
      round: index % 3,
      arrivals: [
        [noisy(first), 10],
        [noisy(half), 50],
        [noisy(last), 100],
      ] as const,
    })),
  );
}

test("parts of a target that was not warm have no other verdict than that", () => {
  const times = { node: [10, 20, 30], worker: [5, 20, 40], "node~copy": [10, 20, 30] } as const;
  const trials = [0, 1, 2, 3, 4, 5].map((trial) => [trial, { warm: trial > 3, reason: "fell" }] as const);
  const found = partTimes(timelinesOf(times), { ...QUESTION, warm: new Map([["worker", new Map(trials)]]) });
  const verdicts = found.filter(({ target }) => target === "worker").map(({ verdict }) => verdict);
  expect(verdicts).toEqual(["not warm", "not warm", "not warm"]);
});

test("parts have no verdict where the planned A/A copy has no times, or was not warm", () => {
  const times = { node: [10, 20, 30], worker: [5, 20, 40] } as const;
  const verdictsIn = (found: ReturnType<typeof partTimes>) =>
    found.filter(({ target }) => target === "worker").map(({ verdict }) => verdict);
  expect(verdictsIn(partTimes(timelinesOf(times), QUESTION))).toEqual(Array(3).fill("cannot tell"));
  const trials = [0, 1, 2, 3, 4, 5].map((trial) => [trial, { warm: trial > 3, reason: "fell" }] as const);
  const cold = { ...QUESTION, warm: new Map([["node~copy", new Map(trials)]]) };
  const all = timelinesOf({ ...times, "node~copy": [10, 20, 30] });
  expect(verdictsIn(partTimes(all, cold))).toEqual(Array(3).fill("not warm"));
});

test("parts are not warm where target and baseline were so in different trials", () => {
  const times = { node: [10, 20, 30], worker: [5, 20, 40], "node~copy": [10, 20, 30] } as const;
  const warmIn = (from: number, to: number) =>
    new Map(
      [0, 1, 2, 3, 4, 5].map(
        (trial) => [trial, { warm: trial >= from && trial <= to, reason: "fell" }] as const,
      ),
    );
  const warm = new Map([
    ["worker", warmIn(0, 3)],
    ["node", warmIn(2, 5)],
  ]);
  const found = partTimes(timelinesOf(times), { ...QUESTION, warm });
  const verdicts = found.filter(({ target }) => target === "worker").map(({ verdict }) => verdict);
  expect(verdicts).toEqual(Array(3).fill("not warm"));
});

test("each part has its time, ratio and verdict: one may come sooner while the whole comes later", () => {
  const times = { node: [10, 20, 30], worker: [5, 20, 40], "node~copy": [10, 20, 30] } as const;
  const found = partTimes(timelinesOf(times), QUESTION);
  const of = (part: string) => found.find((one) => one.target === "worker" && one.part === part);
  expect(of("first")).toMatchObject({ verdict: "faster" });
  expect(of("first")?.ratio?.estimate).toBeCloseTo(0.5, 1);
  expect(of("half")).toMatchObject({ verdict: "no difference seen" });
  expect(of("last")).toMatchObject({ verdict: "slower" });
  expect(of("last")?.ms).toBeCloseTo(40, 0);
});

test("the baseline and its copy have times, and no verdict", () => {
  const found = partTimes(timelinesOf({ node: [10, 20, 30], "node~copy": [10, 20, 30] }), QUESTION);
  expect(found).toHaveLength(6);
  for (const { ratio, verdict } of found) expect([ratio, verdict]).toEqual([null, null]);
});

test("bodies that came whole have no parts", () => {
  expect(partTimes([], QUESTION)).toEqual([]);
});

test("one trial gives a time and no ratio", () => {
  const one = timelinesOf({ node: [10, 20, 30], worker: [5, 20, 40] }).filter(({ trial }) => trial === 0);
  const worker = partTimes(one, { ...QUESTION, copy: null }).filter(({ target }) => target === "worker");
  expect(worker.map(({ ratio, verdict }) => [ratio, verdict])).toEqual([
    [null, null],
    [null, null],
    [null, null],
  ]);
});

test("what slows whole rounds changes no ratio", () => {
  const steady = timelinesOf({ node: [10, 20, 30], worker: [9, 22, 40], "node~copy": [10, 20, 30] });
  const slowed = steady.map((one) =>
    one.round === 1
      ? { ...one, arrivals: one.arrivals.map(([ms, bytes]) => [ms * 1.6, bytes] as const) }
      : one,
  );
  const ratios = (timelines: readonly Timeline[]) =>
    partTimes(timelines, QUESTION).map(({ ratio }) => ratio?.estimate.toFixed(9));
  expect(ratios(slowed)).toEqual(ratios(steady));
});

test("simulated intervals hold the truth, and equal pages are seldom called different", () => {
  const scenario = { ...TEST_SCENARIO, roundsPerTrial: 5 };
  expect(partsSaid(scenario, 1.1, 300, 1).coverage).toBeGreaterThan(0.92);
  expect(partsSaid(scenario, 1, 300, 2).called).toBeLessThan(0.04);
  expect(partsSaid(scenario, 1.05, 300, 3).called).toBeGreaterThan(0.5);
});
