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
  readonly p95: number | null;
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
    p95: meanOf(({ latency }) => latency?.p95 ?? null),
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

interface Column {
  readonly head: string;
  /** Said of it under the table. */
  readonly key?: string;
  cell(row: LoadRow): string;
  /** Whether a row has something to say there; a column of which none has is left out. */
  has?(row: LoadRow): boolean;
}

const COLUMNS: readonly Column[] = [
  {
    head: "load",
    cell: ({ load, heldShare }) =>
      heldShare === null ? load : `${load}${heldShare >= 0.5 ? " holds" : " fails"}`,
  },
  { head: "answers/s", cell: ({ perSecond }) => formatRate(perSecond) },
  { head: "p50", cell: ({ p50 }) => formatMs(p50) },
  { head: "p95", cell: ({ p95 }) => formatMs(p95) },
  { head: "p99", cell: ({ p99 }) => formatMs(p99) },
  {
    head: "in flight",
    key: "In flight: other requests in the instance on arrival, as it counts them.",
    cell: ({ inFlight }) => formatAmount(inFlight),
    has: ({ inFlight }) => inFlight !== null,
  },
  {
    head: "outstanding",
    key: "Outstanding: the client's own unanswered ones when it sent.",
    cell: ({ outstanding }) => formatAmount(outstanding),
  },
  { head: "CPU/request", cell: ({ cpuMs }) => formatMs(cpuMs), has: ({ cpuMs }) => cpuMs !== null },
  { head: "failed", cell: ({ errors }) => String(errors) },
  {
    head: "dropped",
    key: "Dropped: due, but never sent, because too many were waiting.",
    cell: ({ dropped }) => String(dropped),
    has: ({ dropped }) => dropped > 0,
  },
  {
    head: "client CPU",
    cell: ({ clientShare }) => (clientShare === null ? "–" : formatPercent(clientShare)),
    has: ({ clientShare }) => clientShare !== null,
  },
];

const formatAmount = (amount: number | null) => (amount === null ? "–" : amount.toFixed(1));

/** A handler that computes without waiting sees no other request, however many wait for it. */
const QUEUES_OUTSIDE =
  "It stays near 0 where a handler computes without waiting: other requests then wait in the socket, and only outstanding counts them.";

/** All numbers of a case, and what has to be said of them. */
export function loadTable(report: CaseLoadReport) {
  const rows = loadRows(report);
  const columns = COLUMNS.filter(({ has }) => has === undefined || rows.some(has));
  const queuesOutside = rows.some(
    ({ inFlight, outstanding }) => inFlight !== null && inFlight < 0.5 && (outstanding ?? 0) >= 1,
  );
  const keys = columns.flatMap(({ head, key }) =>
    key === undefined ? [] : head === "in flight" && queuesOutside ? [key, QUEUES_OUTSIDE] : [key],
  );
  return {
    rows,
    head: columns.map(({ head }) => head),
    cellsOf: (row: LoadRow) => columns.map(({ cell }) => cell(row)),
    key: ["Means over trials.", ...keys].join(" "),
  };
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
