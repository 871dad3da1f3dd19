import { formatCount, formatMs, formatMsInterval, formatPercent } from "../format.ts";
import { costCell } from "./costs.ts";
import { section } from "./section.ts";

export const providerCpu = section({
  title: "CPU time by platforms",
  rows: (report) => report.providerCpu,
  columns: [
    ["CPU time per request, by the platform", (row) => formatMs(row.msPerRequest)],
    [
      "99 % interval",
      ({ interval }) =>
        interval === null ? "–" : formatMsInterval(Math.max(0, interval.low), interval.high),
    ],
    [
      "Requests with an account",
      ({ joined, exchanges }) =>
        `${formatCount(joined)} of ${formatCount(exchanges)} (${formatPercent(joined / exchanges)})`,
    ],
    ["Least in a trial", (row) => formatPercent(row.leastShare)],
    ["Longest gap", (row) => formatCount(row.longestGap)],
    ["CPU cost of a million", ({ target, msPerRequest }, _, data) => costCell(target, msPerRequest, data)],
  ],
  note: (report) =>
    `Sources of CPU time: ${report.providerCpu.map(({ target, accountant }) => `${target}: ${accountant}`).join("; ")}. They count different things: compare figures of the same source. What has no figure was not sampled, not alone in its instance, or not reported yet; a long gap or a trial with few accounts means that the rest may not stand for all.`,
});
