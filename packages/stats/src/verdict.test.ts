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
    "clear of the baseline, not of its A/A copy",
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
    "beyond the control's estimate, within its interval",
    around(1.18, 1.1, 1.27),
    around(1.17, 1.09, 1.26),
    around(1.04, 0.87, 1.24),
    "cannot tell",
  ],
  [
    "as far below 1 as the control reaches above it",
    around(0.82, 0.78, 0.86),
    around(0.82, 0.78, 0.86),
    around(1.04, 0.87, 1.24),
    "cannot tell",
  ],
  [
    "beyond the control's interval on the other side of 1",
    around(0.79, 0.76, 0.82),
    around(0.79, 0.76, 0.82),
    around(1.04, 0.87, 1.24),
    "faster",
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
    "clear of 1 but tiny, and the A/A copy is no better",
    around(1.004, 1.001, 1.007),
    around(1.002, 0.999, 1.005),
    quiet,
    "no difference seen",
  ],
] as const)("%s", (_, ratio, ratioToCopy, control, verdict) => {
  expect(judge({ ratio, ratioToCopy, control }, 0.02)).toMatchObject({
    verdict,
    reason: expect.stringMatching(/\.$/),
  });
});

test("a run that cannot tell says what to do", () => {
  const ratio = around(1, 0.9, 1.1);
  expect(judge({ ratio, ratioToCopy: null, control: null }, 0.02).reason).toMatch(/--time/);
});

test("what the control does not bear out says which of its two parts does not", () => {
  const ratio = around(1.1, 1.05, 1.15);
  const within = judge({ ratio, ratioToCopy: ratio, control: around(1, 0.9, 1.2) }, 0.02);
  expect(within.reason).toContain("within the control's noise");
  const notCopy = judge({ ratio, ratioToCopy: around(1.1, 0.98, 1.2), control: quiet }, 0.02);
  expect(notCopy.reason).toContain("against the baseline's A/A copy does not");
});

test("a ratio and its inverse are equally far from 1", () => {
  expect(deviation(1.25)).toBeCloseTo(0.25, 12);
  expect(deviation(0.8)).toBeCloseTo(0.25, 12);
});
