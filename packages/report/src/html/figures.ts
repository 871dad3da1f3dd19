import type { CurvePoint, ExchangeMs } from "@evenbench/stats";
import * as Plot from "@observablehq/plot";
import type { CaseReport, ReportData, ReportTarget } from "../data.ts";
import { formatBytes, formatMs, listed, metricName } from "../format.ts";
import { kindRemarks } from "../remarks.ts";
import { LARGEST_SHARE, QUANTILE_POINTS, TIME_POINTS } from "../series.ts";
import { html, type Markup } from "./markup.ts";
import { axis, figure, isCopy, lineOf, plot, styleOf } from "./plot.ts";

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

/** Points of a density's line. */
const DENSITY_POINTS = 40;

/** How a fresh instance becomes warm: time, and CPU time where it is reported. */
function warmUpFigures(report: CaseReport, targets: readonly ReportTarget[]): Markup {
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
function kindsFigure(report: CaseReport, targets: readonly ReportTarget[]): Markup | null {
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

/** What the client waited beside what the processors worked. */
function cpuAgainstTime(report: CaseReport, targets: readonly ReportTarget[]): Markup | null {
  const points = report.cpuAgainstTime;
  if (points.length === 0) return null;
  const all = points.flatMap(({ cpuMs, ms }) => [cpuMs, ms]);
  const scale = axis(Math.min(...all) * 0.95, Math.max(...all) * 1.05);
  const metric = metricName(report.manifest.headline);
  const svg = plot({
    x: { ...scale, label: "ms of CPU time for one request" },
    y: { ...scale, label: `ms to the ${metric}`, grid: true },
    marks: [
      Plot.line(
        scale.domain as number[],
        // The diagonal: as much worked as waited.
        { x: (ms: number) => ms, y: (ms: number) => ms, stroke: "var(--ink)", strokeDasharray: "2 3" },
      ),
      Plot.dot(points, {
        x: "cpuMs",
        y: "ms",
        r: 3.5,
        stroke: ({ target }: { target: string }) => styleOf(target, targets).stroke,
        fill: ({ target }: { target: string }) =>
          isCopy(target, targets) ? "var(--paper)" : styleOf(target, targets).stroke,
      }),
    ],
  });
  const drawn = new Set(points.map(({ target }) => target));
  const byPlatform = report.providerCpu.filter(
    ({ target }) => drawn.has(target) && report.cpu.every((one) => one.target !== target),
  );
  const described = [
    ...report.cpu.map(({ target, msPerExchange }) => `${target} ${formatMs(msPerExchange)} of CPU time`),
    ...byPlatform.map(
      ({ target, msPerRequest }) => `${target} ${formatMs(msPerRequest)} of CPU time by its platform`,
    ),
  ];
  const whose =
    byPlatform.length === 0
      ? ""
      : ` CPU time of ${listed(byPlatform.map(({ target }) => target))} is what the platform accounts to its requests.`;
  return figure({
    svg,
    title: `CPU time against time to the ${metric}, ${report.manifest.id}`,
    description: `One request: ${described.join(", ")}.`,
    heading: "Working and waiting",
    caption: `One dot for each trial. On the dotted line as much is worked as waited; above it something else is waited for; below it several threads work at once.${whose}`,
  });
}

/** How the parts of a streamed body arrived. */
function arrival(report: CaseReport, targets: readonly ReportTarget[]): Markup | null {
  const { timelines } = report;
  if (timelines.length === 0) return null;
  const last = timelines.map(({ target, arrivals }) => ({ target, at: arrivals.at(-1) ?? [0, 0] }));
  const svg = plot({
    x: { label: "ms since the request", domain: [0, Math.max(...last.map(({ at }) => at[0]))], ticks: 5 },
    y: {
      label: "share of the body",
      domain: [0, 1],
      ticks: 4,
      tickFormat: (share: number) => `${share * 100} %`,
      grid: true,
    },
    marks: timelines.map(({ target, arrivals }) => {
      const bytes = arrivals.at(-1)?.[1] ?? 1;
      return Plot.line(
        arrivals.map(([ms, arrived]) => ({ ms, share: arrived / bytes })),
        {
          x: "ms",
          y: "share",
          curve: "step-after",
          ...lineOf(target, targets),
        },
      );
    }),
  });
  const described = timelines.map(({ target, arrivals }) => {
    const [first, end] = [arrivals[0], arrivals.at(-1)];
    return `${target}: first part after ${formatMs(first?.[0] ?? null)}, all ${formatBytes(end?.[1] ?? 0)} after ${formatMs(end?.[0] ?? null)}`;
  });
  return figure({
    svg,
    title: `Arrival of the streamed body, ${report.manifest.id}`,
    description: `${described.join(". ")}.`,
    heading: "Arrival of the body",
    caption:
      "One request of each target, from the trial whose body took the median time; not one of those that were timed. A steep end is a body that was held back.",
  });
}
