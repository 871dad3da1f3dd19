import {
  axis,
  chart,
  counted,
  formatChange,
  formatMs,
  html,
  type Markup,
  seriesStyle,
  tickWords,
} from "@evenbench/page";
import * as Plot from "@observablehq/plot";
import { medianTimeOf } from "../across/series.ts";
import type { CaseHistory, TargetHistory } from "./histories.ts";

/** Number of dates on an axis. */
const DATES = 4;
/** Ratio up to which an axis reaches at least, on both sides of 1: noise must not look like a difference. */
const LEAST_AXIS_END = 1.1;
/** Distance between the lines of targets, as a part of that between runs. */
const ASIDE = 0.07;

/** Draws the history of a case: ratios of time and of CPU time, and times. */
export function historyFigures(history: CaseHistory): Markup {
  const against = history.time[0]?.baseline;
  return html`<div class="figures">${[
    drawHistory(`Time, against ${against}`, history.time, true, history),
    drawHistory(`CPU time, against ${against}`, history.cpuTime, true, history),
    drawHistory("Median time", history.time, false, history),
  ]}</div>`;
}

/** Draws the history of one number; null where no run has it. */
function drawHistory(
  heading: string,
  targetHistories: readonly TargetHistory[],
  isRatio: boolean,
  { id, runs, changes }: CaseHistory,
): Markup | null {
  const lines = targetHistories.map(({ points, ...targetHistory }) => ({
    ...targetHistory,
    points: points.flatMap(({ index, row }) => {
      const value = isRatio ? row.ratio : medianTimeOf(row);
      if (value === null) {
        return [];
      }
      const { estimate, low, high } = value;
      return [{ index, estimate, low: low ?? estimate, high: high ?? estimate }];
    }),
  }));
  const ends = lines.flatMap(({ points }) => points.flatMap(({ low, high }) => [low, high]));
  if (ends.length === 0) {
    return null;
  }
  const least = Math.min(...ends.filter((end) => end > 0));
  const most = Math.max(...ends);
  const y = isRatio
    ? {
        ...axis(Math.min(1 / LEAST_AXIS_END, least), Math.max(LEAST_AXIS_END, most)),
        tickFormat: tickWords,
        label: null,
      }
    : { ...axis(least * 0.95, most * 1.05), label: "ms" };
  const newest = lines.flatMap(({ name, points }) =>
    points
      .slice(-1)
      .map((point) => `${name}: newest ${isRatio ? formatChange(point) : formatMs(point.estimate)}`),
  );
  const numbers = changes.length === 0 ? "" : " Dashed: versions changed, by the number in the list above.";
  const beforeChange = { x: ({ index }: (typeof changes)[number]) => index - 0.5 };
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
      Plot.ruleX(changes, { ...beforeChange, stroke: "currentColor", strokeDasharray: "2 3" }),
      Plot.text(changes, { ...beforeChange, text: "number", frameAnchor: "top", dy: -14, fontSize: 14.5 }),
      ...lines.flatMap(({ colour, points }, place) => {
        const style = seriesStyle(colour);
        const { stroke } = style;
        const aside = (place - (lines.length - 1) / 2) * ASIDE;
        const x = ({ index }: { readonly index: number }) => index + aside;
        return [
          Plot.ruleX(points, { x, y1: "low", y2: "high", stroke, strokeOpacity: 0.45, strokeWidth: 2 }),
          Plot.line(points, { x, y: "estimate", ...style, strokeWidth: 1.5 }),
          Plot.dot(points, { x, y: "estimate", r: 2.6, fill: stroke }),
        ];
      }),
    ],
  });
}

/** Makes the axis of runs, with the dates of some. */
function datesAxis(runs: CaseHistory["runs"]): Plot.ScaleOptions {
  const starts = runs.map(({ run }) => run.startedAt);
  const isOneDay = new Set(starts.map((start) => start.slice(0, 10))).size === 1;
  const places = Array.from({ length: DATES }, (_, place) => (place * (runs.length - 1)) / (DATES - 1));
  const shown = starts.map((start) => (isOneDay ? start.slice(11, 16) : start.slice(5, 10)));
  return {
    domain: [-0.5, runs.length - 0.5],
    ticks: [...new Set(places.map(Math.round))],
    tickFormat: (index: number) => shown[index] ?? "",
    label: null,
  };
}
