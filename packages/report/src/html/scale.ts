import type { Comparison } from "@evenbench/stats";
import type { CaseReport } from "../data.ts";
import { noiseBand } from "../format.ts";

/** A logarithmic scale of ratios, as percentages of a drawing's width. */
export interface RatioScale {
  /** Where a ratio stands, in per cent from the left. */
  position(ratio: number): number;
  readonly ticks: readonly number[];
}

const TICKS = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50,
  100,
];
/** Least distance of two ticks, in per cent of the width. */
const TICK_DISTANCE = 15;
/** The same where the scale may be as narrow as half a phone. */
const WIDE_TICK_DISTANCE = 26;
/** The scale shows at least this much on both sides of 1: noise must not look like a difference. */
const LEAST_SPAN = 1.08;

/** One scale for all ratios of a case, with the noise of its control, so that its intervals can be compared by eye. */
export function ratioScale({ headline, cpuTime, other }: CaseReport): RatioScale {
  return scaleOf(
    [headline, cpuTime, other].flatMap((analysis) =>
      analysis === null
        ? []
        : [
            ...endsOf([...analysis.comparisons, ...(analysis.control ? [analysis.control] : [])]),
            ...(analysis.noiseFloor === null ? [] : Object.values(noiseBand(analysis.noiseFloor))),
          ],
    ),
    TICK_DISTANCE,
  );
}

/**
 * One scale for all that is compared in some cases, time and CPU time alike, with room on a phone for two of
 * it side by side.
 */
export function overviewScale(cases: readonly CaseReport[]): RatioScale {
  const compared = cases.flatMap(({ headline, cpuTime }) =>
    [headline, cpuTime].flatMap((analysis) => analysis?.comparisons ?? []),
  );
  return scaleOf(endsOf(compared), WIDE_TICK_DISTANCE);
}

/** One scale for the times alone that are compared in some cases. */
export function timeScale(cases: readonly CaseReport[]): RatioScale {
  return scaleOf(endsOf(cases.flatMap(({ headline }) => headline?.comparisons ?? [])), TICK_DISTANCE);
}

function endsOf(comparisons: readonly Comparison[]): readonly number[] {
  return comparisons.flatMap(({ ratio }) => (ratio === null ? [] : [ratio.low, ratio.high]));
}

function scaleOf(ratios: readonly number[], distance: number): RatioScale {
  const low = Math.log(Math.min(1 / LEAST_SPAN, ...ratios.filter((ratio) => ratio > 0)));
  const high = Math.log(Math.max(LEAST_SPAN, ...ratios));
  const margin = (high - low) * 0.06;
  const position = (ratio: number) => {
    const share = (Math.log(ratio) - low + margin) / (high - low + 2 * margin);
    return Math.round(Math.min(1, Math.max(0, share)) * 1e4) / 100;
  };
  return {
    position,
    ticks: chooseTicks(position, Math.exp(low - margin), Math.exp(high + margin), distance),
  };
}

/** Those of the fixed ticks that have room; 1 comes first, then outwards. */
function chooseTicks(
  position: (ratio: number) => number,
  low: number,
  high: number,
  distance: number,
): readonly number[] {
  const inside = TICKS.filter((tick) => tick > low && tick < high);
  const outwards = inside.toSorted((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)));
  const chosen: number[] = [];
  for (const tick of outwards) {
    const at = position(tick);
    const free = chosen.every((other) => Math.abs(position(other) - at) >= distance);
    if (free && at > 4 && at < 96) chosen.push(tick);
  }
  return chosen.sort((a, b) => a - b);
}
