import * as Plot from "@observablehq/plot";
import type { CaseReport, ReportData, ReportTarget } from "../data.ts";
import { formatMs, listed, metricName } from "../format.ts";
import { LARGEST_SHARE, QUANTILE_POINTS, TIME_POINTS } from "../series.ts";
import { kindsFigure, warmUpFigures } from "./course-figures.ts";
import { arrival, cpuAgainstTime } from "./instance-figures.ts";
import { html, type Markup } from "./markup.ts";
import { axis, figure, plot } from "./plot.ts";
import { isCopy, lineOf, styleOf } from "./target-style.ts";

/**
 * The figures of one case: its distributions, its instances, its course over time, CPU time, its kinds, its
 * warm-up, and how a streamed body arrived.
 */
export function caseFigures(report: CaseReport, data: ReportData): Markup {
  const targets = data.targets.filter(({ name }) => report.targets.includes(name));
  return html`<div class="figures">${distribution(report, targets)}${instances(report, targets)}${overTime(report, targets)}${cpuAgainstTime(report, targets)}${kindsFigure(report, targets)}${warmUpFigures(report, targets)}${arrival(report, targets)}</div>`;
}

function distribution(report: CaseReport, targets: readonly ReportTarget[]): Markup | null {
  const drawn = report.series.filter(({ quantiles }) => quantiles.length > 1);
  if (drawn.length === 0) return null;
  const all = drawn.flatMap(({ quantiles }) => quantiles.map(({ ms }) => ms));
  const svg = plot({
    x: { ...axis(Math.min(...all), Math.max(...all)), label: timeLabel(report) },
    y: {
      label: "share of requests",
      domain: [0, 1],
      ticks: 4,
      tickFormat: (share: number) => `${share * 100} %`,
      grid: true,
    },
    marks: drawn.map(({ target, quantiles }) =>
      Plot.line(quantiles, {
        x: "ms",
        y: "share",
        ...lineOf(target, targets),
      }),
    ),
  });
  const medians = (report.headline?.summaries ?? []).map(
    ({ target, median }) => `${target} ${formatMs(median)}`,
  );
  return figure({
    svg,
    title: `Distribution of times to the ${metricOf(report)}, ${report.manifest.id}`,
    description: `Medians: ${medians.join(", ")}.`,
    heading: "Distribution",
    caption: `Share of requests that were done by a time; further left is faster. Up to ${QUANTILE_POINTS} quantiles of each target; the slowest ${Math.round((1 - LARGEST_SHARE) * 100)} % are left out.`,
  });
}

function instances(report: CaseReport, targets: readonly ReportTarget[]): Markup | null {
  const { headline } = report;
  const comparisons =
    headline === null ? [] : [...headline.comparisons, ...(headline.control ? [headline.control] : [])];
  const dots = comparisons.flatMap(({ target, byTrial }) =>
    byTrial.map((ratio, index) => ({ target, ratio, trial: index + 1 })),
  );
  if (dots.length === 0) return null;
  const offset = (target: string) =>
    (comparisons.findIndex((one) => one.target === target) - (comparisons.length - 1) / 2) * 7;
  const ratios = dots.map(({ ratio }) => ratio);
  const svg = plot({
    x: { type: "point", label: "trial", padding: 0.6 },
    y: {
      ...axis(Math.min(0.98, ...ratios) / 1.01, Math.max(1.02, ...ratios) * 1.01),
      label: "ratio to baseline",
      grid: true,
    },
    marks: [
      Plot.ruleY([1], { stroke: "var(--ink)", strokeWidth: 1 }),
      ...comparisons.map(({ target }) =>
        Plot.dot(
          dots.filter((dot) => dot.target === target),
          {
            x: "trial",
            y: "ratio",
            dx: offset(target),
            r: 4,
            stroke: styleOf(target, targets).stroke,
            strokeWidth: 1.6,
            fill: isCopy(target, targets) ? "var(--paper)" : styleOf(target, targets).stroke,
          },
        ),
      ),
    ],
  });
  return figure({
    svg,
    title: `Ratio in each trial, ${report.manifest.id}`,
    description: comparisons
      .map(({ target, byTrial }) => `${target}: ${byTrial.map((ratio) => ratio.toFixed(3)).join(", ")}`)
      .join(". "),
    heading: "Between instances",
    caption:
      "The ratio again for each trial, a fresh start of all processes (of targets at a URL, a fresh connection). Their scatter is what one pair of processes could have made you believe. Hollow: the control.",
  });
}

function overTime(report: CaseReport, targets: readonly ReportTarget[]): Markup | null {
  const drawn = report.series.filter(({ overTime }) => overTime.length > 0);
  if (drawn.length === 0) return null;
  const all = drawn.flatMap(({ overTime }) => overTime.map(({ ms }) => ms)).sort((a, b) => a - b);
  const errors = report.marks.filter(({ kind }) => kind === "error");
  const events = report.marks.filter(({ kind }) => kind === "event");
  const lowest = Math.min(...all);
  const highest = Math.max(...all);
  const svg = plot({
    x: { label: "seconds into the case", ticks: 5 },
    y: { ...axis(lowest - (highest - lowest) * 0.08, highest), label: timeLabel(report), grid: true },
    marks: [
      Plot.ruleX(events, { x: "seconds", stroke: "var(--slower)", strokeDasharray: "3 3" }),
      ...drawn.map(({ target, overTime }) =>
        Plot.dot(overTime, {
          x: "seconds",
          y: "ms",
          fill: styleOf(target, targets).stroke,
          // An A/A copy's are fainter, as its lines are.
          ...(isCopy(target, targets) ? { r: 1.1, fillOpacity: 0.6 } : { r: 1.7 }),
        }),
      ),
      ...(errors.length === 0
        ? []
        : [
            Plot.dot(errors, {
              x: "seconds",
              frameAnchor: "bottom",
              symbol: "times",
              stroke: "var(--slower)",
              r: 3,
            }),
          ]),
    ],
  });
  const happened = [
    ...(errors.length === 0 ? [] : ["crosses at the bottom: failed requests"]),
    ...(events.length === 0 ? [] : ["dashed lines: restarts and other events"]),
  ];
  return figure({
    svg,
    title: `Times to the ${metricOf(report)} over the run, ${report.manifest.id}`,
    description: `Medians of blocks lie between ${formatMs(lowest)} and ${formatMs(highest)} over ${listed(drawn.map(({ target }) => target))}.`,
    heading: "Over the run",
    caption: `Medians of consecutive requests, about ${TIME_POINTS} for each target. A drift would show as a slope${happened.length === 0 ? "." : `; ${happened.join("; ")}.`}`,
  });
}

function metricOf(report: CaseReport): string {
  return metricName(report.manifest.headline);
}

function timeLabel(report: CaseReport): string {
  return `ms to the ${metricOf(report)}`;
}
