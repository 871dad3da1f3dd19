/// <reference path="./jstat.d.ts" />
import jstat from "jstat";

/** The 0.025 and 0.975 quantiles of the chi-square distribution. */
export function chiSquareQuantiles(degreesOfFreedom: number): {
  readonly low: number;
  readonly high: number;
} {
  const at = (probability: number) => jstat.chisquare.inv(probability, degreesOfFreedom);
  return { low: at(0.025), high: at(0.975) };
}
