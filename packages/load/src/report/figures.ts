import { axis, chart, formatMs, html, type Markup, seriesStyle } from "@evenbench/report/parts";
import * as Plot from "@observablehq/plot";
import type { CaseLoadReport } from "./data.ts";
import { formatRate, offeredBy } from "./format.ts";
import { type LoadRow, loadRows, MEASURES, type Measure } from "./rows.ts";

interface Drawing {
  readonly heading: string;
  readonly measure: Measure;
  readonly label: string;
  readonly caption: string;
  readonly inRun?: true;
  format(value: number): string;
}

const RING = "A ring: from there on requests wait for one another.";
/** Times may be drawn on a logarithmic axis; amounts begin at 0. */
const TIMES: readonly Measure[] = ["p50", "p99"];

const twoDigits = (value: number) => value.toFixed(2);

const DRAWINGS: readonly Drawing[] = [
  {
    heading: "Latency",
    measure: "p50",
    inRun: true,
    label: "median ms to the last byte",
    caption: "From the intended send time. Where a line rises, requests wait for one another.",
    format: formatMs,
  },
  {
    heading: "Slowest of a hundred",
    measure: "p99",
    label: "p99 of ms to the last byte",
    caption: "The latency that 99 of 100 requests kept within.",
    format: formatMs,
  },
  {
    heading: "Answers",
    measure: "perSecond",
    inRun: true,
    label: "answers per second",
    caption: "A line that stays level has no more to give: what is offered beyond waits.",
    format: formatRate,
  },
  {
    heading: "In flight on arrival",
    measure: "inFlight",
    label: "other requests in the instance",
    caption:
      "As the instance counted them. A handler that computes without waiting never sees another: its queue is in the socket, before JavaScript.",
    format: twoDigits,
  },
  {
    heading: "Outstanding when sent",
    measure: "outstanding",
    label: "unanswered requests of the client",
    caption: "As the client counted them: the queue with the request that is worked on.",
    format: twoDigits,
  },
  {
    heading: "CPU time",
    measure: "cpuMs",
    label: "CPU ms for each request",
    caption:
      "Of all threads of all the target's processes. Waiting is not in it: it stays level while latency rises.",
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
  const { measure, heading, label } = drawing;
  const lines = report.targets
    .map(({ target, colour, before, saturation, stages }) => ({
      name: target.name,
      style: seriesStyle(colour, before),
      ringAt: saturation?.queuesFrom ?? null,
      points: stages.flatMap((summary) => {
        const y = MEASURES[measure](summary);
        return y === null ? [] : [{ x: offeredBy(summary.stage.load), y }];
      }),
      means: rows
        .filter((row) => row.target === target.name)
        .flatMap((row) => {
          const y = row[measure];
          return y === null ? [] : [{ x: row.offered, y, load: row.load }];
        }),
    }))
    .filter(({ points }) => points.length > 0);
  const values = lines.flatMap(({ points }) => points.map(({ y }) => y));
  const offered = [...new Set(rows.map((row) => row.offered))].sort((a, b) => a - b);
  if (values.length === 0 || offered.length < 2) return null;
  const closed = report.targets[0]?.stages[0]?.stage.load.kind === "closed";
  const described = lines.map(
    ({ name, means }) =>
      `${name}: ${means.map(({ y, load }) => `${drawing.format(y)} at ${load}`).join(", ")}`,
  );
  const ringed = report.targets.some(({ saturation }) => (saturation?.queuesFrom ?? null) !== null);
  return chart({
    heading,
    caption: ringed ? `${drawing.caption} ${RING}` : drawing.caption,
    title: `${heading}, ${report.manifest.id}`,
    description: `${described.join(". ")}.`,
    x: {
      type: "log",
      label: closed ? "concurrency" : "requests offered per second",
      ...(closed ? { ticks: offered, tickFormat: String } : { ticks: 5, tickFormat: formatRate }),
    },
    y: {
      ...axis(TIMES.includes(measure) ? Math.min(...values) : 0, Math.max(...values) || 1),
      label,
      grid: true,
    },
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
