import type { CurvePoint } from "@evenbench/stats";
import * as Plot from "@observablehq/plot";
import { withControl } from "../case-report.ts";
import type { CaseReport, ReportTarget } from "../data.ts";
import { formatBytes, formatMs, metricName } from "../format.ts";
import { kindRemarks } from "../remarks.ts";
import { LARGEST_SHARE, QUANTILE_POINTS } from "../series.ts";
import { html, type Markup } from "./markup.ts";
import { axis, figure, isCopy, lineOf, plot, styleOf } from "./plot.ts";

const DENSITY_POINTS = 40;
const SHARE_AXIS: Plot.ScaleOptions = {
  domain: [0, 1],
  ticks: 4,
  tickFormat: (share: number) => `${share * 100} %`,
  grid: true,
};

type Targets = readonly ReportTarget[];

export function mainFigures(report: CaseReport, targets: Targets): Markup {
  return html`<div class="figures">${distribution(report, targets)}${instances(report, targets)}</div>`;
}

export function moreFigures(report: CaseReport, targets: Targets): Markup | null {
  const all = [warmUp(report, targets), kinds(report, targets), arrival(report, targets)];
  return all.every((one) => one === null) ? null : html`<div class="figures">${all}</div>`;
}

function dot(target: string, targets: Targets): Plot.DotOptions {
  const { stroke } = styleOf(target, targets);
  return { stroke, strokeWidth: 1.6, fill: isCopy(target, targets) ? "var(--paper)" : stroke };
}

function distribution(report: CaseReport, targets: Targets): Markup | null {
  const drawn = report.series.filter(({ quantiles }) => quantiles.length > 1);
  if (drawn.length === 0) return null;
  const metric = metricName(report.manifest.headline);
  const all = drawn.flatMap(({ quantiles }) => quantiles.map(({ ms }) => ms));
  const svg = plot({
    x: { ...axis(Math.min(...all), Math.max(...all)), label: `ms to the ${metric}` },
    y: { ...SHARE_AXIS, label: "share of requests" },
    marks: drawn.map(({ target, quantiles }) =>
      Plot.line(quantiles, { x: "ms", y: "share", ...lineOf(target, targets) }),
    ),
  });
  const medians = (report.headline?.summaries ?? []).map(
    ({ target, median }) => `${target} ${formatMs(median)}`,
  );
  return figure({
    svg,
    title: `Distribution of times to the ${metric}, ${report.manifest.id}`,
    description: `Medians: ${medians.join(", ")}.`,
    heading: "Distribution",
    caption: `Share of requests that were done by a time; further left is faster. Up to ${QUANTILE_POINTS} quantiles of each target; the slowest ${Math.round((1 - LARGEST_SHARE) * 100)} % are left out.`,
  });
}

function instances({ headline, manifest }: CaseReport, targets: Targets): Markup | null {
  const comparisons = headline === null ? [] : withControl(headline);
  const ratios = comparisons.flatMap(({ byTrial }) => byTrial);
  if (ratios.length === 0) return null;
  const svg = plot({
    x: { type: "point", label: "trial", padding: 0.6 },
    y: {
      ...axis(Math.min(0.98, ...ratios) / 1.01, Math.max(1.02, ...ratios) * 1.01),
      label: "ratio to baseline",
      grid: true,
    },
    marks: [
      Plot.ruleY([1], { stroke: "var(--ink)", strokeWidth: 1 }),
      ...comparisons.map(({ target, byTrial }, index) =>
        Plot.dot(
          byTrial.map((ratio, trial) => ({ ratio, trial: trial + 1 })),
          {
            x: "trial",
            y: "ratio",
            dx: (index - (comparisons.length - 1) / 2) * 7,
            r: 4,
            ...dot(target, targets),
          },
        ),
      ),
    ],
  });
  return figure({
    svg,
    title: `Ratio in each trial, ${manifest.id}`,
    description: comparisons
      .map(({ target, byTrial }) => `${target}: ${byTrial.map((ratio) => ratio.toFixed(3)).join(", ")}`)
      .join(". "),
    heading: "Between instances",
    caption:
      "Each dot is what you would have concluded from one trial, a fresh start of all processes (of targets at a URL, a fresh connection). Hollow: the control.",
  });
}

function warmUp(report: CaseReport, targets: Targets): Markup | null {
  // An A/A copy's would be its original's again.
  const originals = report.curves.filter(({ target }) => !isCopy(target, targets));
  const curves = originals.flatMap(({ target, points, warmFrom }) => {
    const known = points.flatMap(({ exchange, lastByteMs: ms }: CurvePoint) =>
      ms === null || ms <= 0 ? [] : [{ exchange, ms }],
    );
    return known.length < 2 ? [] : [{ target, warmFrom, points: known }];
  });
  if (curves.length === 0) return null;
  const all = curves.flatMap(({ points }) => points.map(({ ms }) => ms));
  const last = Math.max(...curves.flatMap(({ points }) => points.map(({ exchange }) => exchange)));
  const svg = plot({
    x: {
      type: "log",
      domain: [1, last],
      ticks: Array.from({ length: Math.floor(Math.log10(last)) + 1 }, (_, power) => 10 ** power),
      tickFormat: String,
      label: "request of a fresh instance",
    },
    y: {
      ...axis(Math.min(...all) * 0.95, Math.max(...all)),
      label: "ms of time to the last byte",
      grid: true,
    },
    marks: curves.flatMap(({ target, points, warmFrom }) => [
      Plot.line(points, { x: "exchange", y: "ms", ...lineOf(target, targets) }),
      Plot.ruleX(warmFrom === null ? [] : [warmFrom], {
        stroke: styleOf(target, targets).stroke,
        strokeDasharray: "2 3",
      }),
    ]),
  });
  const described = curves.map(
    ({ target, points, warmFrom }) =>
      `${target}: ${formatMs(points[0]?.ms ?? null)}, at last ${formatMs(points.at(-1)?.ms ?? null)}${warmFrom === null ? "" : `, warm from request ${warmFrom}`}`,
  );
  return figure({
    svg,
    title: `Warm-up by time to the last byte, ${report.manifest.id}`,
    description: `${described.join(". ")}.`,
    heading: "Warm-up",
    caption: `The n-th request of a fresh instance: median over its instances, from the tenth on of means of neighbours.${curves.some(({ warmFrom }) => warmFrom !== null) ? " Dashed: warm from here." : ""}`,
  });
}

function kinds(report: CaseReport, targets: Targets): Markup | null {
  const drawn = report.kinds.filter(({ exchangeMs }) => (exchangeMs[0] ?? 0) > 0 && exchangeMs.length > 1);
  const remarks = kindRemarks(report);
  if (drawn.length === 0 || remarks.length === 0) return null;
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
      Plot.dot(instanceMs, { x: (ms: number) => ms, y: () => row + 0.14, r: 3, ...dot(target, targets) }),
    ]),
  });
  return figure({
    svg,
    title: `Instances and requests by ${what}, ${report.manifest.id}`,
    description: remarks.map(({ target, sentence }) => `${target}: ${sentence}`).join(" "),
    heading: "Kinds",
    caption:
      "Line: how many requests took so long. Dots: the median of each trial. Two hills or two heaps of dots are two kinds.",
  });
}

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

function arrival({ timelines, manifest }: CaseReport, targets: Targets): Markup | null {
  if (timelines.length === 0) return null;
  const ends = timelines.map(({ arrivals }) => arrivals.at(-1) ?? [0, 1]);
  const svg = plot({
    x: { label: "ms since the request", domain: [0, Math.max(...ends.map(([ms]) => ms))], ticks: 5 },
    y: { ...SHARE_AXIS, label: "share of the body" },
    marks: timelines.map(({ target, arrivals }, index) =>
      Plot.line(
        arrivals.map(([ms, arrived]) => ({ ms, share: arrived / (ends[index]?.[1] ?? 1) })),
        { x: "ms", y: "share", curve: "step-after", ...lineOf(target, targets) },
      ),
    ),
  });
  const described = timelines.map(({ target, arrivals }, index) => {
    const [ms, bytes] = ends[index] ?? [0, 0];
    return `${target}: first part after ${formatMs(arrivals[0]?.[0] ?? null)}, all ${formatBytes(bytes)} after ${formatMs(ms)}`;
  });
  return figure({
    svg,
    title: `Arrival of the streamed body, ${manifest.id}`,
    description: `${described.join(". ")}.`,
    heading: "Arrival of the body",
    caption:
      "One request of each target, from the trial whose body took the median time; not one of those that were timed. A steep end is a body that was held back.",
  });
}
