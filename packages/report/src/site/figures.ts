import * as Plot from "@observablehq/plot";
import { counted, formatMs, formatRatio } from "../format.ts";
import { html, type Markup } from "../html/markup.ts";
import { axis, chart, seriesStyle } from "../html/plot.ts";
import type { CaseCourse, History, TargetCourse } from "./standing.ts";

const DATES = 4;
/** Noise must not look like a difference. */
const LEAST_SPAN = 1.1;
const ASIDE = 0.07;

type Measured = TargetCourse["points"][number];

const ratioOf = ({ ratio }: Measured) => ratio;
const timeOf = ({ medianMs: estimate, medianLowMs, medianHighMs }: Measured) =>
  estimate === null ? null : { estimate, low: medianLowMs ?? estimate, high: medianHighMs ?? estimate };

export function historyFigures({ id, baseline, time, cpuTime }: CaseCourse, history: History): Markup {
  const drawn = [
    { heading: `Time, against ${baseline}`, courses: time, of: ratioOf },
    { heading: `CPU time, against ${baseline}`, courses: cpuTime, of: ratioOf },
    { heading: "Median time", courses: time, of: timeOf },
  ];
  return html`<div class="figures">${drawn.map(({ heading, courses, of }) => {
    const lines = courses.map(({ points, ...own }) => ({
      ...own,
      points: points.flatMap((point) => {
        const value = of(point);
        return value === null ? [] : [{ index: point.index, ...value }];
      }),
    }));
    return courseFigure(heading, id, lines, of === ratioOf, history);
  })}</div>`;
}

interface Line extends Pick<TargetCourse, "name" | "colour"> {
  readonly points: readonly (NonNullable<ReturnType<typeof timeOf>> & { readonly index: number })[];
}

function courseFigure(
  heading: string,
  id: string,
  lines: readonly Line[],
  isRatio: boolean,
  { runs, changes }: History,
): Markup | null {
  const ends = lines
    .flatMap(({ points }) => points.flatMap(({ low, high }) => [low, high]))
    .filter((end) => end > 0);
  if (ends.length === 0) return null;
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const y = isRatio
    ? { ...axis(Math.min(1 / LEAST_SPAN, least), Math.max(LEAST_SPAN, most), "×"), label: null }
    : { ...axis(least * 0.95, most * 1.05), label: "ms" };
  const marks = changes.map(({ index, number }) => ({ x: index - 0.5, number: String(number) }));
  const newest = lines.flatMap(({ name, points }) => {
    const point = points.at(-1);
    if (point === undefined) return [];
    return [`${name}: newest ${isRatio ? formatRatio(point) : formatMs(point.estimate)}`];
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
      Plot.ruleY(isRatio ? [1] : [], { stroke: "currentColor" }),
      Plot.ruleX(marks, { x: "x", stroke: "currentColor", strokeDasharray: "2 3" }),
      Plot.text(marks, { x: "x", text: "number", frameAnchor: "top", dy: -14, fontSize: 14.5 }),
      ...lines.flatMap((line, place) => lineMarks(line, (place - (lines.length - 1) / 2) * ASIDE)),
    ],
  });
}

function lineMarks({ colour, points }: Line, aside: number): readonly Plot.Markish[] {
  const style = seriesStyle(colour);
  const { stroke } = style;
  const x = ({ index }: Line["points"][number]) => index + aside;
  return [
    Plot.ruleX(points, { x, y1: "low", y2: "high", stroke, strokeOpacity: 0.45, strokeWidth: 2 }),
    Plot.line(points, { x, y: "estimate", ...style, strokeWidth: 1.5 }),
    Plot.dot(points, { x, y: "estimate", r: 2.6, fill: stroke }),
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
