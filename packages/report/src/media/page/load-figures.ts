// Draws what targets did as more was asked of them: a line for each target, a ring from where on requests wait.
import { axis, chart, formatMs, html, type Markup, styleOf } from "@evenbench/page";
import * as Plot from "@observablehq/plot";
import type { CaseFacts, Facts, Metric } from "../../facts/facts.ts";
import { isSearched, loadWords, rateWords } from "../../words/loads.ts";
import { type LoadRow, levelIn, loadRows } from "../load.ts";

interface LoadFigure {
  readonly heading: string;
  readonly metric: Metric;
  /** The number of a level that is drawn. */
  readonly of: "value" | "p99";
  /** The label of the vertical axis. */
  readonly label: string;
  readonly caption: string;
  readonly format: (value: number) => string;
}

/** The figures of a load; a run's page has the first two. */
const FIGURES: readonly LoadFigure[] = [
  {
    heading: "Time",
    metric: "lastByteMs",
    of: "value",
    label: "median ms to the last byte",
    caption: "Where times rise, requests wait for one another.",
    format: formatMs,
  },
  {
    heading: "Answers",
    metric: "answersPerSecond",
    of: "value",
    label: "answers a second",
    caption: "What stays level has no more to give: what is offered beyond waits.",
    format: rateWords,
  },
  {
    heading: "Slowest of a hundred",
    metric: "lastByteMs",
    of: "p99",
    label: "p99 of ms to the last byte",
    caption: "The time that 99 of 100 requests kept within.",
    format: formatMs,
  },
  {
    heading: "CPU time",
    metric: "cpuMs",
    of: "value",
    label: "CPU ms for each request",
    caption: "Of all threads of all of its processes. Waiting is not in it.",
    format: formatMs,
  },
];
const IN_RUN = 2;

/** Draws the figures of a case of a load; null where there are not two loads to draw a line between. @param isRun for the page of a run. */
export function loadFigures(facts: Facts, each: CaseFacts, isRun = false): Markup | null {
  const rows = loadRows(facts, each);
  const offered = [...new Set(rows.flatMap(({ load }) => load.value ?? []))].sort((a, b) => a - b);
  if (offered.length < 2) {
    return null;
  }
  const drawn = (isRun ? FIGURES.slice(0, IN_RUN) : FIGURES).map((figure) =>
    draw(facts, each, figure, rows, offered),
  );
  return html`<div class="figures">${drawn}</div>`;
}

/** A point of a figure: a mean over trials, or one trial. */
interface LoadPoint {
  readonly x: number;
  readonly y: number;
}

/** Draws one figure; null where nothing of it was measured. */
function draw(
  facts: Facts,
  each: CaseFacts,
  { heading, metric, of, label, caption, format }: LoadFigure,
  rows: readonly LoadRow[],
  offered: readonly number[],
): Markup | null {
  const lines = [...Map.groupBy(rows, ({ target }) => target).entries()].map(([target, own]) => {
    const known = own.flatMap((row) => {
      const level = levelIn(row, metric);
      const y = level?.[of] ?? null;
      return level === null || y === null ? [] : [{ load: row.load, x: row.load.value ?? 0, y, level }];
    });
    const points = known.flatMap(({ x, y, level }): readonly LoadPoint[] =>
      of === "value" ? level.byTrial.map((value) => ({ x, y: value })) : [{ x, y }],
    );
    return { target, known, points, style: styleOf(target.name, facts.targets) };
  });
  const values = lines.flatMap(({ known, points }) => [...known, ...points].map(({ y }) => y));
  if (values.length === 0) {
    return null;
  }
  const waits = new Map(
    facts.levels.flatMap(({ case: id, target, metric, value }) =>
      id === each.id && metric === "queuesFrom" && value !== null ? [[target, value] as const] : [],
    ),
  );
  const isSearch = isSearched(facts, each);
  const isClosed = rows[0]?.load.kind === "concurrency";
  const least = metric === "lastByteMs" ? Math.min(...values) : 0;
  const ring = waits.size === 0 ? "" : " A ring: from there on requests wait.";
  return chart({
    heading,
    title: `${heading}, ${each.title}`,
    caption: `${caption}${ring}`,
    description: `${lines
      .map(
        ({ target, known }) =>
          `${target.spoken}: ${known.map(({ y, load }) => `${format(y)} at ${loadWords(load)}`).join(", ")}`,
      )
      .join(". ")}.`,
    x: {
      type: "log",
      label: isClosed ? "requests at a time" : "requests offered a second",
      ...(isClosed ? { ticks: offered, tickFormat: String } : { ticks: 5, tickFormat: rateWords }),
    },
    y: { ...axis(least, Math.max(...values) || 1), label, grid: true },
    marks: lines.flatMap(({ target, known, points, style }) => [
      // Each trial of a search tries rates of its own, so that no line joins them.
      Plot.line(isSearch ? [] : known, { x: "x", y: "y", ...style, strokeWidth: 1.8 }),
      Plot.dot(points, { x: "x", y: "y", r: 2, fill: style.stroke }),
      Plot.dot(
        known.filter(({ x }) => x === waits.get(target.name)),
        { x: "x", y: "y", r: 6, stroke: style.stroke, strokeWidth: 1.6 },
      ),
    ]),
  });
}
