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
import { largest, mean, smallest, sum } from "@evenbench/stats";
import * as Plot from "@observablehq/plot";
import type { StageSummary } from "../analysis.ts";
import { type CaseLoadReport, formatLoad, formatRate, offeredBy, type TargetReport } from "./data.ts";

interface LoadNumber {
  readonly head: string;
  /** Said of it under the table. */
  readonly key?: string;
  /** Its column is left out where no row has it. */
  readonly isSeldom?: true;
  /** Added up over trials; others are means. */
  readonly isCount?: true;
  readonly figure?: LoadFigure;
  pick(summary: StageSummary): number | null;
  format(value: number): string;
}

interface LoadFigure {
  readonly heading: string;
  readonly label: string;
  readonly caption: string;
  /** Drawn on a logarithmic axis where that helps; amounts begin at 0. */
  readonly isTime?: true;
  /** Also drawn in the report of a run that it follows. */
  readonly inRun?: true;
}

const formatAmount = (amount: number) => amount.toFixed(1);

const NUMBERS: readonly LoadNumber[] = [
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
  { head: "p95", pick: ({ latency }) => latency?.p95 ?? null, format: formatMs },
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

interface LoadRow extends Pick<TargetReport, "target"> {
  readonly load: OfferedLoad;
  readonly trials: readonly StageSummary[];
}

function rowsOf({ targets }: CaseLoadReport): readonly LoadRow[] {
  return targets.flatMap(({ target, stages }) =>
    [...Map.groupBy(stages, ({ stage }) => formatLoad(stage.load)).values()]
      .map((trials): LoadRow => ({ target, load: (trials[0] as StageSummary).stage.load, trials }))
      .toSorted((a, b) => offeredBy(a.load) - offeredBy(b.load)),
  );
}

function read({ trials }: LoadRow, { pick, isCount }: Pick<LoadNumber, "pick" | "isCount">): number | null {
  const values = trials.flatMap((summary) => pick(summary) ?? []);
  if (isCount) {
    return sum(values);
  }
  return values.length === 0 ? null : mean(values);
}

export function loadTable(report: CaseLoadReport, subject = "target"): Table & { readonly key: string } {
  const rows = rowsOf(report);
  const hasAny = (number: LoadNumber) =>
    rows.some((row) => read(row, number) !== (number.isCount ? 0 : null));
  const numbers = NUMBERS.filter((number) => !number.isSeldom || hasAny(number));
  const outcomeOf = (row: LoadRow) => {
    const held = read(row, { pick: (trial) => (trial.held === null ? null : Number(trial.held)) });
    if (held === null) {
      return "";
    }
    return held >= 0.5 ? " holds" : " fails";
  };
  return {
    head: [subject, "load", ...numbers.map(({ head }) => head)],
    rows: rows.map((row) => [
      { text: row.target.name, html: colourMark(row.target.name, row.target.colour) },
      formatLoad(row.load) + outcomeOf(row),
      ...numbers.map((number) => {
        const value = read(row, number);
        return value === null ? "–" : number.format(value);
      }),
    ]),
    numeric: numbers.map((_, index) => index + 2),
    key: ["Means over trials.", ...numbers.flatMap(({ key }) => key ?? [])].join(" "),
  };
}

const RING = "A ring: from there on requests wait for one another.";

export function loadFigures(report: CaseLoadReport, isShown = (_figure: LoadFigure) => true): Markup {
  const drawn = NUMBERS.flatMap((number) =>
    number.figure !== undefined && isShown(number.figure) ? [{ number, figure: number.figure }] : [],
  ).sort((a, b) => Number(b.figure.isTime ?? false) - Number(a.figure.isTime ?? false));
  const rows = rowsOf(report);
  return html`<div class="figures">${drawn.map(({ number, figure }) => draw(number, figure, report, rows))}</div>`;
}

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
      means: rows.flatMap((row) => (row.target.name === name ? pointOf(row.load, read(row, number)) : [])),
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

function pointOf(load: OfferedLoad, y: number | null) {
  return y === null ? [] : [{ x: offeredBy(load), y, load }];
}
