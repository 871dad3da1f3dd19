import type { InstanceUsage } from "@evenbench/results";
import type { RatioInterval } from "./analysis.ts";
import { geometricInterval } from "./mean-interval.ts";
import { mean } from "./quantile.ts";
import { sum } from "./sum.ts";

/** CPU time for one exchange of a target in a case. Milliseconds; from the trials' means. */
export interface CpuSummary {
  readonly target: string;
  /** Geometric mean over trials. */
  readonly msPerExchange: number;
  /** Part of it that the kernel worked for the process, as a fraction; null where the two were not reported apart. */
  readonly systemShare: number | null;
  /** Pages that the kernel gave it for one exchange without a disk; null where that was not reported. */
  readonly minorFaults: number | null;
  /** Against the baseline, from ratios within trials; null for the baseline and with fewer than two trials. */
  readonly ratio: RatioInterval | null;
  /** Largest of all instances; the peak is null where it was not reported. */
  readonly residentBytes: number;
  readonly peakResidentBytes: number | null;
}

/**
 * CPU time per exchange of each target. Each trial gives one mean, which all its blocks of exchanges make up;
 * the interval is Student's t on the logarithms of the ratios within trials, whose processes shared a machine
 * and a time.
 */
export function summariseCpu(
  usage: readonly InstanceUsage[],
  targets: readonly string[],
  baseline: string,
): CpuSummary[] {
  const ofBaseline = perExchange(usage, baseline);
  return targets.flatMap((target) => {
    const own = perExchange(usage, target);
    const used = usage.filter((one) => one.target === target);
    if (own.size === 0) return [];
    const logRatios = [...own].flatMap(([trial, ms]) => {
      const other = ofBaseline.get(trial);
      return other === undefined ? [] : [Math.log(ms / other)];
    });
    const systemMs = allTold(used.map((one) => one.systemMs));
    const faults = allTold(used.map((one) => one.minorFaults));
    const peaks = allTold(used.map((one) => one.peakResidentBytes));
    return [
      {
        target,
        msPerExchange: Math.exp(mean([...own.values()].map(Math.log))),
        systemShare: systemMs && Math.min(1, sum(systemMs) / sum(used.map((one) => one.cpuMs))),
        minorFaults: faults && sum(faults) / sum(used.map((one) => one.exchanges)),
        ratio: target === baseline ? null : geometricInterval(logRatios),
        residentBytes: Math.max(...used.map((one) => one.residentBytes)),
        peakResidentBytes: peaks && Math.max(...peaks),
      },
    ];
  });
}

/**
 * CPU time per exchange of one target with its 99 % interval, in milliseconds: Student's t on the logarithms
 * of the trials' means. Null with fewer than two trials.
 */
export function cpuInterval(usage: readonly InstanceUsage[], target: string): RatioInterval | null {
  return geometricInterval([...perExchange(usage, target).values()].map(Math.log));
}

function perExchange(usage: readonly InstanceUsage[], target: string): Map<number, number> {
  return new Map(
    usage
      .filter((one) => one.target === target && one.exchanges > 0 && one.cpuMs > 0)
      .map(({ trial, cpuMs, exchanges }) => [trial, cpuMs / exchanges]),
  );
}

/** null where one is missing. */
function allTold(values: readonly (number | null)[]): readonly number[] | null {
  return values.every((value) => value !== null) ? values : null;
}
