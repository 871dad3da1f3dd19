import { sorted } from "@evenbench/stats";
import * as Plot from "@observablehq/plot";
import { withControl } from "../case-report.ts";
import { formatCount, formatMs, formatMsInterval, metricName } from "../format.ts";
import { axis, chart, dotOf, lineOf, SHARE_AXIS } from "../html/plot.ts";
import { section } from "./section.ts";

const QUANTILE_POINTS = 40;
/** The slowest exchanges would squeeze all others to a line. */
const LARGEST_SHARE = 0.98;

export const distribution = section({
  title: "Distribution",
  isMain: true,
  measure: ({ names, samples, manifest: { headline } }) =>
    names.map((target) => {
      const ms = samples.flatMap((sample) =>
        sample.target === target && sample.phase === "measure" && sample.error === null
          ? (sample[headline] ?? [])
          : [],
      );
      return { target, quantiles: quantilesOf(sorted(ms)) };
    }),
  figure: (rows, { manifest, headline }, { targets }) => {
    const drawn = rows.filter(({ quantiles }) => quantiles.length > 1);
    if (drawn.length === 0) return null;
    const metric = metricName(manifest.headline);
    const all = drawn.flatMap(({ quantiles }) => quantiles.map(({ ms }) => ms));
    const medians = headline?.summaries.map(({ target, median }) => `${target} ${formatMs(median)}`) ?? [];
    return chart({
      heading: "Distribution",
      title: `Distribution of times to the ${metric}, ${manifest.id}`,
      description: `Medians: ${medians.join(", ")}.`,
      caption: `Share of requests that were done by a time; further left is faster. Up to ${QUANTILE_POINTS} quantiles of each target; the slowest ${Math.round((1 - LARGEST_SHARE) * 100)} % are left out.`,
      x: { ...axis(Math.min(...all), Math.max(...all)), label: `ms to the ${metric}` },
      y: { ...SHARE_AXIS, label: "share of requests" },
      marks: drawn.map(({ target, quantiles }) =>
        Plot.line(quantiles, { x: "ms", y: "share", ...lineOf(target, targets) }),
      ),
    });
  },
});

function quantilesOf(ordered: Float64Array) {
  const count = Math.min(QUANTILE_POINTS, ordered.length);
  if (count < 2) return [];
  return Array.from({ length: count }, (_, index) => {
    const share = (LARGEST_SHARE * index) / (count - 1);
    return { share, ms: ordered[Math.round(share * (ordered.length - 1))] ?? 0 };
  });
}

export const instances = section({
  title: "Between instances",
  isMain: true,
  rows: ({ headline }) => (headline === null ? [] : withControl(headline)),
  figure: (comparisons, { manifest }, { targets }) => {
    const ratios = comparisons.flatMap(({ byTrial }) => byTrial);
    if (ratios.length === 0) return null;
    const aside = (index: number) => (index - (comparisons.length - 1) / 2) * 7;
    return chart({
      heading: "Between instances",
      title: `Ratio in each trial, ${manifest.id}`,
      description: comparisons
        .map(({ target, byTrial }) => `${target}: ${byTrial.map((ratio) => ratio.toFixed(3)).join(", ")}`)
        .join(". "),
      caption:
        "Each dot is what you would have concluded from one trial, a fresh start of all processes (of targets at a URL, a fresh connection). Hollow: the control.",
      x: { type: "point", label: "trial", padding: 0.6 },
      y: {
        ...axis(Math.min(0.98, ...ratios) / 1.01, Math.max(1.02, ...ratios) * 1.01),
        ...{ label: "ratio to baseline", grid: true },
      },
      marks: [
        Plot.ruleY([1], { stroke: "var(--ink)", strokeWidth: 1 }),
        ...comparisons.map(({ target, byTrial }, index) =>
          Plot.dot(
            byTrial.map((ratio, trial) => ({ ratio, trial: trial + 1 })),
            { x: "trial", y: "ratio", dx: aside(index), r: 4, ...dotOf(target, targets) },
          ),
        ),
      ],
    });
  },
});

export const numbers = section({
  title: "Numbers",
  rows: ({ headline, cpuTime, other }) =>
    [headline, cpuTime, other].flatMap((analysis) => analysis?.summaries ?? []),
  columns: [
    ["Of", ({ metric }) => metricName(metric)],
    ["Requests", (row) => formatCount(row.exchanges)],
    ["Errors", (row) => formatCount(row.errors)],
    ["Median", (row) => formatMs(row.median)],
    ["99 % interval", (row) => formatMsInterval(row.medianLow, row.medianHigh)],
    ["Mean", (row) => formatMs(row.mean)],
    ["95th percentile", (row) => formatMs(row.p95)],
    ["Least", (row) => formatMs(row.minimum)],
    ["Most", (row) => formatMs(row.maximum)],
  ],
});
