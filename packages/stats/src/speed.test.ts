import { expect, test } from "vitest";
import { simulateSamples, TEST_SCENARIO } from "../test/samples.ts";
import { fitCase } from "./analyse-case.ts";
import { seededRandom } from "./random.ts";
import { changeOfSpeed, isUnsteady } from "./speed.ts";

const TARGETS = ["node", "node~copy", "other"];

/** The change of speed that is found where the last of four trials took `factor` times as long. */
function found(factor: number, targets: readonly string[] = TARGETS, instanceSd = 0.02) {
  const scenario = { ...TEST_SCENARIO, instanceSd, drift: 0, outliers: 0, trials: 4 };
  const samples = simulateSamples(scenario, 1.3, seededRandom(5)).map((sample) => ({
    ...sample,
    lastByteMs: (sample.lastByteMs ?? 0) * (sample.trial === 3 ? factor : 1),
  }));
  return changeOfSpeed(
    fitCase(samples, { caseId: "case", metric: "lastByteMs", baseline: "node", copy: null, targets }),
  );
}

test("what all targets take longer in a trial is found with its interval, whatever they differ by themselves", () => {
  const change = found(1.6);
  expect(change?.low).toBeLessThan(1.6);
  expect(change?.high).toBeGreaterThan(1.6);
  expect(change?.low).toBeGreaterThan(1.4);
  expect(isUnsteady(change)).toBe(true);
});

test.each([
  ["a steady machine", found(1)],
  ["a small change", found(1.15)],
  ["instances that differ by as much", found(1.3, TARGETS, 0.2)],
])("%s is not called unsteady", (_, change) => {
  expect(change).not.toBeNull();
  expect(isUnsteady(change)).toBe(false);
});

test("one target alone does not tell its instances from the machine", () => {
  expect(found(1.6, ["node"])).toBeNull();
});
