import { expect, test } from "vitest";
import type { RatioInterval } from "./analysis.ts";
import { deviation, judge } from "./verdict.ts";

const around = (estimate: number, low: number, high: number): RatioInterval => ({
  estimate,
  low,
  high,
  level: 0.95,
});
const quiet = around(1.002, 0.99, 1.014);

test.each([
  [
    "clear of 1 against both copies of the baseline",
    around(1.03, 1.01, 1.05),
    around(1.028, 1.01, 1.05),
    quiet,
    "slower",
  ],
  ["the same below 1", around(0.97, 0.95, 0.99), around(0.968, 0.95, 0.99), quiet, "faster"],
  ["clear of 1, without a control", around(1.03, 1.01, 1.05), null, null, "slower"],
  [
    "clear of the baseline, not of its twin",
    around(1.03, 1.01, 1.05),
    around(1.02, 0.99, 1.05),
    quiet,
    "cannot tell",
  ],
  [
    "between the two copies",
    around(1.03, 1.01, 1.05),
    around(0.97, 0.95, 0.99),
    around(1.06, 1.04, 1.08),
    "cannot tell",
  ],
  [
    "less than between the two copies",
    around(0.98, 0.97, 0.99),
    around(0.95, 0.94, 0.96),
    around(1.03, 1.01, 1.05),
    "cannot tell",
  ],
  [
    "within the precision asked for",
    around(1.001, 0.99, 1.012),
    around(1, 0.99, 1.01),
    quiet,
    "no difference seen",
  ],
  [
    "within what the control could show",
    around(1, 0.97, 1.03),
    around(1, 0.97, 1.03),
    around(1, 0.965, 1.035),
    "no difference seen",
  ],
  ["wide, as the control", around(1, 0.9, 1.1), around(1, 0.9, 1.1), around(1, 0.85, 1.15), "cannot tell"],
  ["wide, without a control", around(1, 0.95, 1.05), null, null, "cannot tell"],
  [
    "clear of 1 but tiny, and the twin is no better",
    around(1.004, 1.001, 1.007),
    around(1.002, 0.999, 1.005),
    quiet,
    "no difference seen",
  ],
] as const)("%s", (_, ratio, ratioToTwin, control, verdict) => {
  expect(judge({ ratio, ratioToTwin, control }, 0.02)).toMatchObject({
    verdict,
    reason: expect.stringMatching(/\.$/),
  });
});

test("a run that cannot tell says what to do", () => {
  const ratio = around(1, 0.9, 1.1);
  expect(judge({ ratio, ratioToTwin: null, control: null }, 0.02).reason).toMatch(/--time/);
});

test("a ratio and its inverse are equally far from 1", () => {
  expect(deviation(1.25)).toBeCloseTo(0.25, 12);
  expect(deviation(0.8)).toBeCloseTo(0.25, 12);
});
