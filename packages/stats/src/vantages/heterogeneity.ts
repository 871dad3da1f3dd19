/// <reference path="../jstat.d.ts" />
import jstat from "jstat";
import { sum } from "../sum.ts";
import type { Estimate } from "./difference.ts";

/** Whether estimates differ by more than their own errors explain. */
export interface Heterogeneity {
  /** Cochran's Q: squared distances from the weighted mean, each in units of its own error. */
  readonly q: number;
  /** What Q is on average where nothing but these errors makes them differ. */
  readonly degrees: number;
  /** Part of the estimates' scatter that is more than error, from 0 to 1 (Higgins & Thompson, 2002). */
  readonly iSquared: number;
  /** Chance of such a Q, or a larger one, where the truth is the same everywhere. */
  readonly p: number;
}

/**
 * Cochran's Q with I². Its chance is Welch's (1951), which is Q with the errors known by few trials only: Q's
 * own table takes them as exact, and with three trials a vantage calls equal ones different several times as
 * often as it should (docs/coverage.md).
 *
 * @returns null with fewer than two estimates, and where an error is not known or is 0.
 */
export function heterogeneity(estimates: readonly Estimate[]): Heterogeneity | null {
  const known = estimates.flatMap(({ estimate, error }) =>
    error === null || error.variance === 0 ? [] : [{ estimate, weight: 1 / error.variance, ...error }],
  );
  const degrees = known.length - 1;
  if (degrees < 1 || known.length < estimates.length) return null;
  const total = sum(known.map(({ weight }) => weight));
  const centre = sum(known.map(({ estimate, weight }) => estimate * weight)) / total;
  const q = sum(known.map(({ estimate, weight }) => weight * (estimate - centre) ** 2));
  const doubt = sum(known.map(({ weight, degrees: own }) => (1 - weight / total) ** 2 / own));
  const squared = known.length ** 2 - 1;
  const f = q / degrees / (1 + (2 * (known.length - 2) * doubt) / squared);
  return {
    q,
    degrees,
    iSquared: q > 0 ? Math.max(0, (q - degrees) / q) : 0,
    p: 1 - jstat.centralF.cdf(f, degrees, squared / (3 * doubt)),
  };
}
