import type { Metric, Sample } from "@evenbench/results";
import {
  instancesOf,
  logMs,
  mean,
  median,
  sorted,
  variance,
  type WarmInstances,
  warmthOf,
} from "@evenbench/stats";
import type { KindsDetails } from "./facts/details.ts";

/** Smallest share of the values that is a kind: fewer are outliers. */
const LEAST_SHARE = 0.1;
/** The share of values at either end that is trimmed before a group's width is measured: outliers make it look wide. */
const OUTLIERS = 0.025;
/** Smallest difference between the levels of two kinds, as a fraction: a smaller one is scatter around one level. */
const LEAST_GAP = 0.15;
/**
 * Kinds of CPU time that are nearer, in milliseconds, are none: an account is read at clock ticks, and can be
 * off by that.
 */
const CPU_TIME_OFF_MS = 1;
/** Number of instances from which on two kinds are looked for. */
const LEAST_INSTANCES = 6;
/** Number of exchanges from which on two kinds are looked for. */
const LEAST_EXCHANGES = 20;

/** Two groups of times with next to nothing between them. */
type TwoKinds = Omit<KindsDetails, "target" | "of">;

/** The two kinds that some instances of one target show. */
export interface Kinds {
  /** Two levels of whole instances; null where there are not two, or too few instances to tell. */
  readonly ofInstances: TwoKinds | null;
  /** Two levels of exchanges within instances; null where there are not two, or too few exchanges to tell. */
  readonly ofExchanges: TwoKinds | null;
}

/** Finds the kinds in which each target's warm instances, or requests to them, come, in the order of `targets`. */
export function kindsByTarget(
  samples: readonly Sample[],
  targets: readonly string[],
  metric: Metric,
  warm: WarmInstances,
): readonly KindsDetails[] {
  const all = instancesOf(samples, samples[0]?.caseId ?? "", metric);
  return targets.flatMap((target) => {
    const targetInstances = all.filter((instance) => instance.target === target);
    const instances = targetInstances.flatMap(({ trial, rounds }) =>
      warmthOf(warm, target, trial) === null ? [[...rounds.values()]] : [],
    );
    const { ofInstances, ofExchanges } = kindsOf(instances, metric);
    return [
      ...(ofInstances === null ? [] : [{ target, of: "instances" as const, ...ofInstances }]),
      ...(ofExchanges === null ? [] : [{ target, of: "requests" as const, ...ofExchanges }]),
    ];
  });
}

/**
 * Looks for two modes among instances (their levels), and among exchanges (each divided by its instance's
 * geometric mean).
 *
 * @param instances the times of each warm instance, in milliseconds.
 */
export function kindsOf(instances: readonly (readonly number[])[], metric: Metric): Kinds {
  const logs = instances.map((ms) => ms.map(logMs));
  const meanLogs = logs.map((values) => mean(values));
  const places = logs.flatMap((values, index) => values.map((log) => log - (meanLogs[index] as number)));
  const leastMs = metric === "cpuMs" ? CPU_TIME_OFF_MS : 0;
  const ofExchanges =
    places.length < LEAST_EXCHANGES ? null : twoKinds(instances.flat(), places, metric, leastMs);
  // Half of the exchanges on each of two levels: a median is on one of them by chance.
  const levels = ofExchanges === null ? instances.map(median) : meanLogs.map(Math.exp);
  const ofInstances = levels.length < LEAST_INSTANCES ? null : twoKinds(levels, levels.map(logMs), metric, 0);
  return { ofInstances, ofExchanges };
}

/**
 * Splits values at the best place by variance (Fisher, "On Grouping for Maximum Homogeneity", 1958), where both
 * groups lie far enough apart by Ashman's D (Ashman, Bird & Zepf, Astronomical Journal, 1994).
 */
function twoKinds(
  values: readonly number[],
  places: readonly number[],
  metric: Metric,
  leastMs: number,
): TwoKinds | null {
  const ordered = sorted(places);
  const { from, gap, separation } = bestSplit(ordered);
  // A split makes groups of any values. At most 2 % of samples of one mode reach this D (shares.long.test.ts).
  const leastSeparation = 3.9 + 50 / places.length;
  if (gap < Math.log1p(LEAST_GAP) || separation < leastSeparation) {
    return null;
  }
  const kind = (isHigh: boolean) => {
    const members = values.filter((_, index) => (places[index] as number) >= from === isHigh);
    return { ms: median(members), count: members.length };
  };
  const low = kind(false);
  const high = kind(true);
  if (high.ms - low.ms < leastMs) {
    return null;
  }
  return { metric, lowMs: low.ms, lowCount: low.count, highMs: high.ms, highCount: high.count };
}

/** Two groups that a list of values is divided into. */
interface Split {
  /** The smallest value of the higher group. */
  readonly from: number;
  /** The difference of the groups' means. */
  readonly gap: number;
  /** Ashman's D: `gap` by the root mean square of the groups' standard deviations. */
  readonly separation: number;
}

/** Finds the split with the least variance within both groups, without outliers at either end. */
function bestSplit(all: Float64Array): Split {
  const outliers = Math.floor(OUTLIERS * all.length);
  const ordered = all.subarray(outliers, all.length - outliers);
  const count = ordered.length;
  const least = Math.max(2, Math.ceil(LEAST_SHARE * count));
  const centre = mean(ordered);
  let total = 0;
  for (const place of ordered) {
    total += place - centre;
  }
  let sum = 0;
  let best = Number.NEGATIVE_INFINITY;
  let at = least;
  for (let index = 0; index < count - least; index++) {
    sum += (ordered[index] as number) - centre;
    const size = index + 1;
    // Least variance within is most between.
    const between = sum ** 2 / size + (total - sum) ** 2 / (count - size);
    if (size >= least && between > best) {
      [best, at] = [between, size];
    }
  }
  const low = ordered.subarray(0, at);
  const high = ordered.subarray(at);
  const gap = mean(high) - mean(low);
  const scatter = Math.sqrt((variance(low) + variance(high)) / 2);
  return { from: ordered[at] as number, gap, separation: gap / scatter };
}
