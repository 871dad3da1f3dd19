import type { Comparison } from "@evenbench/stats";
import type { CaseReport } from "../data.ts";

/** A logarithmic scale of ratios, as percentages of a drawing's width. */
export interface RatioScale {
  /** Where a ratio stands, in per cent from the left. */
  position(ratio: number): number;
  readonly ticks: readonly number[];
}

const TICKS = [
  0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100,
];
/** Least distance of two ticks, in per cent of the width. */
const TICK_DISTANCE = 15;
/** The scale shows at least this much on both sides of 1: noise must not look like a difference. */
const LEAST_SPAN = 1.08;

/** One scale for all ratios of a case, so that its intervals can be compared by eye. */
export function ratioScale({ headline, cpuTime, other }: CaseReport): RatioScale {
  return scaleOf(
    [headline, cpuTime, other].flatMap((analysis) =>
      analysis === null
        ? []
        : [...endsOf([...analysis.comparisons, ...(analysis.control ? [analysis.control] : [])])],
    ),
  );
}

/** One scale for the times alone that are compared in some cases. */
export function timeScale(cases: readonly CaseReport[]): RatioScale {
  return scaleOf(endsOf(cases.flatMap(({ headline }) => headline?.comparisons ?? [])));
}

function endsOf(comparisons: readonly Comparison[]): readonly number[] {
  return comparisons.flatMap(({ ratio }) => (ratio === null ? [] : [ratio.low, ratio.high]));
}

function scaleOf(ratios: readonly number[]): RatioScale {
  const low = Math.log(Math.min(1 / LEAST_SPAN, ...ratios.filter((ratio) => ratio > 0)));
  const high = Math.log(Math.max(LEAST_SPAN, ...ratios));
  const margin = (high - low) * 0.06;
  const position = (ratio: number) => {
    const share = (Math.log(ratio) - low + margin) / (high - low + 2 * margin);
    return Math.round(Math.min(1, Math.max(0, share)) * 1e4) / 100;
  };
  return {
    position,
    ticks: chooseTicks(position, Math.exp(low - margin), Math.exp(high + margin)),
  };
}

/** Those of the fixed ticks that have room; 1 comes first, then outwards. */
function chooseTicks(position: (ratio: number) => number, low: number, high: number): readonly number[] {
  const inside = TICKS.filter((tick) => tick > low && tick < high);
  const outwards = inside.toSorted((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)));
  const chosen: number[] = [];
  for (const tick of outwards) {
    const at = position(tick);
    const free = chosen.every((other) => Math.abs(position(other) - at) >= TICK_DISTANCE);
    if (free && at > 4 && at < 96) chosen.push(tick);
  }
  return chosen.sort((a, b) => a - b);
}
