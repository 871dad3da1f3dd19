import {
  type Cell,
  counted,
  drawn,
  formatMs,
  html,
  msScale,
  ring,
  scaleAxis,
  type Table,
} from "@evenbench/page";
import { asMsInterval, type DifferenceAcross, type RatioInterval } from "@evenbench/stats";
import { type VantageReport, withControl } from "./case-report.ts";
import type { CaseReport, ReportData } from "./data.ts";

const HEIGHT = 22;

/** How much longer than the baseline each target of one case takes from each vantage. */
export interface VantageTable extends Table {
  readonly title: string;
  /** Why the vantages are pooled or not: a sentence for each target. */
  readonly note: string;
}

/** A table for each case that several vantages measured. @param hasControl whether the A/A copy has a column. */
export function vantageTables({ cases, targets }: ReportData, hasControl = true): readonly VantageTable[] {
  return cases.flatMap((report) =>
    report.vantages === null ? [] : [tableOf(report, report.vantages, targets, hasControl)],
  );
}

function tableOf(
  { manifest, baseline }: CaseReport,
  { rows, ...analysis }: VantageReport,
  targets: ReportData["targets"],
  hasControl: boolean,
): VantageTable {
  const judged = hasControl ? withControl(analysis) : analysis.comparisons;
  const places = nearestFirst(rows, baseline);
  const ends = judged.flatMap(({ time: { difference } }) => [
    ...difference.vantages.map(spanOf),
    difference.pooled,
  ]);
  const scale = msScale(ends.flatMap((end) => (end === null ? [] : [end.low, end.high])));
  const drawnCell = (target: string, text: string, interval: RatioInterval | null, look?: "dot"): Cell => {
    const colour = targets.find(({ name }) => name === target)?.colour ?? 0;
    const bar = { zero: 0, height: HEIGHT, label: `${target}: ${text}`, colour };
    const mark = interval && ring(interval, scale, HEIGHT / 2, look);
    return { text, html: html`${text}${drawn(scale, bar, mark)}`, className: "bar" };
  };
  const axis = scaleAxis(scale, (tick) => `${String(tick).replace("-", "−")} ms`);
  const isCompared = analysis.comparisons.length > 0;
  return {
    title: `${manifest.id} from ${counted(places.length, "vantage")}${isCompared ? `: longer than ${baseline}` : ""}`,
    head: [
      "vantage",
      baseline,
      ...judged.map(({ target }) => ({ text: target, className: "bar", html: html`${target}${axis}` })),
      "edges",
    ],
    rows: [
      ...places.map((vantage) => {
        const vantageRows = rows.filter((row) => row.vantage === vantage);
        const edges = new Set(vantageRows.flatMap((row) => row.edges));
        const differences = judged.map(({ target, time }) => {
          const found = time.difference.vantages.find((place) => place.vantage === vantage);
          if (found === undefined) {
            return drawnCell(target, "–", null);
          }
          return drawnCell(
            target,
            asMsInterval(found.interval ?? { estimate: found.estimate }),
            spanOf(found),
          );
        });
        const base = vantageRows.find(({ target }) => target === baseline);
        return [
          vantage,
          formatMs(base?.medianMs ?? null),
          ...differences,
          [...edges].join(", ") || "not named",
        ];
      }),
      [
        "together",
        "",
        ...judged.map(({ target, time: { difference } }) =>
          drawnCell(target, pooledWords(difference), difference.pooled, "dot"),
        ),
        "",
      ],
    ],
    note: judged.map(({ target, time }) => `${target}: ${time.reason}`).join(" "),
  };
}

/** Writes the pooled difference of vantages in milliseconds, or why there is none. */
export function pooledWords({ pooled, disagree }: DifferenceAcross): string {
  if (pooled !== null) {
    return asMsInterval(pooled);
  }
  return disagree ? "the vantages disagree" : "not pooled";
}

function spanOf({ interval, estimate }: DifferenceAcross["vantages"][number]): RatioInterval {
  return interval ?? { estimate, low: estimate, high: estimate };
}

/** Names the vantages by the baseline's time from each, the shortest first; those without one come last. */
export function nearestFirst(rows: VantageReport["rows"], baseline: string): readonly string[] {
  const near = rows
    .filter(({ target }) => target === baseline)
    .toSorted((a, b) => (a.medianMs ?? Number.POSITIVE_INFINITY) - (b.medianMs ?? Number.POSITIVE_INFINITY));
  return [...new Set([...near, ...rows].map(({ vantage }) => vantage))];
}
