import { axis, figure, formatMs, html, type Markup, plot, seriesStyle } from "@evenbench/report/parts";
import * as Plot from "@observablehq/plot";
import type { StageSummary } from "../analysis/stage-summary.ts";
import type { CaseLoadReport, SubjectReport } from "./data.ts";
import { formatRate } from "./format.ts";
import { type LoadRow, loadRows } from "./rows.ts";

interface Drawing {
  readonly heading: string;
  readonly label: string;
  readonly caption: string;
  readonly inRun: boolean;
  /** Times may be drawn on a logarithmic axis; amounts begin at 0. */
  readonly isTime: boolean;
  of(summary: StageSummary): number | null;
  ofRow(row: LoadRow): number | null;
  format(value: number): string;
}

const RING = "A ring: from there on requests wait for one another.";

const twoDigits = (value: number) => value.toFixed(2);

const DRAWINGS: readonly Drawing[] = [
  {
    heading: "Latency",
    inRun: true,
    label: "median ms to the last byte",
    isTime: true,
    caption: "From the intended send time. Where a line rises, requests wait for one another.",
    of: ({ latency }) => latency?.p50 ?? null,
    ofRow: ({ p50 }) => p50,
    format: formatMs,
  },
  {
    heading: "Slowest of a hundred",
    inRun: false,
    label: "p99 of ms to the last byte",
    isTime: true,
    caption: "The latency that 99 of 100 requests kept within.",
    of: ({ latency }) => latency?.p99 ?? null,
    ofRow: ({ p99 }) => p99,
    format: formatMs,
  },
  {
    heading: "Answers",
    inRun: true,
    label: "answers per second",
    isTime: false,
    caption: "A line that stays level has no more to give: what is offered beyond waits.",
    of: ({ perSecond }) => perSecond,
    ofRow: ({ perSecond }) => perSecond,
    format: formatRate,
  },
  {
    heading: "In flight on arrival",
    inRun: false,
    label: "other requests in the instance",
    isTime: false,
    caption:
      "As the instance counted them. A handler that computes without waiting never sees another: its queue is in the socket, before JavaScript.",
    of: ({ inFlightMean }) => inFlightMean,
    ofRow: ({ inFlight }) => inFlight,
    format: twoDigits,
  },
  {
    heading: "Outstanding when sent",
    inRun: false,
    label: "unanswered requests of the client",
    isTime: false,
    caption: "As the client counted them: the queue with the request that is worked on.",
    of: ({ outstandingMean }) => outstandingMean,
    ofRow: ({ outstanding }) => outstanding,
    format: twoDigits,
  },
  {
    heading: "CPU time",
    inRun: false,
    label: "CPU ms for each request",
    isTime: false,
    caption:
      "Of all threads of all the subject's processes. Waiting is not in it: it stays level while latency rises.",
    of: ({ cpuMsPerExchange }) => cpuMsPerExchange,
    ofRow: ({ cpuMs }) => cpuMs,
    format: formatMs,
  },
];

export function loadFigures(report: CaseLoadReport): Markup {
  return drawAll(DRAWINGS, report);
}

export function sweepFigures(report: CaseLoadReport): Markup {
  return drawAll(
    DRAWINGS.filter(({ inRun }) => inRun),
    report,
  );
}

function drawAll(drawings: readonly Drawing[], report: CaseLoadReport): Markup {
  const rows = loadRows(report);
  return html`<div class="figures">${drawings.map((drawing) => draw(drawing, report, rows))}</div>`;
}

function draw(drawing: Drawing, report: CaseLoadReport, rows: readonly LoadRow[]): Markup | null {
  const lines = report.subjects
    .map((one) => ({ one, points: pointsOf(drawing, one) }))
    .filter(({ points }) => points.length > 0);
  const values = lines.flatMap(({ points }) => points.map(({ y }) => y));
  const offered = [...new Set(rows.map((row) => row.offered))].sort((a, b) => a - b);
  if (values.length === 0 || offered.length < 2) return null;
  const closed = report.subjects[0]?.stages[0]?.stage.load.kind === "closed";
  const svg = plot({
    x: {
      type: "log",
      label: closed ? "concurrency" : "requests offered per second",
      ...(closed ? { ticks: offered, tickFormat: String } : { ticks: 5, tickFormat: formatRate }),
    },
    y: {
      ...axis(drawing.isTime ? Math.min(...values) : 0, Math.max(...values) || 1),
      label: drawing.label,
      grid: true,
    },
    marks: lines.flatMap(({ one, points }) => {
      const style = seriesStyle(one.colour, one.before);
      const means = rows
        .filter((row) => row.subject === one.subject.name)
        .flatMap((row) => {
          const y = drawing.ofRow(row);
          return y === null ? [] : [{ x: row.offered, y }];
        });
      return [
        Plot.line(means, { x: "x", y: "y", ...style, strokeWidth: 1.8 }),
        Plot.dot(points, { x: "x", y: "y", r: 2, fill: style.stroke }),
        Plot.dot(
          means.filter(({ x }) => x === one.saturation?.queuesFrom),
          { x: "x", y: "y", r: 6, stroke: style.stroke, strokeWidth: 1.6 },
        ),
      ];
    }),
  });
  const description = lines
    .map(({ one }) => {
      const own = rows.filter((row) => row.subject === one.subject.name);
      const words = own.flatMap((row) => {
        const value = drawing.ofRow(row);
        return value === null ? [] : [`${drawing.format(value)} at ${row.load}`];
      });
      return `${one.subject.name}: ${words.join(", ")}`;
    })
    .join(". ");
  const ringed = report.subjects.some(({ saturation }) => (saturation?.queuesFrom ?? null) !== null);
  const { heading } = drawing;
  const caption = ringed ? `${drawing.caption} ${RING}` : drawing.caption;
  return figure({
    svg,
    heading,
    caption,
    title: `${heading}, ${report.manifest.id}`,
    description: `${description}.`,
  });
}

function pointsOf(drawing: Drawing, { stages }: SubjectReport): { readonly x: number; readonly y: number }[] {
  return stages.flatMap((summary) => {
    const { load } = summary.stage;
    const y = drawing.of(summary);
    return y === null ? [] : [{ x: load.kind === "closed" ? load.connections : load.perSecond, y }];
  });
}
