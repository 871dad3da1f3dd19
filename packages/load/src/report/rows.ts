import { formatMs, formatPercent } from "@evenbench/report/parts";
import type { LatencyCondition } from "@evenbench/results";
import { mean } from "@evenbench/stats";
import type { StageSummary } from "../analysis/stage-summary.ts";
import { formatCondition } from "../plan/condition.ts";
import type { CaseLoadReport, SubjectReport } from "./data.ts";
import { formatLoad, formatRate } from "./format.ts";

export interface LoadRow {
  readonly subject: string;
  readonly colour: number;
  readonly load: string;
  readonly offered: number;
  readonly perSecond: number;
  readonly p50: number | null;
  readonly p99: number | null;
  readonly inFlight: number | null;
  readonly outstanding: number | null;
  readonly cpuMs: number | null;
  readonly errors: number;
  readonly dropped: number;
  readonly clientShare: number | null;
  readonly heldShare: number | null;
}

export function loadRows(report: CaseLoadReport): readonly LoadRow[] {
  return report.subjects.flatMap(({ subject, colour, stages }) => {
    const byLoad = [...Map.groupBy(stages, ({ stage }) => formatLoad(stage.load)).values()];
    return byLoad
      .map((own) => ({ subject: subject.name, colour, ...summariseRow(own) }))
      .toSorted((a, b) => a.offered - b.offered);
  });
}

function summariseRow(own: readonly StageSummary[]): Omit<LoadRow, "subject" | "colour"> {
  const load = (own[0] as StageSummary).stage.load;
  const meanOf = (pick: (summary: StageSummary) => number | null) => {
    const values = own.flatMap((summary) => pick(summary) ?? []);
    return values.length === 0 ? null : mean(values);
  };
  const sumOf = (pick: (summary: StageSummary) => number) => own.reduce((sum, one) => sum + pick(one), 0);
  return {
    load: formatLoad(load),
    offered: load.kind === "closed" ? load.connections : load.perSecond,
    perSecond: mean(own.map(({ perSecond }) => perSecond)),
    p50: meanOf(({ latency }) => latency?.p50 ?? null),
    p99: meanOf(({ latency }) => latency?.p99 ?? null),
    inFlight: meanOf(({ inFlightMean }) => inFlightMean),
    outstanding: meanOf(({ outstandingMean }) => outstandingMean),
    cpuMs: meanOf(({ cpuMsPerExchange }) => cpuMsPerExchange),
    errors: sumOf(({ errors }) => errors),
    dropped: sumOf(({ stage }) => stage.dropped),
    clientShare: meanOf(({ stage: { client } }) =>
      client.cpuMs === null ? null : client.cpuMs / client.wallMs,
    ),
    heldShare: meanOf(({ held }) => (held === null ? null : Number(held))),
  };
}

export const ROW_HEAD = [
  "load",
  "answers/s",
  "p50",
  "p99",
  "in flight",
  "outstanding",
  "CPU/request",
  "failed",
  "dropped",
  "client CPU",
] as const;

export function rowCells(row: LoadRow): readonly string[] {
  return [
    row.heldShare === null ? row.load : `${row.load}${row.heldShare >= 0.5 ? " holds" : " fails"}`,
    formatRate(row.perSecond),
    formatMs(row.p50),
    formatMs(row.p99),
    row.inFlight === null ? "–" : row.inFlight.toFixed(1),
    row.outstanding === null ? "–" : row.outstanding.toFixed(1),
    formatMs(row.cpuMs),
    String(row.errors),
    String(row.dropped),
    row.clientShare === null ? "–" : formatPercent(row.clientShare),
  ];
}

export interface Finding {
  readonly subject: string;
  readonly colour: number;
  readonly sentence: string;
}

export function findingsOf(report: CaseLoadReport, condition: LatencyCondition | null): readonly Finding[] {
  return report.subjects.flatMap((one): Finding[] => {
    const sentence = condition === null ? saturationSentence(one) : capacitySentence(one, condition);
    return sentence === null ? [] : [{ subject: one.subject.name, colour: one.colour, sentence }];
  });
}

function saturationSentence({ saturation }: SubjectReport): string | null {
  if (saturation === null || saturation.levels.length < 2) return null;
  const { atATime, mostPerSecond, queuesFrom, levels } = saturation;
  const [first, last] = [levels[0], levels.at(-1)];
  const waits =
    queuesFrom === null
      ? `no wait is certain up to a concurrency of ${last?.connections}`
      : `requests wait from a concurrency of ${queuesFrom} on`;
  return `works on ${atATime.toFixed(1)} requests at a time and gives ${formatRate(mostPerSecond)} answers/s at most; ${waits} (median ${formatMs(first?.p50 ?? null)} at ${first?.connections}, ${formatMs(last?.p50 ?? null)} at ${last?.connections}).`;
}

function capacitySentence({ capacity }: SubjectReport, condition: LatencyCondition): string | null {
  if (capacity === null) return null;
  const { perSecond, byTrial, unbounded } = capacity;
  const held = formatCondition(condition);
  if (perSecond === null) return `held ${held} at no rate that was tried.`;
  const { median, least, most } = perSecond;
  if (byTrial.length === 1 && unbounded === 0)
    return `holds ${held} up to ${formatRate(median)} requests/s in one trial.`;
  const trials = `over ${byTrial.length} trials`;
  const missing = byTrial.filter((one) => one === null).length;
  const none = missing === 0 ? "" : `; in ${missing} of them no rate held`;
  const more =
    unbounded === 0 ? "" : `; in ${unbounded} of them every rate held that was tried, so it can do more`;
  return `holds ${held} up to ${formatRate(median)} requests/s (${formatRate(least)}–${formatRate(most)} ${trials}${none}${more}).`;
}
