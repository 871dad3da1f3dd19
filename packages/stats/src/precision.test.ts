import { expect, test } from "vitest";
import { TEST_SCENARIO, testRun } from "../test/samples.ts";
import { analyseCase } from "./analyse-case.ts";
import { isPreciseEnough } from "./precision.ts";

const analyse = (ratio: number, scenario = TEST_SCENARIO) =>
  analyseCase(testRun(ratio, 1, scenario), {
    caseId: "case",
    metric: "lastByteMs",
    baseline: "node",
    copy: "node~copy",
    targets: ["node", "other"],
  });
const still = { ...TEST_SCENARIO, instanceSd: 0.001, roundsPerTrial: 200 };

test("narrow intervals are precise enough, wherever they lie", () => {
  expect(isPreciseEnough(analyse(1, still), 0.02)).toBe(true);
  expect(isPreciseEnough(analyse(2, still), 0.02)).toBe(true);
});

test("wide intervals are not", () => {
  expect(isPreciseEnough(analyse(1, { ...TEST_SCENARIO, instanceSd: 0.1 }), 0.02)).toBe(false);
});

test("what is not warm is not known, however narrow", () => {
  const precise = analyse(1.5, still);
  const comparisons = precise.comparisons.map((one) => ({ ...one, verdict: "not warm" as const }));
  expect(isPreciseEnough({ ...precise, comparisons }, 0.02)).toBe(false);
});

test("a comparison without an interval is not precise", () => {
  expect(isPreciseEnough(analyse(1, { ...still, trials: 1 }), 0.02)).toBe(false);
});

test("the control has to be precise too", () => {
  const precise = analyse(1, still);
  const { control } = analyse(1, { ...TEST_SCENARIO, instanceSd: 0.1 });
  expect(isPreciseEnough({ ...precise, control }, 0.02)).toBe(false);
});
