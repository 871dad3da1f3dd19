import type { InstanceUsage, Sample, Timeline } from "@evenbench/results";
import { type Metric, median } from "@evenbench/stats";
import type { CpuPoint } from "./data.ts";

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
