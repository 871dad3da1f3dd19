import { formatCount, formatMs } from "../format.ts";
import { nearestFirst } from "../html/vantage-section.ts";
import { section } from "./section.ts";

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
