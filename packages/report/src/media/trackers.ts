// Facts for programs that keep numbers over time: Bencher, and github-action-benchmark.
import type { Change, Facts, Level, Metric, Trend } from "../facts/facts.ts";
import { caseName, mainChanges } from "../words/columns.ts";
import { METRICS } from "../words/metrics.ts";
import { cell } from "../words/notation.ts";

/** A number of Bencher's format, with the ends of its interval where it has one. */
interface BencherValue {
  readonly value: number;
  readonly lower_value?: number;
  readonly upper_value?: number;
}

/** An entry of github-action-benchmark's format "customSmallerIsBetter". */
interface SmallerIsBetter {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** The ends of the interval. */
  readonly range?: string;
  readonly extra: string;
}

/** A quantity that is exported, by its name at Bencher; `latency` and `file-size` are of its own measures. */
interface ExportedMetric {
  readonly metric: Metric;
  readonly measure: string;
}

/** The quantities that are exported. Of all of them, less is better. */
const EXPORTED: readonly ExportedMetric[] = [
  { metric: "lastByteMs", measure: "latency" },
  { metric: "firstByteMs", measure: "first-byte" },
  { metric: "cpuMs", measure: "cpu-time" },
  { metric: "coldStartMs", measure: "cold-start" },
  { metric: "startupCpuMs", measure: "startup-cpu-time" },
  { metric: "memoryBytes", measure: "resident-memory" },
  { metric: "heapBytes", measure: "heap-size" },
  { metric: "bufferBytes", measure: "buffer-size" },
];

/** The kinds of memory of which growth is exported, in bytes a request. Resident memory is not collected. */
const GROWING: readonly Metric[] = ["heapBytes", "bufferBytes"];

/** Nanoseconds in a millisecond: Bencher counts times in the former. */
const NS_PER_MS = 1e6;

/**
 * Writes facts as Bencher Metric Format (https://bencher.dev/docs/reference/bencher-metric-format): times in nanoseconds,
 * sizes in bytes. A measure that ends in "-ratio" is the change, which alone can be compared between machines.
 */
export function bmf(facts: Facts): string {
  const benchmarks = new Map<string, Record<string, BencherValue>>();
  const add = (name: string, measure: string, value: BencherValue) =>
    benchmarks.set(name, { ...benchmarks.get(name), [measure]: value });
  for (const { metric, measure } of EXPORTED) {
    const factor = metric.endsWith("Ms") ? NS_PER_MS : 1;
    for (const level of levelsBy(facts, metric)) {
      add(benchmarkName(facts, level), measure, bencherValue(level.value, level, factor));
    }
    for (const change of ratiosBy(facts, metric)) {
      add(benchmarkName(facts, change), `${measure}-ratio`, bencherValue(change.estimate, change, 1));
    }
    for (const trend of trendsBy(facts, metric)) {
      add(benchmarkName(facts, trend), `${measure}-growth`, bencherValue(trend.estimate, trend, 1));
    }
  }
  return `${JSON.stringify(Object.fromEntries(benchmarks), null, 2)}\n`;
}

/**
 * Writes facts as github-action-benchmark reads them by its tool "customSmallerIsBetter". It divides each value by the one
 * before, so growth is left out: that is near zero where nothing grows.
 */
export function smallerIsBetter(facts: Facts): string {
  const { id } = facts.run;
  const entries = EXPORTED.flatMap(({ metric }): readonly SmallerIsBetter[] => {
    const { short } = METRICS[metric];
    return [
      ...levelsBy(facts, metric).map((level) => ({
        name: `${benchmarkName(facts, level)}: ${short}`,
        unit: metric.endsWith("Ms") ? "ms" : "bytes",
        value: level.value,
        ...rangeOf(level),
        extra: id,
      })),
      ...ratiosBy(facts, metric).map((change) => ({
        name: `${benchmarkName(facts, change)}: ${short} against ${change.baseline}`,
        unit: "ratio",
        value: change.estimate,
        ...rangeOf(change),
        extra: `${cell(change)}; ${id}`,
      })),
    ];
  });
  return `${JSON.stringify(entries, null, 2)}\n`;
}

/** Lists what targets took by a quantity, without copies, loads, and what is not a result. */
function levelsBy(
  { levels, targets }: Facts,
  metric: Metric,
): readonly (Level & { readonly value: number })[] {
  const originals = new Set(targets.flatMap(({ name, copyOf }) => (copyOf === null ? [name] : [])));
  return levels.flatMap((level) => {
    const { value, why, load, target } = level;
    const isExported = level.metric === metric && why === null && load === null && originals.has(target);
    return isExported && value !== null ? [{ ...level, value }] : [];
  });
}

function ratiosBy(facts: Facts, metric: Metric): readonly (Change & { readonly estimate: number })[] {
  return mainChanges(facts, metric).flatMap((change) => {
    const { estimate, unit, low } = change;
    return unit === "ratio" && estimate !== null && low !== null ? [{ ...change, estimate }] : [];
  });
}

/** Lists how memory of a kind grows that has an interval: each target by itself. */
function trendsBy({ trends }: Facts, metric: Metric): readonly (Trend & { readonly estimate: number })[] {
  return trends.flatMap((trend) => {
    const { estimate, baseline } = trend;
    const isExported = GROWING.includes(metric) && trend.metric === metric && baseline === null;
    return isExported && estimate !== null ? [{ ...trend, estimate }] : [];
  });
}

/** Names what was measured: "/products (node)", "/products (node, from fra)". */
function benchmarkName(
  facts: Facts,
  { case: caseId, target, place = null }: Pick<Level, "case" | "target"> & Partial<Pick<Level, "place">>,
): string {
  const name = caseName(facts, caseId);
  const where = place === null ? target : `${target}, from ${place}`;
  return name === null ? where : `${name} (${where})`;
}

function bencherValue(
  value: number,
  { low, high }: Pick<Level, "low" | "high">,
  factor: number,
): BencherValue {
  if (low === null || high === null) {
    return { value: value * factor };
  }
  return { value: value * factor, lower_value: low * factor, upper_value: high * factor };
}

function rangeOf({ low, high }: Pick<Level, "low" | "high">): Pick<SmallerIsBetter, "range"> {
  return low === null || high === null ? {} : { range: `${low} to ${high}` };
}
