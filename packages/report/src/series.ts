import type {
  InstanceUsage,
  JoinedAccount,
  RunEvent,
  RunTarget,
  Sample,
  SampleKey,
  Timeline,
} from "@evenbench/results";
import { type Metric, mean, meanInterval, median, sorted } from "@evenbench/stats";
import type { CpuPoint, ErrorCount, ProviderCpuSummary, TargetSeries, TimeMark } from "./data.ts";

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

/** CPU time beside the time that the client waited, for each target and trial that has both. */
export function cpuAgainstTime(
  usage: readonly InstanceUsage[],
  samples: readonly Sample[],
  metric: Metric,
): readonly CpuPoint[] {
  const key = ({ target, trial }: { target: string; trial: number }) => `${trial} ${target}`;
  const measured = samples.filter(({ phase, error }) => phase === "measure" && error === null);
  const byTrial = Map.groupBy(measured, key);
  return usage.flatMap((one) => {
    const times = (byTrial.get(key(one)) ?? []).map((sample) => sample[metric]).filter((ms) => ms !== null);
    if (times.length === 0 || one.exchanges === 0) return [];
    return [{ target: one.target, cpuMs: one.cpuMs / one.exchanges, ms: median(times) }];
  });
}

/** Of each target's timelines, the one whose body took the median time: one drawing for all trials. */
export function middleTimelines(
  timelines: readonly Timeline[],
  targets: readonly string[],
): readonly Timeline[] {
  return targets.flatMap((target) => {
    const own = timelines.filter((one) => one.target === target && one.round === 0);
    const ordered = own.toSorted((a, b) => lastMs(a) - lastMs(b));
    return ordered[Math.floor((ordered.length - 1) / 2)] ?? [];
  });
}

function lastMs({ arrivals }: Timeline): number {
  return arrivals.at(-1)?.[0] ?? 0;
}

/** What the accounts of a case's requests say, for each target that has some. */
export function summariseProviderCpu(
  accounts: readonly JoinedAccount[],
  samples: readonly Sample[],
  targets: readonly RunTarget[],
  metric: Metric,
): readonly ProviderCpuSummary[] {
  return targets.flatMap(({ name, about }) => {
    const cpuOf = new Map(
      accounts.filter(({ target }) => target === name).map((one) => [keyOf(one), one.cpuMs]),
    );
    if (cpuOf.size === 0) return [];
    const measured = samples.filter(
      ({ target, phase, error }) => target === name && phase === "measure" && error === null,
    );
    const trials = [...Map.groupBy(measured, ({ trial }) => trial).values()].map((own) => {
      const ordered = own.toSorted((a, b) => a.roundIndex - b.roundIndex);
      return {
        cpu: ordered.map((sample) => cpuOf.get(keyOf(sample)) ?? null),
        ms: median(ordered.flatMap((sample) => sample[metric] ?? [])),
      };
    });
    const points = trials.flatMap(({ cpu, ms }) => {
      const told = cpu.filter((one) => one !== null);
      return told.length === 0 ? [] : [{ target: name, cpuMs: mean(told), ms }];
    });
    if (points.length === 0) return [];
    const means = points.map(({ cpuMs }) => cpuMs);
    return [
      {
        target: name,
        accountant: about?.cpuAccountant ?? "its platform",
        msPerRequest: mean(means),
        interval: meanInterval(means),
        exchanges: measured.length,
        joined: trials.reduce((sum, { cpu }) => sum + countTold(cpu), 0),
        longestGap: Math.max(...trials.map(({ cpu }) => longestGap(cpu))),
        leastShare: Math.min(...trials.map(({ cpu }) => countTold(cpu) / cpu.length)),
        points,
      },
    ];
  });
}

function keyOf({ trial, roundIndex, phase }: SampleKey): string {
  return `${trial} ${phase} ${roundIndex}`;
}

function countTold(cpu: readonly (number | null)[]): number {
  return cpu.filter((one) => one !== null).length;
}

function longestGap(cpu: readonly (number | null)[]): number {
  let [longest, current] = [0, 0];
  for (const one of cpu) {
    current = one === null ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return longest;
}
