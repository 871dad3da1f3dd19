/// <reference path="./jstat.d.ts" />
import jstat from "jstat";

/** The 0.975 quantile of the standard normal distribution. */
export const NORMAL_975 = 1.959963984540054;

/** The 0.975 quantile of Student's t distribution. */
export function studentQuantile975(degreesOfFreedom: number): number {
  return jstat.studentt.inv(0.975, degreesOfFreedom);
}
