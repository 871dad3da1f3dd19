import { mean, variance } from "../quantile.ts";
import { studentQuantileOf } from "../student.ts";

/** How much longer a target took than the baseline in one trial of one client. */
export interface TrialDifference {
  readonly vantage: string;
  readonly client: string;
  readonly trial: number;
  /**
   * Names the edges through which both answered; null where neither names one. Trials with one key share a
   * way, and its errors.
   */
  readonly edge: string | null;
  readonly ms: number;
}

/** An estimate in milliseconds with its 99 % interval. */
export interface MsInterval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** A mean with what is known of its error. */
export interface Estimate {
  readonly estimate: number;
  /** Its variance, and by how many degrees of freedom that is known; null where one value says nothing of scatter. */
  readonly error: { readonly variance: number; readonly degrees: number } | null;
}

/** How much longer a target took than the baseline, seen from one vantage. Milliseconds. */
export interface VantageDifference extends Estimate {
  readonly vantage: string;
  /** Of this vantage alone; null with one trial. */
  readonly interval: MsInterval | null;
  readonly clients: number;
  readonly trials: number;
  /** Keys of its edges, each once; empty where none is named. */
  readonly edges: readonly string[];
}

/**
 * The difference at each vantage, in the order of the trials. Clients behind one edge are one unit, whose
 * value is the mean of its trials; a vantage's is the mean of its units. Its error comes from the units where
 * it has several, and else from the trials of its only one.
 */
export function vantageDifferences(trials: readonly TrialDifference[]): readonly VantageDifference[] {
  return [...Map.groupBy(trials, ({ vantage }) => vantage)].map(([vantage, own]) => {
    const units = [...Map.groupBy(own, ({ edge }) => edge).values()].map((unit) => unit.map(({ ms }) => ms));
    const known = units.length > 1 ? estimateOf(units.map(mean)) : estimateOf(units[0] ?? []);
    return {
      ...known,
      vantage,
      interval: intervalOf(known),
      clients: new Set(own.map(({ client }) => client)).size,
      trials: own.length,
      edges: [...new Set(own.flatMap(({ edge }) => edge ?? []))],
    };
  });
}

/** Their mean, and its error by their scatter. */
export function estimateOf(values: readonly number[]): Estimate {
  const degrees = values.length - 1;
  return {
    estimate: mean(values),
    error: degrees < 1 ? null : { variance: variance(values) / values.length, degrees },
  };
}

/** By Student's t; null where the error is not known. */
export function intervalOf({ estimate, error }: Estimate): MsInterval | null {
  if (error === null) return null;
  const half = studentQuantileOf(error.degrees) * Math.sqrt(error.variance);
  return { estimate, low: estimate - half, high: estimate + half };
}
