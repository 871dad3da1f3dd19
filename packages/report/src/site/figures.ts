import { axis, chart, counted, formatMs, html, type Markup, seriesStyle, tickWords } from "@evenbench/page";
import * as Plot from "@observablehq/plot";
import { dayOf } from "../words/names.ts";
import { cell } from "../words/notation.ts";
import type { CaseHistory, History, Point, TargetHistory } from "./histories.ts";

const DATES = 4;
/** Ratio up to which an axis reaches at least, on both sides of 1: noise must not look like a difference. */
const LEAST_AXIS_END = 1.1;
/** Distance between the lines of targets, as a part of that between runs. */
const ASIDE = 0.07;

/** A number of one run, as it is drawn, with words for who cannot see it. */
interface DrawnPoint {
  readonly index: number;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  readonly words: string;
}

/** Draws the history of a case: ratios of time and of CPU time, and times. @param against name of the baseline. */
export function historyFigures(ofCase: CaseHistory, history: History, against: string): Markup {
  const draw = (heading: string, histories: readonly TargetHistory[], isRatio: boolean) =>
    drawHistory(heading, ofCase.case.title, histories, isRatio, history);
  return html`<div class="figures">${[
    draw(`Time, against ${against}`, ofCase.time, true),
    draw(`CPU time, against ${against}`, ofCase.cpuTime, true),
    draw("Median time", ofCase.time, false),
  ]}</div>`;
}

/** Takes the ratio of a run; null where it has none. */
function ratioPoint({ index, change }: Point): DrawnPoint | null {
  if (change === null || change.estimate === null) {
    return null;
  }
  const { estimate, low, high } = change;
  return { index, estimate, low: low ?? estimate, high: high ?? estimate, words: cell(change) };
}

/** Takes the time of a run; null where it has none. */
function timePoint({ index, level: { value, low, high } }: Point): DrawnPoint | null {
  if (value === null) {
    return null;
  }
  return { index, estimate: value, low: low ?? value, high: high ?? value, words: formatMs(value) };
}

/** Draws the history of one number; null where no run has it. */
function drawHistory(
  heading: string,
  title: string,
  targetHistories: readonly TargetHistory[],
  isRatio: boolean,
  { runs, changes }: History,
): Markup | null {
  const pointOf = isRatio ? ratioPoint : timePoint;
  const lines = targetHistories.map(({ target, points }) => ({
    name: target.spoken,
    colour: target.colour,
    points: points.flatMap((point) => pointOf(point) ?? []),
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
        tickFormat: (ratio: number) => tickWords(ratio, "ratio"),
        label: null,
      }
    : { ...axis(least * 0.95, most * 1.05), label: "ms" };
  const newest = lines.flatMap(({ name, points }) =>
    points.slice(-1).map(({ words }) => `${name}: newest ${words}`),
  );
  const numbers =
    changes.length === 0 ? "" : " Dashed: versions changed, by their number in the list of versions.";
  const beforeChange = { x: ({ index }: (typeof changes)[number]) => index - 0.5 };
  return chart({
    heading,
    title: `${heading}, ${title}, over ${counted(runs.length, "run")}`,
    description: `${newest.join(". ")}.`,
    caption: `Each run's estimate with its 99 % interval, oldest run first.${numbers}`,
    marginLeft: 76,
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

function datesAxis(runs: History["runs"]): Plot.ScaleOptions {
  const starts = runs.map(({ facts }) => facts.run.startedAt);
  const isOneDay = new Set(runs.map(({ facts }) => dayOf(facts))).size === 1;
  const places = Array.from({ length: DATES }, (_, place) => (place * (runs.length - 1)) / (DATES - 1));
  const shown = starts.map((start) => (isOneDay ? start.slice(11, 16) : start.slice(5, 10)));
  return {
    domain: [-0.5, runs.length - 0.5],
    ticks: [...new Set(places.map(Math.round))],
    tickFormat: (index: number) => shown[index] ?? "",
    label: null,
  };
}
