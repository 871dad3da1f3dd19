import { NORMAL_975 } from "./student.ts";

/**
 * The 0.025 and 0.975 quantiles of the chi-square distribution by the cube-root approximation of Wilson & Hilferty (1931):
 * within 8 % with 4 degrees of freedom, 1 % from 9 on.
 */
export function chiSquareQuantiles(degreesOfFreedom: number): {
  readonly low: number;
  readonly high: number;
} {
  const spread = 2 / (9 * degreesOfFreedom);
  const at = (z: number) => degreesOfFreedom * Math.max(0, 1 - spread + z * Math.sqrt(spread)) ** 3;
  return { low: at(-NORMAL_975), high: at(NORMAL_975) };
}
