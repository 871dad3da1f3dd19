import * as Plot from "@observablehq/plot";
import { withControl } from "../case-report.ts";
import { formatCount, formatMs, formatMsInterval, metricName } from "../format.ts";
import { axis, chart, dotOf, lineOf, SHARE_AXIS } from "../html/plot.ts";
import { nearestFirst } from "../html/vantage-section.ts";
import { LARGEST_SHARE, QUANTILE_POINTS } from "../series.ts";
import { section } from "./section.ts";

export const distribution = section({
  title: "Distribution",
  figure: ({ manifest, headline, quantiles }, { targets }) => {
    if (quantiles.length === 0) return null;
    const metric = metricName(manifest.headline);
    const all = quantiles.flatMap(({ points }) => points.map(({ ms }) => ms));
    const medians =
      headline?.summaries.map(({ target, medianMs }) => `${target} ${formatMs(medianMs)}`) ?? [];
    return chart({
      heading: "Distribution",
      title: `Distribution of times to the ${metric}, ${manifest.id}`,
      description: `Medians: ${medians.join(", ")}.`,
      caption: `Share of requests that were done by a time; further left is faster. Up to ${QUANTILE_POINTS} quantiles of each target; the slowest ${Math.round((1 - LARGEST_SHARE) * 100)} % are left out.`,
      x: { ...axis(Math.min(...all), Math.max(...all)), label: `ms to the ${metric}` },
      y: { ...SHARE_AXIS, label: "share of requests" },
      marks: quantiles.map(({ target, points }) =>
        Plot.line(points, { x: "ms", y: "share", ...lineOf(target, targets) }),
      ),
    });
  },
});

export const instances = section({
  title: "Between instances",
  figure: ({ manifest, headline }, { targets }) => {
    const comparisons = headline === null ? [] : withControl(headline);
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
    ["Median (p50)", (row) => formatMs(row.medianMs)],
    ["99 % interval", (row) => formatMsInterval(row.medianLowMs, row.medianHighMs)],
    ["Mean", (row) => formatMs(row.meanMs)],
    ["p95", (row) => formatMs(row.p95Ms)],
    ["p99", (row) => formatMs(row.p99Ms)],
    ["Least", (row) => formatMs(row.minimumMs)],
    ["Most", (row) => formatMs(row.maximumMs)],
  ],
});

export const seenByVantages = section({
  title: "All that each vantage saw",
  rows: ({ vantages, baseline }) => {
    const rows = vantages?.rows ?? [];
    return nearestFirst(rows, baseline).flatMap((name) => rows.filter(({ vantage }) => vantage === name));
  },
  columns: [
    ["Vantage", ({ vantage }) => vantage],
    ["Median", ({ medianMs }) => formatMs(medianMs)],
    ["Connect", ({ connectMs }) => formatMs(connectMs)],
    ["Transfer", ({ transferMs }) => formatMs(transferMs)],
    ["Compute", ({ computeMs }) => formatMs(computeMs)],
    ["Requests", ({ exchanges }) => formatCount(exchanges)],
    ["Errors", ({ errors }) => formatCount(errors)],
    ["Instances", ({ instances }) => formatCount(instances)],
    ["Edges", ({ edges }) => edges.join(", ") || "–"],
  ],
});
