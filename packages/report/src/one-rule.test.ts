import { expect, test } from "vitest";
import { analysed } from "../test/synthetic.ts";
import { renderHtml, renderMarkdown, renderTerminal } from "./index.ts";

/** One row of a table of verdicts as a reader sees it. */
interface Shown {
  readonly ratio: number;
  readonly band: readonly [low: number, high: number];
  readonly verdict: string;
}

/** Runs of every noise: two instances of one target are up to 1 % apart in the first and up to 40 % in the last. */
const runs = Array.from({ length: 10 }, (_, index) =>
  analysed({ seed: index, scatter: 0.01 + index * 0.04, rounds: 8, trials: 5 + 5 * (index % 2) }),
);

/** Rows of a text, each with a verdict, after the row of their baseline with the band. */
function shownIn(text: string): Shown[] {
  let band: Shown["band"] = [1, 1];
  return text.split("\n").flatMap((line) => {
    const noise = /([\d.]+)–([\d.]+)×/.exec(line);
    if (line.includes("baseline") && noise !== null) band = [Number(noise[1]), Number(noise[2])];
    const row = /([\d.]+)× \([\d.]+–[\d.]+\).*[◀▶=?] (faster|slower|same|inconclusive)/.exec(line);
    return row === null ? [] : [{ ratio: Number(row[1]), band, verdict: row[2] ?? "" }];
  });
}

/** Dots and bands of all intervals of a page that stand beside a verdict, in per cent of their drawings' width. */
function _drawnIn(page: string): Shown[] {
  return page.split("<tr").flatMap((row) => {
    const band = /class="band" x="([\d.]+)%" width="([\d.]+)%"/.exec(row);
    const dot = /<circle cx="([\d.]+)%"/.exec(row);
    const verdict = /class="verdict (\w+)"/.exec(row);
    if (band === null || dot === null || verdict === null) return [];
    const left = Number(band[1]);
    return [{ ratio: Number(dot[1]), band: [left, left + Number(band[2])], verdict: verdict[1] ?? "" }];
  });
}

const isCalled = ({ verdict }: Shown) => verdict === "faster" || verdict === "slower";
/** Positions are rounded to hundredths. */
const isInside = ({ ratio, band: [low, high] }: Shown, rounding = 0) =>
  ratio > low + rounding && ratio < high - rounding;

test("no ratio that stands within the printed band is called a difference, in the terminal or in Markdown", () => {
  const options = { width: 100, color: false };
  const shown = runs.flatMap((data) => [
    ...shownIn(renderTerminal(data, options)),
    ...shownIn(renderMarkdown(data)),
  ]);
  expect(shown).toHaveLength(runs.length * 2 * 4 * 2);
  expect(shown.filter(isCalled).length).toBeGreaterThan(25);
  expect(shown.filter((row) => isInside(row)).length).toBeGreaterThan(25);
  expect(shown.filter((row) => isCalled(row) && isInside(row))).toEqual([]);
});

/** Dots of the chart that begins a page, each with its drawing's band. */
function chartedIn(page: string): Shown[] {
  const [, chart = ""] = /<div class="overview.*?<tbody(.*?)<\/table>/s.exec(page) ?? [];
  return chart.split("<svg").flatMap((drawing) => {
    const band = /class="band" x="([\d.]+)%" width="([\d.]+)%"/.exec(drawing);
    if (band === null) return [];
    const left = Number(band[1]);
    const dots = drawing.matchAll(/<circle cx="([\d.]+)%"[^>]*class="(dot|hollow)"/g);
    return [...dots].map(([, at, form]) => ({
      ratio: Number(at),
      band: [left, left + Number(band[2])] as const,
      verdict: form === "dot" ? "faster" : "same",
    }));
  });
}

test("no dot of the chart that lies within the grey band is filled", () => {
  const charted = runs.flatMap((data) => chartedIn(renderHtml(data)));
  expect(charted).toHaveLength(runs.length * 4 * 2);
  expect(charted.filter(isCalled).length).toBeGreaterThan(25);
  expect(charted.filter((row) => isInside(row)).length).toBeGreaterThan(12);
  expect(charted.filter((row) => isCalled(row) && isInside(row, 0.02))).toEqual([]);
});

/** "12 % longer", "8.1 % less time" and "2.1 times as long" as ratios. */
function _sizesIn(sentence: string): number[] {
  const percentages = [...sentence.matchAll(/([\d.]+) % (longer|less time)/g)];
  const times = [...sentence.matchAll(/([\d.]+) times as long/g)];
  return [
    ...percentages.map(([, size, way]) => 1 + (Number(size) / 100) * (way === "longer" ? 1 : -1)),
    ...times.map(([, size]) => Number(size)),
  ];
}
