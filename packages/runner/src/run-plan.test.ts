import { expect, test } from "vitest";
import { expectedTimes, planOf } from "./run-plan.ts";
import { strangerCase, strangerUrl } from "./strangers.ts";

const costs = { page: { roundMs: 30, startMs: 1000, warmUpMs: 100, searchMs: 0 } };

test("where trials and rounds are fixed, as with --quick, a case takes what these cost, and no more", () => {
  const plan = { caseBudgetMs: {}, roundsPerTrial: 3, trials: { minimum: 2, maximum: 2 } };
  expect(expectedTimes(plan, costs)).toEqual({ page: 2 * (1000 + 100 + 3 * 30) });
});

test("where trials are fixed and rounds are not, each trial counts: a longer run is announced as one", () => {
  const timeOf = (trials: number) =>
    expectedTimes(
      { caseBudgetMs: {}, roundsPerTrial: null, trials: { minimum: trials, maximum: trials } },
      costs,
    ).page ?? 0;
  expect(timeOf(3)).toBeGreaterThan(3 * 3000);
  expect(timeOf(100)).toBe((timeOf(3) / 3) * 100);
});

test("a case with a time of its own takes that", () => {
  const plan = { caseBudgetMs: { page: 5000 }, roundsPerTrial: 3, trials: { minimum: 2, maximum: 2 } };
  expect(expectedTimes(plan, costs)).toEqual({ page: 5000 });
});

test("a case that is named as something every object inherits is planned like any other", () => {
  const request = { method: "GET", headers: [], body: null };
  const asked = { method: "GET", headers: {}, body: null };
  const options = {
    targets: ["a", "b"].map((name) => strangerUrl(name, "http://127.0.0.1:1", asked)),
    cases: { stranger: [strangerCase("/constructor", [], request, [])] },
    out: "",
  };
  const costOfAny = { constructor: costs.page };
  const plan = planOf(options, costOfAny);
  expect(plan.trials.maximum).toBe(10);
  expect(expectedTimes(plan, costOfAny)).toEqual({ constructor: expect.any(Number) });
});

test("a run with more targets than its own record may have is refused before anything is measured", () => {
  const asked = { method: "GET", headers: {}, body: null };
  const targets = Array.from({ length: 101 }, (_, n) => strangerUrl(`t${n}`, "http://127.0.0.1:1", asked));
  const request = { method: "GET", headers: [], body: null };
  const cases = { stranger: [strangerCase("/", [], request, [])] };
  expect(() => planOf({ targets, cases, out: "" }, {})).toThrow(/at most 100 targets/);
});
