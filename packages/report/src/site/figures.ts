import * as Plot from "@observablehq/plot";
import { counted, formatMs, formatRatio } from "../format.ts";
import { html, type Markup } from "../html/markup.ts";
import { axis, chart, seriesStyle } from "../html/plot.ts";
import type { CaseCourse, History, TargetCourse } from "./standing.ts";

const DATES = 4;
const RATIO_TICKS = [
  { upTo: 1.6, ticks: [0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.4] },
  { upTo: 6, ticks: [0.2, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 5] },
  { upTo: Number.POSITIVE_INFINITY, ticks: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100] },
] as const;
const LEAST_SPAN = 1.1;

const ASIDE = 0.07;

interface Point {
  readonly index: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

interface Line extends Pick<TargetCourse, "name" | "colour"> {
  readonly points: readonly Point[];
}

export function historyFigures(course: CaseCourse, machine: History): Markup {
  const { id, baseline, time, cpuTime } = course;
  return html`<div class="figures">${ratioFigure(`Time, against ${baseline}`, id, time, machine)}${ratioFigure(`CPU time, against ${baseline}`, id, cpuTime, machine)}${timeFigure(id, time, machine)}</div>`;
}

function ratioFigure(
  heading: string,
  id: string,
  courses: readonly TargetCourse[],
  machine: History,
): Markup | null {
  const lines = courses.map(({ points, ...own }) => ({
    ...own,
    points: points.flatMap(({ index, ratio }) =>
      ratio === null ? [] : [{ index, value: ratio.estimate, low: ratio.low, high: ratio.high }],
    ),
  }));
  const ends = endsOf(lines);
  if (ends.length === 0) return null;
  const [low, high] = [Math.min(1 / LEAST_SPAN, ...ends), Math.max(LEAST_SPAN, ...ends)];
  const ticks = RATIO_TICKS.find(({ upTo }) => high / low <= upTo)?.ticks ?? [];
  const inside = ticks.filter((tick) => tick >= low && tick <= high);
  const y: Plot.ScaleOptions = {
    type: "log",
    domain: [low, high],
    ticks: inside,
    tickFormat: (tick) => `${tick}×`,
    label: null,
  };
  return courseFigure({ heading, id, lines, machine, y, level: [1], say: formatPoint });
}

const formatPoint = ({ value, low, high }: Point) => formatRatio({ estimate: value, low, high });

function timeFigure(id: string, courses: readonly TargetCourse[], machine: History): Markup | null {
  const lines = courses.map(({ points, ...own }) => ({
    ...own,
    points: points.flatMap(({ index, medianMs: value, medianLowMs, medianHighMs }) =>
      value === null ? [] : [{ index, value, low: medianLowMs ?? value, high: medianHighMs ?? value }],
    ),
  }));
  const ends = endsOf(lines);
  if (ends.length === 0) return null;
  const y = { ...axis(Math.min(...ends) * 0.95, Math.max(...ends) * 1.05), label: "ms" };
  const say = ({ value }: Point) => formatMs(value);
  return courseFigure({ heading: "Median time", id, lines, machine, y, level: [], say });
}

function endsOf(lines: readonly Line[]): readonly number[] {
  return lines
    .flatMap(({ points }) => points.flatMap(({ low, high }) => [low, high]))
    .filter((end) => end > 0);
}

interface CourseFigure {
  readonly heading: string;
  readonly id: string;
  readonly lines: readonly Line[];
  readonly machine: History;
  readonly y: Plot.ScaleOptions;
  readonly level: readonly number[];
  readonly say: (point: Point) => string;
}

function courseFigure({ heading, id, lines, machine, y, level, say }: CourseFigure): Markup {
  const { runs, changes } = machine;
  const marks = changes.map(({ index, number }) => ({ x: index - 0.5, number: String(number) }));
  const newest = lines.flatMap(({ name, points }) => {
    const point = points.at(-1);
    return point === undefined ? [] : [`${name}: newest ${say(point)}`];
  });
  const numbers = marks.length === 0 ? "" : " Dashed: versions changed, by the number in the list above.";
  return chart({
    heading,
    title: `${heading}, ${id}, over ${counted(runs.length, "run")}`,
    description: `${newest.join(". ")}.`,
    caption: `Each run's estimate with its 99 % interval, oldest run first.${numbers}`,
    marginRight: 24,
    x: datesAxis(runs),
    y: { ...y, grid: true },
    marks: [
      Plot.ruleY(level, { stroke: "currentColor" }),
      Plot.ruleX(marks, { x: "x", stroke: "currentColor", strokeDasharray: "2 3" }),
      Plot.text(marks, { x: "x", text: "number", frameAnchor: "top", dy: -14, fontSize: 14.5 }),
      ...lines.flatMap((line, place) => lineMarks(line, (place - (lines.length - 1) / 2) * ASIDE)),
    ],
  });
}

function lineMarks({ colour, points }: Line, aside: number): readonly Plot.Markish[] {
  const style = seriesStyle(colour);
  const { stroke } = style;
  const x = ({ index }: Point) => index + aside;
  return [
    Plot.ruleX(points, { x, y1: "low", y2: "high", stroke, strokeOpacity: 0.45, strokeWidth: 2 }),
    Plot.line(points, { x, y: "value", ...style, strokeWidth: 1.5 }),
    Plot.dot(points, { x, y: "value", r: 2.6, fill: stroke }),
  ];
}

function datesAxis(runs: History["runs"]): Plot.ScaleOptions {
  const starts = runs.map(({ run }) => run.startedAt);
  const isOneDay = new Set(starts.map((start) => start.slice(0, 10))).size === 1;
  const shown = starts.map((start) => (isOneDay ? start.slice(11, 16) : start.slice(5, 10)));
  const steps = Math.min(DATES, runs.length) - 1;
  const ticks = Array.from({ length: steps + 1 }, (_, step) =>
    steps === 0 ? 0 : Math.round((step * (runs.length - 1)) / steps),
  );
  const tickFormat = (index: number) => shown[index] ?? "";
  return { domain: [-0.5, runs.length - 0.5], ticks, tickFormat, label: null };
}
