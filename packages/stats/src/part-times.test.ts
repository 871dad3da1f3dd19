import type { Timeline } from "@evenbench/results";
import { expect, test } from "vitest";
import { partTimes } from "./part-times.ts";
import { drawNormal, seededRandom } from "./random.ts";

const QUESTION = {
  targets: ["node", "worker", "node~copy"],
  baseline: "node",
  copy: "node~copy",
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

test("each part has its time, ratio and verdict: one may come sooner while the whole comes later", () => {
  const times = { node: [10, 20, 30], worker: [5, 20, 40], "node~copy": [10, 20, 30] } as const;
  const found = partTimes(timelinesOf(times), QUESTION);
  const of = (part: string) => found.find((one) => one.target === "worker" && one.part === part);
  expect(of("first")).toMatchObject({ verdict: "faster" });
  expect(of("first")?.ratio?.estimate).toBeCloseTo(0.5, 1);
  expect(of("half")).toMatchObject({ verdict: "same" });
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
