// What experiments decide by their contrasts, from data that was made up to have a known answer.
import type { SideResult } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { around, experiment, experiments, measured } from "../test/measured.ts";
import { sidesOf } from "./define.ts";

/** What an experiment without measurements of its own says when every contrast is `ratio`. */
function verdictOf(id: string, ratio: number, more?: (name: string) => Partial<SideResult>) {
  const { comparisons = [], decide } = experiment(id);
  const results = comparisons.map((plan) => [plan.id, measured(plan, () => ratio, more)]);
  const versions = { "V8 in Node.js": "13.6.1", "V8 in workerd": "15.8.2" };
  return decide({ comparisons: Object.fromEntries(results), own: [], versions });
}

test.each(experiments)("$id says what was published, where, and which sides it needs", (one) => {
  for (const text of [one.title, one.claim, one.published, one.source.title, one.source.publisher]) {
    expect(text).toMatch(/\w/);
  }
  expect(one.source.date ?? "2025").toMatch(/^\d{4}(-\d{2}){0,2}$/);
  expect(sidesOf(one).length).toBeGreaterThan(0);
});

const goByRounds = experiments.filter(({ measure }) => measure === undefined);

test.each(goByRounds)("$id cannot tell when nothing was measured, and does not fail", ({ id, decide }) => {
  const { verdict, reason } = decide({ comparisons: {}, own: undefined, versions: {} });
  // Prices are not measured: they are read.
  expect(verdict).toBe(id === "price" ? "reproduced" : "inconclusive");
  expect(reason).toMatch(/\w/);
});

describe("claims that contrasts decide", () => {
  test.each([
    ["same-engine", 1.05, "reproduced"],
    ["same-engine", 1.6, "not reproduced"],
    ["same-engine", 0.6, "not reproduced"],
    ["trig", 3.1, "reproduced"],
    ["trig", 1.2, "not reproduced"],
    ["trig", 0.5, "reversed"],
    ["stream-copies", 1.5, "reproduced"],
    ["stream-copies", 1, "not reproduced"],
    ["stream-copies", 0.8, "reversed"],
    ["node-env", 3, "reproduced"],
    ["node-env", 1, "not reproduced"],
    ["one-vcpu", 1, "reproduced"],
    ["one-vcpu", 0.8, "not reproduced"],
    ["second-core", 0.8, "reproduced"],
    ["spacing", 0.8, "reproduced"],
    ["concurrent-recompilation", 1.6, "reproduced"],
    ["concurrent-recompilation", 1, "not reproduced"],
    ["concurrent-recompilation", 0.8, "reversed"],
    ["young-generation", 1.3, "reproduced"],
    ["young-generation", 1, "not reproduced"],
    ["young-generation", 0.9, "reversed"],
  ])("%s with a ratio of %d: %s", (id, ratio, verdict) => {
    expect(verdictOf(id, ratio).verdict).toBe(verdict);
  });

  test.each([
    [1.6, 1.2, "reproduced"],
    [1.6, 1.6, "inconclusive"],
    [1.05, 1, "not reproduced"],
  ])("a reviver %d times as slow, and %d without one: %s", (withOne, without, verdict) => {
    const { comparisons = [], decide } = experiment("reviver");
    const ratioOf = (side: string, against: string) =>
      against.endsWith("without") && side.endsWith("with") ? 4 : side.endsWith("without") ? without : withOne;
    const results = Object.fromEntries(comparisons.map((plan) => [plan.id, measured(plan, ratioOf)]));
    const versions = { "V8 in Node.js": "13.6.1", "V8 in workerd": "15.8.2" };
    expect(decide({ comparisons: results, own: undefined, versions }).verdict).toBe(verdict);
  });

  test("the gain of the reviver needs engines on either side of the change", () => {
    const { comparisons = [], decide } = experiment("reviver");
    const results = Object.fromEntries(comparisons.map((plan) => [plan.id, measured(plan, () => 4)]));
    const versions = { "V8 in Node.js": "14.4.1", "V8 in workerd": "15.8.2" };
    const { verdict, reason } = decide({ comparisons: results, own: undefined, versions });
    expect([verdict, reason]).toEqual(["inconclusive", expect.stringContaining("14.4.1")]);
  });

  test.each([
    [5, "reproduced"],
    [1.1, "not reproduced"],
    [2, "inconclusive"],
  ])("first-byte with a last byte %d times as late as the first: %s", (ratio, verdict) => {
    expect(verdictOf("first-byte", 1, () => ({ lastToFirst: around(ratio) })).verdict).toBe(verdict);
  });

  test("a ratio that one core or spacing changes is said to be another answer", () => {
    const { comparisons = [], decide } = experiment("spacing");
    const results = Object.fromEntries(
      comparisons.map((plan) => [plan.id, measured(plan, () => (plan.spacing === 1 ? 0.9 : 0.6))]),
    );
    expect(decide({ comparisons: results, own: undefined, versions: {} }).verdict).toBe("not reproduced");
    const cores = experiment("second-core");
    const ofCores = (cores.comparisons ?? []).map((plan) => [
      plan.id,
      measured(plan, (side) => (side.endsWith("one") ? 0.9 : 0.6)),
    ]);
    const evidence = { comparisons: Object.fromEntries(ofCores), own: undefined, versions: {} };
    expect(cores.decide(evidence).verdict).toBe("not reproduced");
  });
});
