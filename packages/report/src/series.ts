import type { RunEvent, Sample } from "@evenbench/results";
import { type Metric, sorted } from "@evenbench/stats";
import type { ErrorCount, TargetSeries, TimeMark } from "./data.ts";

/** Points of a distribution's curve, and its end: the slowest exchanges would squeeze all others to a line. */
export const QUANTILE_POINTS = 40;
export const LARGEST_SHARE = 0.98;
/** Most points of a target over the run. */
export const TIME_POINTS = 40;
/** Most marks of one target's errors in a figure. */
const ERROR_MARKS = 40;

/** What figures draw of one target, thinned so that a long run's report is no larger than a short one's. */
export function targetSeries(samples: readonly Sample[], target: string, metric: Metric): TargetSeries {
  const measured = samples.filter(
    (sample) => sample.target === target && sample.phase === "measure" && sample.error === null,
  );
  const start = samples[0]?.startedAtMs ?? 0;
  const times = sortedTimes(measured, metric);
  return { target, metric, quantiles: quantiles(times), overTime: overTime(measured, metric, start) };
}

function sortedTimes(samples: readonly Sample[], metric: Metric): Float64Array {
  return sorted(samples.map((sample) => sample[metric]).filter((ms) => ms !== null));
}

function quantiles(ordered: Float64Array): TargetSeries["quantiles"] {
  const count = Math.min(QUANTILE_POINTS, ordered.length);
  if (count < 2) return [];
  return Array.from({ length: count }, (_, index) => {
    const share = (LARGEST_SHARE * index) / (count - 1);
    return { share, ms: ordered[Math.round(share * (ordered.length - 1))] ?? 0 };
  });
}

/** Medians of blocks of consecutive exchanges; a block never spans two trials. */
function overTime(measured: readonly Sample[], metric: Metric, startMs: number): TargetSeries["overTime"] {
  const block = Math.max(1, Math.ceil(measured.length / TIME_POINTS));
  const trials = Map.groupBy(measured, (sample) => sample.trial);
  return [...trials].flatMap(([trial, exchanges]) => {
    const blocks = Array.from({ length: Math.ceil(exchanges.length / block) }, (_, index) =>
      exchanges.slice(index * block, (index + 1) * block),
    );
    return blocks.flatMap((part) => {
      const times = sortedTimes(part, metric);
      const ms = times[Math.floor(times.length / 2)];
      const middle = part[Math.floor(part.length / 2)];
      if (ms === undefined || middle === undefined) return [];
      return [{ seconds: (middle.startedAtMs - startMs) / 1000, ms, trial }];
    });
  });
}

/** Exchanges that did not count, by target and kind, most frequent first. Warm-up included. */
export function countErrors(samples: readonly Sample[]): readonly ErrorCount[] {
  const failed = samples.filter((sample) => sample.error !== null);
  const groups = Map.groupBy(failed, (sample) => `${sample.target}\n${sample.error?.kind}`);
  return [...groups.values()]
    .map((group) => ({
      target: group[0]?.target ?? "",
      kind: group[0]?.error?.kind ?? "",
      count: group.length,
      example: group[0]?.error?.detail ?? "",
    }))
    .sort((a, b) => b.count - a.count);
}

/** The moments of errors (thinned) and of events, in seconds from the first exchange of the case. */
export function timeMarks(samples: readonly Sample[], events: readonly RunEvent[]): readonly TimeMark[] {
  const startMs = samples[0]?.startedAtMs ?? 0;
  const failed = samples.filter((sample) => sample.error !== null);
  const step = Math.max(1, Math.ceil(failed.length / ERROR_MARKS));
  const errors = failed
    .filter((_, index) => index % step === 0)
    .map(({ startedAtMs, target }) => ({
      seconds: (startedAtMs - startMs) / 1000,
      kind: "error" as const,
      target,
    }));
  const happenings = events
    .filter(({ kind }) => kind === "host-restarted" || kind === "target-dropped" || kind === "interrupted")
    .map(({ atMs, target }) => ({ seconds: (atMs - startMs) / 1000, kind: "event" as const, target }));
  return [...errors, ...happenings];
}
