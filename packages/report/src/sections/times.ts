import {
  axis,
  chart,
  counted,
  dotOf,
  formatCount,
  formatMs,
  formatMsInterval,
  isCopy,
  lineOf,
  metricName,
  SHARE_AXIS,
  styleOf,
  termCell,
} from "@evenbench/page";
import { largest, smallest } from "@evenbench/stats";
import * as Plot from "@observablehq/plot";
import { ofTarget, withControl } from "../case-report.ts";
import { spokenOf } from "../names.ts";
import { LARGEST_SHARE } from "../series.ts";
import { isOtherInSlowRequests } from "../slow-requests.ts";
import type { ExchangeMs } from "../warm-up-curve.ts";
import { type Section, section } from "./section.ts";

/** Section of the distribution of times. */
export const distribution: Section = section({
  title: "Distribution",
  figure: ({ manifest, headline, quantiles }, { targets }) => {
    if (quantiles.length === 0) {
      return null;
    }
    const metric = metricName("lastByteMs");
    const all = quantiles.flatMap(({ points }) => points.map(({ ms }) => ms));
    const medians =
      headline?.summaries.map(({ target, medianMs }) => `${target} ${formatMs(medianMs)}`) ?? [];
    return chart({
      heading: "Distribution",
      title: `Distribution of times to the ${metric}, ${manifest.id}`,
      description: `Medians: ${medians.join(", ")}.`,
      caption: `How many requests were done after so many ms. Left is faster. The slowest ${Math.round((1 - LARGEST_SHARE) * 100)} % are cut off.`,
      x: { ...axis(smallest(all), largest(all)), label: `ms to the ${metric}` },
      y: { ...SHARE_AXIS, label: "share of requests" },
      marks: quantiles.map(({ target, points }) =>
        Plot.line(points, { x: "ms", y: "share", ...lineOf(target, targets) }),
      ),
    });
  },
});

/** Section of what caches say: answers that were kept, and ones that had to be rendered, told apart. */
export const cacheAnswers: Section = section({
  title: "Answers of caches",
  remarks: ({ manifest, cacheAnswers }) => {
    // A platform may say "miss" of whatever is computed.
    if (manifest.cached === undefined && cacheAnswers.every(({ said }) => said === "miss")) {
      return [];
    }
    return [...Map.groupBy(cacheAnswers, ({ target }) => target)].map(([target, answers]) => {
      const measured = answers.filter((answer) => answer.measured > 0);
      const words = measured.map(
        (answer) => `${answer.said} ${formatCount(answer.measured)} (median ${formatMs(answer.medianMs)})`,
      );
      const before = answers.filter(({ warmUps }) => warmUps > 0);
      const warmUps = before.map((answer) => `${answer.said} ${formatCount(answer.warmUps)}`);
      const parts = [
        ...(words.length === 0 ? [] : [`of its measured answers: ${words.join(", ")}`]),
        ...(warmUps.length === 0 ? [] : [`of those while it warmed up: ${warmUps.join(", ")}`]),
      ];
      return { target, sentence: `says ${parts.join("; ")}.` };
    });
  },
});

/** Section of the ratio in each trial, which shows how instances differ. */
export const instances: Section = section({
  title: "Between instances",
  figure: ({ manifest, headline }, { targets }) => {
    const comparisons = headline === null ? [] : withControl(headline);
    const ratios = comparisons.flatMap(({ byTrial }) => byTrial);
    if (ratios.length === 0) {
      return null;
    }
    const aside = (index: number) => (index - (comparisons.length - 1) / 2) * 7;
    return chart({
      heading: "Between instances",
      title: `Ratio in each trial, ${manifest.id}`,
      description: comparisons
        .map(({ target, byTrial }) => `${target}: ${byTrial.map((ratio) => ratio.toFixed(3)).join(", ")}`)
        .join(". "),
      caption: `One dot for each fresh start (at a URL: connection): had you measured once, you would have believed this. Hollow: ${spokenOf(targets, headline?.baseline ?? "")} against itself.`,
      x: { type: "point", label: "trial", padding: 0.6 },
      y: {
        ...axis(Math.min(0.98, ...ratios) / 1.01, Math.max(1.02, ...ratios) * 1.01),
        label: "time, as a multiple of the baseline's",
        grid: true,
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

/** Section of all numbers of each target, with what its median does not say. */
export const numbers: Section = section({
  title: "Numbers",
  remarks: (report) =>
    (report.headline?.comparisons ?? []).flatMap(({ target, verdict }) => {
      const { p95Ms = null } = ofTarget(report.headline?.summaries, target) ?? {};
      const { p95Ms: baselineMs = null } = ofTarget(report.headline?.summaries, report.baseline) ?? {};
      if (!isOtherInSlowRequests({ verdict, p95Ms, baselineMs })) {
        return [];
      }
      const is = verdict === "same" ? "is the same" : `is ${verdict}`;
      const sentence = `${is} by its median, which is compared; its slow requests look otherwise: 95 of 100 take at most ${formatMs(p95Ms)}, of ${report.baseline} ${formatMs(baselineMs)}.`;
      return [{ target, sentence }];
    }),
  rows: ({ headline, cpuTime, other }) =>
    [headline, cpuTime, other].flatMap((analysis) => analysis?.summaries ?? []),
  columns: [
    ["Of", ({ metric }) => metricName(metric)],
    ["Requests", (row) => formatCount(row.exchanges)],
    ["Errors", (row) => formatCount(row.errors)],
    ["Median (of CPU time: mean)", (row) => formatMs(row.medianMs)],
    ["99 % interval", (row) => formatMsInterval(row.medianLowMs, row.medianHighMs)],
    ["p95", (row) => formatMs(row.p95Ms)],
    ["p99", (row) => formatMs(row.p99Ms)],
    ["Least", (row) => formatMs(row.minimumMs)],
    ["Most", (row) => formatMs(row.maximumMs)],
  ],
});

/** Section of warm-up: the curve of an instance's first requests. */
export const warmUp: Section = section({
  title: "Warm-up",
  remarks: ({ headline, coldTrials }) =>
    [...Map.groupBy(coldTrials, ({ target }) => target)].flatMap(([target, cold]) => {
      const summary = ofTarget(headline?.summaries, target);
      // One that has no verdict says so elsewhere.
      if (summary === null || summary.notWarm !== null) {
        return [];
      }
      const all = counted(summary.trials + cold.length, "trial");
      const reasons = cold.map(({ trial }) => `trial ${trial + 1}`);
      return [
        {
          target,
          sentence: `does not count in ${cold.length} of ${all}, where it was not warm (${reasons.join("; ")}).`,
        },
      ];
    }),
  rows: ({ curves }) =>
    curves.some(
      ({ warmFrom, first }) => warmFrom !== null || first.some(({ lastByteMs }) => lastByteMs !== null),
    )
      ? curves
      : [],
  columns: [
    [termCell("Warm from", "warm"), ({ warmFrom }) => String(warmFrom ?? "–")],
    ["First request", ({ points: [first] }) => timeAndCpu(first)],
    ["A warm one", ({ warm }) => timeAndCpu(warm)],
    ["Extra time of the first 10", ({ first: [ten] }) => timeAndCpu(ten)],
    ["of the first 100", ({ first: [, hundred] }) => timeAndCpu(hundred)],
  ],
  figure: (report, { targets }) => {
    // An A/A copy's would be its original's again.
    const originals = report.curves.filter(({ target }) => !isCopy(target, targets));
    const curves = originals.flatMap(({ target, points, warmFrom }) => {
      const known = points.flatMap(({ exchange, lastByteMs: ms }) =>
        ms === null || ms <= 0 ? [] : [{ exchange, ms }],
      );
      return known.length < 2 ? [] : [{ target, warmFrom, points: known }];
    });
    if (curves.length === 0) {
      return null;
    }
    const all = curves.flatMap(({ points }) => points);
    const times = all.map(({ ms }) => ms);
    const last = largest(all.map(({ exchange }) => exchange));
    const described = curves.map(
      ({ target, points, warmFrom }) =>
        `${target}: ${formatMs(points[0]?.ms ?? null)}, at last ${formatMs(points.at(-1)?.ms ?? null)}${warmFrom === null ? "" : `, warm from request ${warmFrom}`}`,
    );
    return chart({
      heading: "Warm-up",
      title: `Warm-up by time to the last byte, ${report.manifest.id}`,
      description: `${described.join(". ")}.`,
      caption: `Time of the first, second … request after a start; median of all starts, smoothed from the tenth on.${curves.some(({ warmFrom }) => warmFrom !== null) ? " Dashed: warm from here." : ""}`,
      x: {
        type: "log",
        domain: [1, last],
        ticks: Array.from({ length: Math.floor(Math.log10(last)) + 1 }, (_, power) => 10 ** power),
        tickFormat: String,
        label: "request of a fresh instance",
      },
      y: {
        ...axis(smallest(times) * 0.95, largest(times)),
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
  },
});

/** Writes the time of an exchange, with its CPU time where that is known. */
function timeAndCpu(exchange: ExchangeMs | undefined): string {
  if (exchange === undefined) {
    return "–";
  }
  const { lastByteMs, cpuMs } = exchange;
  const time = lastByteMs === 0 ? "none" : formatMs(lastByteMs);
  return cpuMs === null || cpuMs === 0 ? time : `${time} (CPU ${formatMs(cpuMs)})`;
}
