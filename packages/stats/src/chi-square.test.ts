import { expect, test } from "vitest";
import { chiSquareQuantiles } from "./chi-square.ts";

// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4, columns 0.025 and 0.975.
test.each([
  [1, 0.001, 5.024],
  [2, 0.051, 7.378],
  [4, 0.484, 11.143],
  [9, 2.7, 19.023],
  [14, 5.629, 26.119],
  [19, 8.907, 32.852],
  [29, 16.047, 45.722],
  [59, 39.662, 82.117],
])("the 95 %% range with %d degrees of freedom", (degrees, low, high) => {
  const found = chiSquareQuantiles(degrees);
  expect(found.low).toBeCloseTo(low, 3);
  expect(found.high).toBeCloseTo(high, 3);
});
