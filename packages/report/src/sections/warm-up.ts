import * as Plot from "@observablehq/plot";
import { formatMs } from "../format.ts";
import { axis, chart, isCopy, lineOf, styleOf } from "../html/plot.ts";
import { termCell } from "../html/term.ts";
import type { ExchangeMs } from "../warm-up-curve.ts";
import { section } from "./section.ts";

export const warmUp = section({
  title: "Warm-up",
  rows: ({ curves }) =>
    curves.some(
      ({ warmFrom, first }) => warmFrom !== null || first.some(({ lastByteMs }) => lastByteMs !== null),
    )
      ? curves
      : [],
  columns: [
    [termCell("Warm from request", "warm"), ({ warmFrom }) => String(warmFrom ?? "–")],
    ["First request", ({ points: [first] }) => timeAndCpu(first)],
    ["A warm one", ({ warm }) => timeAndCpu(warm)],
    ["First 10, beyond warm ones", ({ first: [ten] }) => timeAndCpu(ten)],
    ["First 100, beyond warm ones", ({ first: [, hundred] }) => timeAndCpu(hundred)],
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
    if (curves.length === 0) return null;
    const all = curves.flatMap(({ points }) => points);
    const times = all.map(({ ms }) => ms);
    const last = Math.max(...all.map(({ exchange }) => exchange));
    const described = curves.map(
      ({ target, points, warmFrom }) =>
        `${target}: ${formatMs(points[0]?.ms ?? null)}, at last ${formatMs(points.at(-1)?.ms ?? null)}${warmFrom === null ? "" : `, warm from request ${warmFrom}`}`,
    );
    return chart({
      heading: "Warm-up",
      title: `Warm-up by time to the last byte, ${report.manifest.id}`,
      description: `${described.join(". ")}.`,
      caption: `The n-th request of a fresh instance: median over its instances, from the tenth on of means of neighbours.${curves.some(({ warmFrom }) => warmFrom !== null) ? " Dashed: warm from here." : ""}`,
      x: {
        type: "log",
        domain: [1, last],
        ticks: Array.from({ length: Math.floor(Math.log10(last)) + 1 }, (_, power) => 10 ** power),
        ...{ tickFormat: String, label: "request of a fresh instance" },
      },
      y: {
        ...axis(Math.min(...times) * 0.95, Math.max(...times)),
        ...{ label: "ms of time to the last byte", grid: true },
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

function timeAndCpu(exchange: ExchangeMs | undefined): string {
  if (exchange === undefined) return "–";
  const amount = (ms: number | null) => (ms !== null && ms <= 0 ? "nothing" : formatMs(ms));
  return `${amount(exchange.lastByteMs)}${exchange.cpuMs === null ? "" : ` (CPU time ${amount(exchange.cpuMs)})`}`;
}
