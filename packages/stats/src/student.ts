/** The 0.975 quantile of the standard normal distribution. */
export const NORMAL_975 = 1.959963984540054;

/** The 0.975 quantiles of Student's t distribution for 1 to 10 degrees of freedom. */
const STUDENT_975 = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281] as const;

/**
 * The 0.975 quantile of Student's t distribution: a table up to 10 degrees of freedom, above it the expansion of
 * Abramowitz & Stegun 26.7.5, which is right to three decimal places there.
 */
export function studentQuantile975(degreesOfFreedom: number): number {
  const known = STUDENT_975[degreesOfFreedom - 1];
  if (known !== undefined) return known;
  const z = NORMAL_975;
  const n = degreesOfFreedom;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / n + second / n ** 2 + third / n ** 3;
}
