import {
  counted,
  drawn,
  formatDifference,
  formatMs,
  html,
  msScale,
  ring,
  type Scale,
  scaleAxis,
  type TableCell,
} from "@evenbench/page";
import { type DifferenceTable, type ReportTarget, withControl } from "@evenbench/report";
import type { RatioInterval } from "@evenbench/stats";
import type { DifferenceAcross, VantageAnalysis, VantageComparison } from "../differences.ts";
import { nearestFirst, type VantageRow } from "./rows.ts";

/** The measurements of one case from several vantages. */
export interface VantageReport extends VantageAnalysis {
  readonly caseId: string;
  /** Name of the target that the others are compared with. */
  readonly baseline: string;
  readonly rows: readonly VantageRow[];
}

/** Height of a drawn interval, in pixels. */
const BAR_HEIGHT = 22;

/**
 * How much longer than the baseline each target of one case takes from each vantage, from near to far, and
 * from all together.
 *
 * @param targets whose colours the drawings have.
 * @param hasControl whether the A/A copy has a column.
 */
export function vantageTable(
  report: VantageReport,
  targets: readonly ReportTarget[],
  hasControl: boolean,
): DifferenceTable {
  const { caseId, baseline, rows, comparisons } = report;
  const judged = hasControl ? withControl(report) : comparisons;
  const places = nearestFirst(rows, baseline);
  const drawing: Drawing = { scale: scaleFor(judged), targets };
  const axis = scaleAxis(drawing.scale, (tick) => `${String(tick).replace("-", "−")} ms`);
  const longer = comparisons.length > 0 ? `: longer than ${baseline}` : "";
  return {
    title: `${caseId} from ${counted(places.length, "vantage")}${longer}`,
    head: [
      "vantage",
      baseline,
      ...judged.map(({ target }) => ({ text: target, className: "bar", html: html`${target}${axis}` })),
      "edges",
    ],
    rows: [
      ...places.map((vantage) => rowOfVantage(report, vantage, judged, drawing)),
      ["together", "", ...judged.map((comparison) => pooledCell(comparison, drawing)), ""],
    ],
    note: judged.map(({ target, time }) => `${target}: ${time.reason}`).join(" "),
  };
}

/** The scale and colours with which a table's intervals are drawn. */
interface Drawing {
  /** Milliseconds, the same for the whole table. */
  readonly scale: Scale;
  readonly targets: readonly ReportTarget[];
}

function scaleFor(judged: readonly VantageComparison[]): Scale {
  const ends: number[] = [];
  for (const { time } of judged) {
    const { vantages, pooled } = time.difference;
    for (const interval of [...vantages.map(intervalOrEstimate), pooled]) {
      if (interval !== null) {
        ends.push(interval.low, interval.high);
      }
    }
  }
  return msScale(ends);
}

function rowOfVantage(
  { rows, baseline }: VantageReport,
  vantage: string,
  judged: readonly VantageComparison[],
  drawing: Drawing,
): readonly TableCell[] {
  const ofVantage = rows.filter((row) => row.vantage === vantage);
  const edges = new Set(ofVantage.flatMap((row) => row.edges));
  const base = ofVantage.find(({ target }) => target === baseline);
  return [
    vantage,
    formatMs(base?.medianMs ?? null),
    ...judged.map((comparison) => differenceCell(comparison, vantage, drawing)),
    [...edges].join(", ") || "not named",
  ];
}

function differenceCell({ target, time }: VantageComparison, vantage: string, drawing: Drawing): TableCell {
  const found = time.difference.vantages.find((place) => place.vantage === vantage);
  if (found === undefined) {
    return drawnCell(target, "–", null, drawing);
  }
  const text = formatDifference(found.interval ?? { estimate: found.estimate });
  return drawnCell(target, text, intervalOrEstimate(found), drawing);
}

function pooledCell({ target, time: { difference } }: VantageComparison, drawing: Drawing): TableCell {
  return drawnCell(target, pooledWords(difference), difference.pooled, drawing, "dot");
}

/** @param interval null: the text stands alone. */
function drawnCell(
  target: string,
  text: string,
  interval: RatioInterval | null,
  { scale, targets }: Drawing,
  shape?: "dot",
): TableCell {
  const colour = targets.find(({ name }) => name === target)?.colour ?? 0;
  const bar = { height: BAR_HEIGHT, label: `${target}: ${text}`, colour };
  const mark = interval && ring(interval, scale, BAR_HEIGHT / 2, shape);
  return { text, html: html`${text}${drawn(scale, bar, mark)}`, className: "bar" };
}

/** The difference over all vantages in words, or why there is none. */
export function pooledWords({ pooled, disagree }: DifferenceAcross): string {
  if (pooled !== null) {
    return formatDifference(pooled);
  }
  return disagree ? "the vantages disagree" : "not pooled";
}

/** The interval of a vantage; its estimate alone where it has none. */
function intervalOrEstimate({ interval, estimate }: DifferenceAcross["vantages"][number]): RatioInterval {
  return interval ?? { estimate, low: estimate, high: estimate };
}
