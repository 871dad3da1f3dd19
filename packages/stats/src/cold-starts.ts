import type { ColdStart, Sample } from "@evenbench/results";
import type { RatioInterval } from "./analysis.ts";
import { geometricInterval } from "./mean-interval.ts";
import { median } from "./quantile.ts";

/** What the first answers of a fresh instance take: medians over repetitions, in milliseconds. */
export interface ColdSummary {
  readonly target: string;
  readonly repetitions: number;
  /** From the start of its processes until it answered at all. */
  readonly readyMs: number;
  /** Last byte of the first and of the second exchange of the case. */
  readonly firstMs: number;
  readonly secondMs: number;
  /**
   * From the start to the first exchange's last byte, against the baseline; null for that, and with fewer
   * than two repetitions.
   */
  readonly ratio: RatioInterval | null;
}

/**
 * Cold starts of one case. Ratios are made within repetitions, which shared a time; the interval is Student's
 * t on their logarithms.
 *
 * @param samples those of phase "cold" count, without the failed ones.
 */
export function coldSummaries(
  starts: readonly ColdStart[],
  samples: readonly Sample[],
  targets: readonly string[],
  baseline: string,
): readonly ColdSummary[] {
  const key = (target: string, repetition: number, round: number) => `${repetition} ${round} ${target}`;
  const times = new Map(
    samples.flatMap(({ phase, target, trial, roundIndex, lastByteMs, error }) =>
      phase === "cold" && error === null && lastByteMs !== null
        ? [[key(target, trial, roundIndex), lastByteMs] as const]
        : [],
    ),
  );
  const whole = starts.flatMap(({ target, repetition, readyMs }) => {
    const [firstMs, secondMs] = [0, 1].map((round) => times.get(key(target, repetition, round)));
    return firstMs === undefined || secondMs === undefined
      ? []
      : [{ target, repetition, readyMs, firstMs, secondMs }];
  });
  const ofBaseline = new Map(
    whole
      .filter(({ target }) => target === baseline)
      .map(({ repetition, readyMs, firstMs }) => [repetition, readyMs + firstMs]),
  );
  return targets.flatMap((target) => {
    const own = whole.filter((one) => one.target === target);
    if (own.length === 0) return [];
    const logs = own.flatMap(({ repetition, readyMs, firstMs }) => {
      const base = ofBaseline.get(repetition);
      return base === undefined ? [] : [Math.log((readyMs + firstMs) / base)];
    });
    const medianOf = (time: "readyMs" | "firstMs" | "secondMs") => median(own.map((one) => one[time]));
    return [
      {
        target,
        repetitions: own.length,
        readyMs: medianOf("readyMs"),
        firstMs: medianOf("firstMs"),
        secondMs: medianOf("secondMs"),
        ratio: target === baseline ? null : geometricInterval(logs),
      },
    ];
  });
}
