import type { CaseAnalysis, PairRatio, RatioInterval } from "@evenbench/stats";
import type { CaseReport } from "./data.ts";

/** A target's ratios where another target than the run's baseline is what is divided by. */
export interface OtherBaseline {
  /** The other target's platform, as the table calls it. */
  readonly platform: string;
  /** null where it is that target itself, or nothing is known. */
  readonly headline: RatioInterval | null;
  readonly cpuTime: RatioInterval | null;
  readonly isItself: boolean;
}

/** @param names what the table calls each target's platform. */
export function otherBaselines(
  { headline, cpuTime, pairs }: CaseReport,
  target: string,
  names: ReadonlyMap<string, string>,
): readonly OtherBaseline[] {
  return (headline?.comparisons ?? []).map(({ target: by }) => ({
    platform: names.get(by) ?? by,
    headline: ratioOf(target, by, headline, pairs.headline),
    cpuTime: ratioOf(target, by, cpuTime, pairs.cpuTime),
    isItself: target === by,
  }));
}

function ratioOf(
  target: string,
  by: string,
  analysis: CaseAnalysis | null,
  pairs: readonly PairRatio[],
): RatioInterval | null {
  if (analysis === null || target === by) return null;
  if (target === analysis.baseline)
    return inverse(analysis.comparisons.find((one) => one.target === by)?.ratio ?? null);
  const pair = pairs.find((one) => [one.target, one.by].every((name) => name === target || name === by));
  if (pair === undefined) return null;
  return pair.target === target ? pair.ratio : inverse(pair.ratio);
}

function inverse(ratio: RatioInterval | null): RatioInterval | null {
  if (ratio === null) return null;
  return { ...ratio, estimate: 1 / ratio.estimate, low: 1 / ratio.high, high: 1 / ratio.low };
}
