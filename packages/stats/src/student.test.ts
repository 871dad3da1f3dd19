import { expect, test } from "vitest";
import { studentQuantileOf } from "./student.ts";

// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, column 0.995.
test.each([
  [1, 63.657],
  [2, 9.925],
  [4, 4.604],
  [10, 3.169],
  [29, 2.756],
])("t(0.995) with %i degrees of freedom is %f", (degreesOfFreedom, expected) => {
  expect(studentQuantileOf(degreesOfFreedom)).toBeCloseTo(expected, 3);
});
