import { expect, test } from "vitest";
import { chiSquareQuantiles } from "./chi-square.ts";

// From tables of the chi-square distribution.
test.each([
  [4, 0.484, 11.143, 0.08],
  [9, 2.7, 19.023, 0.01],
  [19, 8.907, 32.852, 0.01],
  [59, 39.662, 82.117, 0.01],
])("the 95 %% range with %d degrees of freedom", (degrees, low, high, within) => {
  const found = chiSquareQuantiles(degrees);
  expect(Math.abs(found.low / low - 1)).toBeLessThan(within);
  expect(Math.abs(found.high / high - 1)).toBeLessThan(within);
});
