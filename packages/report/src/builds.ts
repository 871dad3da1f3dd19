import { type BuildRecord, formatDuration } from "@evenbench/core";
import type { ReportData } from "./data.ts";
import { formatBytes, formatPercent } from "./format.ts";

/** What a reader sees of how a target's deployable was made. */
export interface BuildRow {
  readonly target: string;
  readonly size: string;
  readonly compressed: string;
  /** What the platform takes at most, and how much of that is used. */
  readonly limit: string;
  readonly time: string;
  /** Of the hungriest step. */
  readonly memory: string;
  readonly steps: string;
}

export const BUILD_HEADS = ["Size", "Compressed", "Limit", "Build", "Peak memory", "Steps"] as const;

/** The targets whose builds were recorded, in the report's order. */
export function buildRows({ run, targets }: ReportData): readonly BuildRow[] {
  return targets.flatMap(({ name }) => {
    const record = run.deployables[name];
    return record == null ? [] : [buildRow(name, record)];
  });
}

function buildRow(target: string, { size, steps }: BuildRecord): BuildRow {
  const { limit } = size;
  const peaks = steps.flatMap(({ peakResidentBytes }) => peakResidentBytes ?? []);
  return {
    target,
    size: formatBytes(size.bytes),
    compressed: formatBytes(size.gzipBytes),
    limit: limit === null ? "none" : `${formatPercent(size[limit.counts] / limit.bytes)} of ${limit.says}`,
    time: formatDuration(steps.reduce((sum, { ms }) => sum + ms, 0)),
    memory: peaks.length === 0 ? "–" : formatBytes(Math.max(...peaks)),
    steps: steps.map(({ name, ms }) => `${name} (${formatDuration(ms)})`).join(", then "),
  };
}

export function cellsOf(row: BuildRow): readonly string[] {
  return [row.size, row.compressed, row.limit, row.time, row.memory, row.steps];
}
