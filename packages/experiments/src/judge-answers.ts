import type { ComparisonResult, Contrast, Estimate, Figure } from "@evenbench/results";
import { type ContrastMetric, findContrast } from "./judge.ts";

interface Answer {
  readonly comparison: ComparisonResult | undefined;
  readonly side: string;
  readonly against: string;
}

export interface AnswersQuestion {
  readonly label: string;
  readonly metric: ContrastMetric;
  readonly one: Answer;
  readonly other: Answer;
  /** What still counts as the same answer, as a fraction. */
  readonly within: number;
}

/**
 * Judges a claim that two ways of measuring give the same ratio. The figure is the one ratio divided by the
 * other; its interval adds the two half-widths on the scale of logarithms in quadrature, as for independent
 * estimates. Reproduced when it lies within the margin, not reproduced when it lies outside.
 */
export function judgeAnswers({ label, metric, one, other, within }: AnswersQuestion): Figure {
  const [first, second] = [one, other].map(({ comparison, side, against }) =>
    metricOf(findContrast(comparison, side, against), metric),
  );
  const figure = { label, unit: "ratio" } as const;
  if (first == null || second == null) {
    return { ...figure, value: null, verdict: "cannot tell", note: "One of the two was not measured." };
  }
  const value = quotient(first, second);
  const margin = 1 + within;
  const said = `${Math.round(within * 100)} %`;
  if (value.low > margin || value.high < 1 / margin)
    return { ...figure, value, verdict: "not reproduced", note: `The answers differ by more than ${said}.` };
  if (value.low >= 1 / margin && value.high <= margin)
    return { ...figure, value, verdict: "reproduced", note: `The answers are the same within ${said}.` };
  const note = `The interval reaches across the margin of ${said}. More time (--time) narrows it.`;
  return { ...figure, value, verdict: "cannot tell", note };
}

function metricOf(contrast: Contrast | null, metric: ContrastMetric): Estimate | null {
  return contrast?.[metric] ?? null;
}

function quotient(one: Estimate, other: Estimate): Estimate {
  const estimate = one.estimate / other.estimate;
  const above = Math.hypot(Math.log(one.high / one.estimate), Math.log(other.estimate / other.low));
  const below = Math.hypot(Math.log(one.estimate / one.low), Math.log(other.high / other.estimate));
  return { estimate, low: estimate / Math.exp(below), high: estimate * Math.exp(above) };
}
