import type { Metric } from "@evenbench/stats";
import * as Plot from "@observablehq/plot";
import { ofTarget } from "../case-report.ts";
import type { CaseReport } from "../data.ts";
import { formatMs, formatPercent, formatRatio } from "../format.ts";
import { axis, chart, dotOf, lineOf } from "../html/plot.ts";
import type { TwoKinds } from "../kinds.ts";
import { type Remark, section } from "./section.ts";

/** Where median and mean differ by more, the median does not say what a target costs. A fraction. */
const MUCH_HIDDEN = 0.15;
const DENSITY_POINTS = 40;

export const kinds = section({
  title: "Kinds",
  rows: (report) => report.kinds,
  figure: (rows, report, { targets }) => {
    const drawn = rows.filter(({ exchangeMs }) => (exchangeMs[0] ?? 0) > 0 && exchangeMs.length > 1);
    const remarks = kindRemarks(report);
    if (drawn.length === 0 || remarks.length === 0) return null;
    const all = drawn.flatMap(({ exchangeMs }) => exchangeMs);
    const [low, high] = [Math.min(...all) * 0.95, Math.max(...all) * 1.05];
    const what = drawn[0]?.metric === "cpuMs" ? "CPU time" : "time";
    return chart({
      heading: "Kinds",
      title: `Instances and requests by ${what}, ${report.manifest.id}`,
      description: remarks.map(({ target, sentence }) => `${target}: ${sentence}`).join(" "),
      caption:
        "Line: how many requests took so long. Dots: the median of each trial. Two hills or two heaps of dots are two kinds.",
      x: { ...axis(low, high), label: `ms of ${what}` },
      y: { axis: null, domain: [drawn.length - 0.6, -0.95] },
      marks: drawn.flatMap(({ target, exchangeMs, instanceMs }, row) => [
        Plot.line(
          density(exchangeMs, low, high).map(({ ms, share }) => ({ ms, y: row - 0.8 * share })),
          { x: "ms", y: "y", ...lineOf(target, targets) },
        ),
        Plot.dot(instanceMs, { x: (ms: number) => ms, y: () => row + 0.14, r: 3, ...dotOf(target, targets) }),
      ]),
    });
  },
  remarks: kindRemarks,
});

function density(values: readonly number[], low: number, high: number) {
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

function kindRemarks(report: CaseReport): readonly Remark[] {
  return report.kinds.flatMap((one) => {
    const { target } = one;
    const sentences = [
      one.ofInstances && `instances come in two kinds, ${levels(one.ofInstances, one.metric)}.`,
      one.ofExchanges && `requests come in two kinds, ${levels(one.ofExchanges, one.metric)}.`,
      one.ofExchanges && hiddenCost(report, target),
    ].filter((sentence) => sentence !== null);
    return sentences.map((sentence) => ({ target, sentence }));
  });
}

function levels({ low, high }: TwoKinds, metric: Metric): string {
  const part = ({ level, count }: TwoKinds["low"]) =>
    `${formatMs(level)} (${formatPercent(count / (low.count + high.count))})`;
  return `${part(low)} and ${part(high)}${metric === "cpuMs" ? " of CPU time" : ""}`;
}

function hiddenCost(report: CaseReport, target: string): string | null {
  const summary = ofTarget(report.cpuTime?.summaries, target);
  if (summary?.median == null || summary.mean === null) return null;
  if (Math.abs(summary.mean / summary.median - 1) <= MUCH_HIDDEN) return null;
  const ratio = ofTarget(report.cpu, target)?.ratio ?? null;
  const against = ratio === null ? "" : `; the ratio of means to ${report.baseline} is ${formatRatio(ratio)}`;
  return `the median of its CPU time, ${formatMs(summary.median)}, hides what it costs: the mean is ${formatMs(summary.mean)}${against}.`;
}
