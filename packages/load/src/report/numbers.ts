import {
  axis,
  chart,
  colourMark,
  formatMs,
  formatPercent,
  html,
  type Markup,
  styleOf,
  type Table,
} from "@evenbench/page";
import type { OfferedLoad } from "@evenbench/results";
import { EXCHANGES_FOR_P95, EXCHANGES_FOR_P99, largest, mean, smallest, sum } from "@evenbench/stats";
import * as Plot from "@observablehq/plot";
import type { StageSummary } from "../stage-summary.ts";
import { type CaseLoadReport, formatLoad, formatRate, offeredBy, type TargetReport } from "./data.ts";

/** A number of a stage: a column of the table, and perhaps a figure. */
interface LoadNumber {
  /** The head of its column. */
  readonly head: string;
  /** The explanation under the table. Default: none. */
  readonly key?: string;
  /** Set where the column is left out if no row has a value. */
  readonly isSeldom?: true;
  /** Set where values are added up over trials; others are averaged. */
  readonly isCount?: true;
  /** The figure of it. Default: none. */
  readonly figure?: LoadFigure;
  /** Gives its value; null where the stage has none. */
  pick(summary: StageSummary): number | null;
  /** Writes a value with its unit. */
  format(value: number): string;
}

/** A figure of a number over the loads. */
interface LoadFigure {
  readonly heading: string;
  /** The label of the vertical axis. */
  readonly label: string;
  readonly caption: string;
  /** Set for a time, which is drawn on a logarithmic axis where that helps; amounts begin at 0. */
  readonly isTime?: true;
  /** Set where it is also drawn in the report of a run that the load follows. */
  readonly inRun?: true;
}

/** Writes a number of requests. */
function formatAmount(amount: number): string {
  return amount.toFixed(1);
}

/** The numbers of a stage, in the order of the table. */
const LOAD_NUMBERS: readonly LoadNumber[] = [
  {
    head: "answers/s",
    pick: ({ perSecond }) => perSecond,
    format: formatRate,
    figure: {
      heading: "Answers",
      label: "answers per second",
      caption: "A line that stays level has no more to give: what is offered beyond waits.",
      inRun: true,
    },
  },
  {
    head: "p50",
    pick: ({ latency }) => latency?.p50 ?? null,
    format: formatMs,
    figure: {
      heading: "Latency",
      label: "median ms to the last byte",
      caption: "From the intended send time. Where a line rises, requests wait for one another.",
      isTime: true,
      inRun: true,
    },
  },
  {
    head: "p95",
    key: `p95 needs ${EXCHANGES_FOR_P95} requests, p99 ${EXCHANGES_FOR_P99}.`,
    pick: ({ latency }) => latency?.p95 ?? null,
    format: formatMs,
  },
  {
    head: "p99",
    pick: ({ latency }) => latency?.p99 ?? null,
    format: formatMs,
    figure: {
      heading: "Slowest of a hundred",
      label: "p99 of ms to the last byte",
      caption: "The latency that 99 of 100 requests kept within.",
      isTime: true,
    },
  },
  {
    head: "in flight",
    key: "In flight: other requests in the instance on arrival, as it counts them. It stays near 0 where a handler computes without waiting: other requests then wait in the socket, and only outstanding counts them.",
    isSeldom: true,
    pick: ({ inFlightMean }) => inFlightMean,
    format: formatAmount,
  },
  {
    head: "outstanding",
    key: "Outstanding: the client's own unanswered ones when it sent.",
    pick: ({ outstandingMean }) => outstandingMean,
    format: formatAmount,
  },
  {
    head: "CPU/request",
    isSeldom: true,
    pick: ({ cpuMsPerExchange }) => cpuMsPerExchange,
    format: formatMs,
    figure: {
      heading: "CPU time",
      label: "CPU ms for each request",
      caption:
        "Of all threads of all the target's processes. Waiting is not in it: it stays level while latency rises.",
    },
  },
  { head: "failed", isCount: true, pick: ({ errors }) => errors, format: String },
  {
    head: "dropped",
    key: "Dropped: due, but never sent, because too many were waiting.",
    isSeldom: true,
    isCount: true,
    pick: ({ stage }) => stage.dropped,
    format: String,
  },
  {
    head: "client CPU",
    isSeldom: true,
    pick: ({ stage: { client } }) => (client.cpuMs === null ? null : client.cpuMs / client.wallMs),
    format: formatPercent,
  },
];

/** A row of the table: one load on one target. */
interface LoadRow extends Pick<TargetReport, "target"> {
  readonly load: OfferedLoad;
  /** The stages of all trials. */
  readonly trials: readonly StageSummary[];
}

/** Lists the rows of a case: by target, then by load from the smallest on. */
function loadRowsOf({ targets }: CaseLoadReport): readonly LoadRow[] {
  return targets.flatMap(({ target, stages }) =>
    [...Map.groupBy(stages, ({ stage }) => formatLoad(stage.load)).values()]
      .map((trials): LoadRow => ({ target, load: (trials[0] as StageSummary).stage.load, trials }))
      .toSorted((a, b) => offeredBy(a.load) - offeredBy(b.load)),
  );
}

/** Gives a number of a row over its trials; null where none has it. */
function rowValue(
  { trials }: LoadRow,
  { pick, isCount }: Pick<LoadNumber, "pick" | "isCount">,
): number | null {
  const values = trials.flatMap((summary) => pick(summary) ?? []);
  if (isCount) {
    return sum(values);
  }
  return values.length === 0 ? null : mean(values);
}

/** A table of loads. */
interface LoadTable extends Table {
  /** The explanation of its columns. */
  readonly key: string;
}

/** Makes the table of a case's loads. @param subject the head of the column with the targets. */
export function loadTable(report: CaseLoadReport, subject = "target"): LoadTable {
  const rows = loadRowsOf(report);
  const hasAny = (number: LoadNumber) =>
    rows.some((row) => rowValue(row, number) !== (number.isCount ? 0 : null));
  const numbers = LOAD_NUMBERS.filter((number) => !number.isSeldom || hasAny(number));
  const outcomeOf = (row: LoadRow) => {
    const held = rowValue(row, { pick: (trial) => (trial.held === null ? null : Number(trial.held)) });
    if (held === null) {
      return "";
    }
    return held >= 0.5 ? " holds" : " fails";
  };
  return {
    head: [subject, "load", ...numbers.map(({ head }) => head)],
    rows: rows.map((row) => [
      { text: row.target.name, html: colourMark(row.target.spoken, row.target.colour) },
      formatLoad(row.load) + outcomeOf(row),
      ...numbers.map((number) => {
        const value = rowValue(row, number);
        return value === null ? "–" : number.format(value);
      }),
    ]),
    numeric: numbers.map((_, index) => index + 2),
    key: ["Means over trials.", ...numbers.flatMap(({ key }) => key ?? [])].join(" "),
  };
}

/** The sentence on rings in a figure. */
const RING = "A ring: from there on requests wait for one another.";

/** Draws the figures of a case. @param isShown tells which ones. Default: all. */
export function loadFigures(
  report: CaseLoadReport,
  isShown: (figure: LoadFigure) => boolean = () => true,
): Markup {
  const drawn = LOAD_NUMBERS.flatMap((number) =>
    number.figure !== undefined && isShown(number.figure) ? [{ number, figure: number.figure }] : [],
  ).sort((a, b) => Number(b.figure.isTime ?? false) - Number(a.figure.isTime ?? false));
  const rows = loadRowsOf(report);
  return html`<div class="figures">${drawn.map(({ number, figure }) => draw(number, figure, report, rows))}</div>`;
}

/** Draws one figure; null where there are not two loads to draw a line between. */
function draw(
  number: LoadNumber,
  { heading, label, caption, isTime }: LoadFigure,
  { targets, manifest, ofAllCases }: CaseLoadReport,
  rows: readonly LoadRow[],
): Markup | null {
  const lines = targets
    .map(({ target: { name }, saturation, stages }) => ({
      name,
      style: styleOf(name, ofAllCases),
      ringAt: saturation?.queuesFrom ?? null,
      points: stages.flatMap((summary) => pointOf(summary.stage.load, number.pick(summary))),
      means: rows.flatMap((row) =>
        row.target.name === name ? pointOf(row.load, rowValue(row, number)) : [],
      ),
    }))
    .filter(({ points }) => points.length > 0);
  const values = lines.flatMap(({ points }) => points.map(({ y }) => y));
  const offered = [...new Set(rows.map(({ load }) => offeredBy(load)))].sort((a, b) => a - b);
  if (values.length === 0 || offered.length < 2) {
    return null;
  }
  const isClosed = rows[0]?.load.kind === "closed";
  const described = lines.map(({ name, means }) => {
    return `${name}: ${means.map(({ y, load }) => `${number.format(y)} at ${formatLoad(load)}`).join(", ")}`;
  });
  const isRinged = targets.some(({ saturation }) => (saturation?.queuesFrom ?? null) !== null);
  return chart({
    heading,
    caption: isRinged ? `${caption} ${RING}` : caption,
    title: `${heading}, ${manifest.id}`,
    description: `${described.join(". ")}.`,
    x: {
      type: "log",
      label: isClosed ? "concurrency" : "requests offered per second",
      ...(isClosed ? { ticks: offered, tickFormat: String } : { ticks: 5, tickFormat: formatRate }),
    },
    y: { ...axis(isTime ? smallest(values) : 0, largest(values) || 1), label, grid: true },
    marks: lines.flatMap(({ style, points, means, ringAt }) => [
      Plot.line(means, { x: "x", y: "y", ...style, strokeWidth: 1.8 }),
      Plot.dot(points, { x: "x", y: "y", r: 2, fill: style.stroke }),
      Plot.dot(
        means.filter(({ x }) => x === ringAt),
        { x: "x", y: "y", r: 6, stroke: style.stroke, strokeWidth: 1.6 },
      ),
    ]),
  });
}

/** A point of a figure. */
interface LoadPoint {
  /** The amount that is offered. */
  readonly x: number;
  readonly y: number;
  readonly load: OfferedLoad;
}

/** Makes the point of a value; none where there is no value. */
function pointOf(load: OfferedLoad, y: number | null): readonly LoadPoint[] {
  return y === null ? [] : [{ x: offeredBy(load), y, load }];
}
