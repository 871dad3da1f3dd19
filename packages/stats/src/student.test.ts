import { expect, test } from "vitest";
import { studentQuantile975 } from "./student.ts";

// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, column 0.975.
test.each([
  [1, 12.706],
  [2, 4.303],
  [4, 2.776],
  [10, 2.228],
  [11, 2.201],
  [14, 2.145],
  [19, 2.093],
  [29, 2.045],
  [100, 1.984],
])("t(0.975) with %i degrees of freedom is %f", (degreesOfFreedom, expected) => {
  expect(studentQuantile975(degreesOfFreedom)).toBeCloseTo(expected, 3);
});

test("it falls towards the normal quantile", () => {
  const values = Array.from({ length: 200 }, (_, index) => studentQuantile975(index + 1));
  expect(values).toEqual([...values].sort((a, b) => b - a));
  expect(studentQuantile975(1e6)).toBeCloseTo(1.95996, 4);
});
