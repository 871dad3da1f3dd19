import { describe, expect, test } from "vitest";
import { coldIn, testSample } from "../test/samples.ts";
import {
  byInstance,
  coldTargets,
  instanceCells,
  instancesOf,
  type RoundValue,
  varianceOfRounds,
} from "./cells.ts";

/** Values of one instance, one a round. */
function roundsOf(target: string, trial: number, times: readonly number[]): readonly RoundValue[] {
  return times.map((ms, round) => ({ target, trial, round, ms }));
}

describe("the times of instances", () => {
  test("where a process is replaced within a trial, are those of the last one, which was warmed up anew", () => {
    const at = (startedAtMs: number, lastByteMs: number) => ({ startedAtMs, lastByteMs, caseId: "a" });
    const samples = [
      testSample({ ...at(1, 30), target: "other", phase: "warmup", roundIndex: 0 }),
      testSample({ ...at(2, 10), target: "other", roundIndex: 0 }),
      testSample({ ...at(3, 10), target: "other", roundIndex: 1 }),
      testSample({ ...at(4, 30), target: "other", phase: "warmup", roundIndex: 1 }),
      testSample({ ...at(5, 20), target: "other", roundIndex: 2 }),
      testSample({ ...at(6, 20), target: "other", roundIndex: 3 }),
      // Another trial, and another target, keep what they have.
      testSample({ ...at(7, 10), target: "other", trial: 1, roundIndex: 0 }),
      testSample({ ...at(3, 10), target: "node", roundIndex: 0 }),
    ];
    const instances = instancesOf(samples, "a", "lastByteMs");
    const rounds = instances.map((instance) => Object.fromEntries(instance.rounds));
    expect(instances.map(({ target, trial }) => `${target} ${trial}`)).toEqual([
      "other 0",
      "other 1",
      "node 0",
    ]);
    expect(rounds).toEqual([{ 2: 20, 3: 20 }, { 0: 10 }, { 0: 10 }]);
  });
});

describe("an instance's value", () => {
  test("is its median where the targets of a trial share no rounds", () => {
    const late = roundsOf("b", 0, [20, 20, 20]).map((value) => ({ ...value, round: value.round + 10 }));
    const cells = instanceCells(byInstance([...roundsOf("a", 0, [10, 10, 40]), ...late]), ["a", "b"]);
    expect(cells.map(({ value }) => Math.exp(value))).toEqual([expect.closeTo(10, 9), expect.closeTo(20, 9)]);
  });

  test("of a target that was not warm has the reason, and moves no other", () => {
    const cold = roundsOf("b", 0, [90, 50, 20]);
    const instances = byInstance([...roundsOf("a", 0, [10, 10, 10]), ...cold]);
    const [a, b] = instanceCells(instances, ["a", "b"], { warm: coldIn("b", [0]) });
    expect(b?.cold?.code).toBe("still-falling");
    expect(a?.value).toBe(0);
  });
});

describe("a target has no verdict", () => {
  const FELL = { code: "fell", by: 0.25, afterRounds: 12 } as const;
  const cells = (warm: number, cold: number) => [
    ...Array.from({ length: warm }, () => ({ target: "a", cold: null })),
    ...Array.from({ length: cold }, () => ({ target: "a", cold: FELL })),
  ];

  test.each([
    [2, 2, false],
    [2, 3, true],
    [1, 1, true],
    // Too few trials, but none that was not warm: that is no lack of warmth.
    [1, 0, false],
  ])("with %i warm trials and %i others: %s", (warm, cold, expected) => {
    expect(coldTargets(cells(warm, cold)).has("a")).toBe(expected);
  });

  test("and is told how many trials were not warm, and why the first was not", () => {
    expect(coldTargets(cells(1, 2)).get("a")).toEqual({ coldTrials: 2, trials: 3, first: FELL });
  });
});

test("the variance of rounds is that of a half against the other, a quarter of it, and nothing of one trial", () => {
  // In logarithms, target b is 1 above a in the first half of its rounds and at a's level in the second.
  const trial = (index: number, first: number) => [
    ...roundsOf("a", index, [1, 1, 1, 1, 1, 1]),
    ...roundsOf("b", index, [first, first, first, 1, 1, 1]),
  ];
  const instances = byInstance([...trial(0, Math.E), ...trial(1, 1 / Math.E)]);
  // Differences of halves are ±1/2 of each target about their trial's mean: squares of 1 are left, with 2
  // degrees of freedom.
  expect(varianceOfRounds(instances, ["a", "b"])).toBeCloseTo(1 / 2 / 4, 12);
  expect(varianceOfRounds(byInstance(roundsOf("a", 0, [1, 2, 3, 4, 5, 6])), ["a"])).toBeNull();
});
