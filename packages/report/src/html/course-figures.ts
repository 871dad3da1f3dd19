import type { CurvePoint, ExchangeMs } from "@evenbench/stats";
import * as Plot from "@observablehq/plot";
import type { CaseReport, ReportTarget } from "../data.ts";
import { formatMs } from "../format.ts";
import { kindRemarks } from "../kinds.ts";
import { html, type Markup } from "./markup.ts";
import { axis, figure, plot } from "./plot.ts";
import { isCopy, lineOf, styleOf } from "./target-style.ts";

/** Points of a density's line. */
const DENSITY_POINTS = 40;

/** How a fresh instance becomes warm: time, and CPU time where it is reported. */
export function warmUpFigures(report: CaseReport, targets: readonly ReportTarget[]): Markup {
  return html`${warmUpFigure(report, targets, "lastByteMs")}${warmUpFigure(report, targets, "cpuMs")}`;
}

function warmUpFigure(
  report: CaseReport,
  targets: readonly ReportTarget[],
  key: keyof ExchangeMs,
): Markup | null {
  // An A/A copy's would be its original's again.
  const originals = report.curves.filter(({ target }) => !isCopy(target, targets));
  const curves = originals.flatMap(({ target, points, warmFrom }) => {
    const known = points.flatMap((point: CurvePoint) => {
      const ms = point[key];
      return ms === null || ms <= 0 ? [] : [{ exchange: point.exchange, ms }];
    });
    return known.length < 2 ? [] : [{ target, warmFrom, points: known }];
  });
  if (curves.length === 0) return null;
  const all = curves.flatMap(({ points }) => points.map(({ ms }) => ms));
  const last = Math.max(...curves.flatMap(({ points }) => points.map(({ exchange }) => exchange)));
  const what = key === "cpuMs" ? "CPU time" : "time to the last byte";
  const svg = plot({
    x: {
      type: "log",
      domain: [1, last],
      ticks: decades(last),
      tickFormat: String,
      label: "request of a fresh instance",
    },
    y: { ...axis(Math.min(...all) * 0.95, Math.max(...all)), label: `ms of ${what}`, grid: true },
    marks: curves.flatMap(({ target, points, warmFrom }) => [
      Plot.line(points, { x: "exchange", y: "ms", ...lineOf(target, targets) }),
      Plot.dot(warmFrom === null ? [] : points.filter(({ exchange }) => exchange >= warmFrom).slice(0, 1), {
        x: "exchange",
        y: "ms",
        r: 4,
        fill: "var(--paper)",
        stroke: styleOf(target, targets).stroke,
      }),
    ]),
  });
  const rings = curves.some(({ warmFrom }) => warmFrom !== null) ? " Rings: warm from here." : "";
  const described = curves.map(
    ({ target, points, warmFrom }) =>
      `${target}: ${formatMs(points[0]?.ms ?? null)}, at last ${formatMs(points.at(-1)?.ms ?? null)}${warmFrom === null ? "" : `, warm from request ${warmFrom}`}`,
  );
  return figure({
    svg,
    title: `Warm-up by ${what}, ${report.manifest.id}`,
    description: `${described.join(". ")}.`,
    heading: key === "cpuMs" ? "Warm-up, CPU time" : "Warm-up",
    caption: `The n-th request of a fresh instance: median over its instances, from the tenth on of means of neighbours.${rings}`,
  });
}

function decades(last: number): number[] {
  return Array.from({ length: Math.floor(Math.log10(last)) + 1 }, (_, power) => 10 ** power);
}

/**
 * Every instance a dot, and the density of the exchanges above it: where CPU time is reported for each, or
 * where kinds were seen.
 */
export function kindsFigure(report: CaseReport, targets: readonly ReportTarget[]): Markup | null {
  const drawn = report.kinds.filter(({ exchangeMs }) => (exchangeMs[0] ?? 0) > 0 && exchangeMs.length > 1);
  const remarks = kindRemarks(report);
  if (drawn.length === 0 || (report.cpuTime === null && remarks.length === 0)) return null;
  const all = drawn.flatMap(({ exchangeMs }) => exchangeMs);
  const [low, high] = [Math.min(...all) * 0.95, Math.max(...all) * 1.05];
  const what = drawn[0]?.metric === "cpuMs" ? "CPU time" : "time";
  const svg = plot({
    x: { ...axis(low, high), label: `ms of ${what}` },
    y: { axis: null, domain: [drawn.length - 0.6, -0.95] },
    marks: drawn.flatMap(({ target, exchangeMs, instanceMs }, row) => [
      Plot.line(
        density(exchangeMs, low, high).map(({ ms, share }) => ({ ms, y: row - 0.8 * share })),
        { x: "ms", y: "y", ...lineOf(target, targets) },
      ),
      Plot.dot(
        instanceMs.map((ms) => ({ ms })),
        {
          x: "ms",
          y: () => row + 0.14,
          r: 3,
          stroke: styleOf(target, targets).stroke,
          fill: isCopy(target, targets) ? "var(--paper)" : styleOf(target, targets).stroke,
        },
      ),
    ]),
  });
  const said = remarks.map(({ target, sentence }) => `${target}: ${sentence}`);
  return figure({
    svg,
    title: `Instances and requests by ${what}, ${report.manifest.id}`,
    description: said.length === 0 ? "No target comes in kinds." : said.join(" "),
    heading: "Kinds",
    caption:
      "Line: how many requests took so long. Dots: the median of each trial. Two hills or two heaps of dots are two kinds.",
  });
}

/**
 * How densely values lie at equal steps of a logarithmic axis, the most of them as 1: counts of neighbours,
 * smoothed over three.
 */
function density(values: readonly number[], low: number, high: number): { ms: number; share: number }[] {
  const step = Math.log(high / low) / DENSITY_POINTS;
  const counts = Array.from({ length: DENSITY_POINTS }, () => 0);
  for (const ms of values) {
    const place = Math.min(DENSITY_POINTS - 1, Math.floor(Math.log(ms / low) / step));
    counts[place] = (counts[place] ?? 0) + 1;
  }
  const smooth = counts.map(
    (count, place) => 2 * count + (counts[place - 1] ?? 0) + (counts[place + 1] ?? 0),
  );
  const most = Math.max(...smooth);
  return smooth.map((count, place) => ({ ms: low * Math.exp((place + 0.5) * step), share: count / most }));
}
