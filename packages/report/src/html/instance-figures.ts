import * as Plot from "@observablehq/plot";
import type { CaseReport, ReportTarget } from "../data.ts";
import { formatBytes, formatMs, listed, metricName } from "../format.ts";
import type { Markup } from "./markup.ts";
import { axis, figure, plot } from "./plot.ts";
import { isCopy, lineOf, styleOf } from "./target-style.ts";

/** What the client waited beside what the processors worked. */
export function cpuAgainstTime(report: CaseReport, targets: readonly ReportTarget[]): Markup | null {
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
export function arrival(report: CaseReport, targets: readonly ReportTarget[]): Markup | null {
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
