// The names of quantities, and how an amount of each is written.
import { formatBytes, formatCount, formatMs } from "@evenbench/page";
import type { Metric } from "../facts/facts.ts";

/** The words for a quantity. */
export interface MetricWords {
  /** As a heading: "Time to the last byte". */
  readonly title: string;
  /** In a row or a column of a table: "time". */
  readonly short: string;
}

/** The words for each quantity. */
export const METRICS: Readonly<Record<Metric, MetricWords>> = {
  lastByteMs: { title: "Time to the last byte", short: "time" },
  firstByteMs: { title: "Time to the first byte", short: "first byte" },
  cpuMs: { title: "CPU time", short: "CPU time" },
  coldStartMs: { title: "Cold start", short: "cold start" },
  startupCpuMs: { title: "CPU time to start", short: "start-up CPU" },
  startupCompileMs: { title: "Compiling at the start", short: "compile" },
  startupRunMs: { title: "Running modules at the start", short: "run modules" },
  computeMs: { title: "Time without sending", short: "compute" },
  firstPartMs: { title: "Time to the first part", short: "first part" },
  halfBodyMs: { title: "Time to half of the answer", short: "half" },
  memoryBytes: { title: "Resident memory", short: "resident memory" },
  heapBytes: { title: "Heap in use", short: "heap" },
  bufferBytes: { title: "Memory beside the heap", short: "buffer memory" },
  platformCpuMs: { title: "CPU time by the platform's account", short: "platform CPU" },
  answersPerSecond: { title: "Answers a second", short: "answers/s" },
  queuesFrom: { title: "Requests at a time from which on they wait", short: "waits from" },
};

/** The quantity that a case is judged by. */
export const TIME: Metric = "lastByteMs";

/** Tells whether a quantity is a wait, so that less of it is "faster"; less of any other is "less". */
export function isTime(metric: Metric): boolean {
  return metric === "lastByteMs" || metric === "firstByteMs" || metric === "coldStartMs";
}

/** Writes an amount of a quantity with its unit: "16.8 ms", "134 MB", "1,204"; "–" where it is not known. */
export function amount(metric: Metric, value: number | null): string {
  if (value === null) {
    return "–";
  }
  if (metric.endsWith("Bytes")) {
    return formatBytes(value);
  }
  return metric.endsWith("Ms") ? formatMs(value) : formatCount(Math.round(value));
}
