import { formatMs, formatPercent } from "@evenbench/report/parts";
import type { LatencyCondition } from "@evenbench/results";
import { mean } from "@evenbench/stats";
import type { StageSummary } from "../analysis/stage-summary.ts";
import { formatCondition } from "../condition.ts";
import type { CaseLoadReport, TargetReport } from "./data.ts";
import { formatLoad, formatRate, offeredBy } from "./format.ts";

export const MEASURES = {
  perSecond: ({ perSecond }) => perSecond,
  p50: ({ latency }) => latency?.p50 ?? null,
  p95: ({ latency }) => latency?.p95 ?? null,
  p99: ({ latency }) => latency?.p99 ?? null,
  inFlight: ({ inFlightMean }) => inFlightMean,
  outstanding: ({ outstandingMean }) => outstandingMean,
  cpuMs: ({ cpuMsPerExchange }) => cpuMsPerExchange,
  clientShare: ({ stage: { client } }) => (client.cpuMs === null ? null : client.cpuMs / client.wallMs),
  heldShare: ({ held }) => (held === null ? null : Number(held)),
} as const satisfies Record<string, (summary: StageSummary) => number | null>;

export type Measure = keyof typeof MEASURES;

export interface LoadRow extends Readonly<Record<Measure, number | null>> {
  readonly target: string;
  readonly colour: number;
  readonly load: string;
  readonly offered: number;
  readonly errors: number;
  readonly dropped: number;
}

export function loadRows(report: CaseLoadReport): readonly LoadRow[] {
  return report.targets.flatMap(({ target, colour, stages }) =>
    [...Map.groupBy(stages, ({ stage }) => formatLoad(stage.load))]
      .map(([load, own]): LoadRow => {
        const means = Object.entries(MEASURES).map(([name, of]) => {
          const values = own.flatMap((summary) => of(summary) ?? []);
          return [name, values.length === 0 ? null : mean(values)] as const;
        });
        return {
          target: target.name,
          colour,
          load,
          offered: offeredBy((own[0] as StageSummary).stage.load),
          ...(Object.fromEntries(means) as Record<Measure, number | null>),
          errors: own.reduce((sum, { errors }) => sum + errors, 0),
          dropped: own.reduce((sum, { stage }) => sum + stage.dropped, 0),
        };
      })
      .toSorted((a, b) => a.offered - b.offered),
  );
}

interface Column {
  readonly head: string;
  /** Said of it under the table. */
  readonly key?: string;
  /** A column of which no row has this is left out. */
  readonly measure?: Measure;
  cell(row: LoadRow): string;
}

const formatAmount = (amount: number | null) => (amount === null ? "–" : amount.toFixed(1));

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
    measure: "inFlight",
    cell: ({ inFlight }) => formatAmount(inFlight),
  },
  {
    head: "outstanding",
    key: "Outstanding: the client's own unanswered ones when it sent.",
    cell: ({ outstanding }) => formatAmount(outstanding),
  },
  { head: "CPU/request", measure: "cpuMs", cell: ({ cpuMs }) => formatMs(cpuMs) },
  { head: "failed", cell: ({ errors }) => String(errors) },
  {
    head: "dropped",
    key: "Dropped: due, but never sent, because too many were waiting.",
    cell: ({ dropped }) => String(dropped),
  },
  {
    head: "client CPU",
    measure: "clientShare",
    cell: ({ clientShare }) => (clientShare === null ? "–" : formatPercent(clientShare)),
  },
];

/** A handler that computes without waiting sees no other request, however many wait for it. */
const QUEUES_OUTSIDE =
  "It stays near 0 where a handler computes without waiting: other requests then wait in the socket, and only outstanding counts them.";

export function loadTable(report: CaseLoadReport) {
  const rows = loadRows(report);
  const columns = COLUMNS.filter(({ head, measure }) =>
    rows.some((row) =>
      head === "dropped" ? row.dropped > 0 : measure === undefined || row[measure] !== null,
    ),
  );
  const queuesOutside = rows.some(
    ({ inFlight, outstanding }) => inFlight !== null && inFlight < 0.5 && (outstanding ?? 0) >= 1,
  );
  const keys = columns.flatMap(({ head, key = [] }) =>
    head === "in flight" && queuesOutside ? [key, QUEUES_OUTSIDE].flat() : key,
  );
  return {
    rows,
    head: columns.map(({ head }) => head),
    cellsOf: (row: LoadRow) => columns.map(({ cell }) => cell(row)),
    key: ["Means over trials.", ...keys].join(" "),
  };
}

export interface Finding {
  readonly target: string;
  readonly colour: number;
  readonly sentence: string;
}

export function findingsOf(report: CaseLoadReport, condition: LatencyCondition | null): readonly Finding[] {
  return report.targets.flatMap((one): Finding[] => {
    const sentence = condition === null ? saturationSentence(one) : capacitySentence(one, condition);
    return sentence === null ? [] : [{ target: one.target.name, colour: one.colour, sentence }];
  });
}

function saturationSentence({ saturation }: TargetReport): string | null {
  if (saturation === null || saturation.levels.length < 2) return null;
  const { atATime, mostPerSecond, queuesFrom, levels } = saturation;
  const [first, last] = [levels[0], levels.at(-1)];
  const waits =
    queuesFrom === null
      ? `no queueing detected up to a concurrency of ${last?.connections}`
      : `requests wait from a concurrency of ${queuesFrom} on`;
  return `works on ${atATime.toFixed(1)} requests at a time and gives ${formatRate(mostPerSecond)} answers/s at most; ${waits} (median ${formatMs(first?.p50 ?? null)} at ${first?.connections}, ${formatMs(last?.p50 ?? null)} at ${last?.connections}).`;
}

function capacitySentence({ capacity }: TargetReport, condition: LatencyCondition): string | null {
  if (capacity === null) return null;
  const { perSecond, byTrial, unbounded } = capacity;
  const held = formatCondition(condition);
  if (perSecond === null) return `did not hold ${held} at any rate that was tried.`;
  const { median, least, most } = perSecond;
  if (byTrial.length === 1 && unbounded === 0)
    return `holds ${held} up to ${formatRate(median)} requests/s in one trial.`;
  const missing = byTrial.filter((one) => one === null).length;
  const none = missing === 0 ? "" : `; in ${missing} of them no rate held`;
  const more =
    unbounded === 0 ? "" : `; in ${unbounded} of them every rate held that was tried, so it can do more`;
  return `holds ${held} up to ${formatRate(median)} requests/s (${formatRate(least)}–${formatRate(most)} over ${byTrial.length} trials${none}${more}).`;
}
