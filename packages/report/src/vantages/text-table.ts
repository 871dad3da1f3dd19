import { asMs, asMsInterval, type DifferenceAcross, type VantageComparison } from "@evenbench/stats";
import type { CaseReport, ReportData } from "../data.ts";
import { counted, formatCount, formatMs, formatPercent } from "../format.ts";
import { nearestFirst } from "./near.ts";

/** A table as text, for the terminal and for Markdown. */
export interface TextTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What they say together. */
  readonly note: string;
}

/** What each vantage saw, a table for each case, from near to far. */
export function vantageTables({ cases }: ReportData, columns: Columns): readonly TextTable[] {
  return cases.flatMap((report) => (report.vantages === null ? [] : [tableOf(report, columns)]));
}

/** A terminal has no room for both. */
type Columns = "times alone" | "with compute times";

function tableOf({ manifest, baseline, vantages }: CaseReport, columns: Columns): TextTable {
  const { rows = [], comparisons = [] } = vantages ?? {};
  const computed = columns === "times alone" ? [] : computeOf(comparisons);
  const body = nearestFirst(rows, baseline).map((vantage) => {
    const base = rows.find((row) => row.vantage === vantage && row.target === baseline);
    return [
      vantage,
      formatMs(base?.medianMs ?? null),
      ...comparisons.map((one) => at(one.time.difference, vantage)),
      ...computed.map(({ difference }) => at(difference, vantage)),
      edgesAt(rows, vantage),
    ];
  });
  return {
    title: `${manifest.id} from ${counted(body.length, "vantage")}: longer than ${baseline}`,
    head: [
      "vantage",
      baseline,
      ...comparisons.map(({ target }) => target),
      ...computed.map(({ target }) => `${target}, computing`),
      "edges",
    ],
    rows: body,
    note: comparisons.map(togetherOf).join(" "),
  };
}

function computeOf(comparisons: readonly VantageComparison[]) {
  return comparisons.flatMap(({ target, compute }) => (compute === null ? [] : [{ target, ...compute }]));
}

/** Of one vantage, with its own interval where it has several trials. */
export function at({ vantages }: DifferenceAcross, vantage: string): string {
  const own = vantages.find((one) => one.vantage === vantage);
  if (own === undefined) return "–";
  return own.interval === null ? asMs(own.estimate) : asMsInterval(own.interval);
}

function edgesAt(
  rows: readonly { readonly vantage: string; readonly edges: readonly string[] }[],
  vantage: string,
) {
  const edges = new Set(rows.flatMap((row) => (row.vantage === vantage ? row.edges : [])));
  return [...edges].join(", ") || "not named";
}

/** What all say of one target, with how much they differ. */
function togetherOf({ target, time: { difference, reason } }: VantageComparison): string {
  return `${target}: ${reason}${heterogeneityOf(difference)}`;
}

/** "Q 3.1 over 2 degrees of freedom, I² 35 %, p 0.21", after a blank; nothing where it is not known. */
export function heterogeneityOf({ heterogeneity }: DifferenceAcross): string {
  if (heterogeneity === null) return "";
  const { q, degrees, iSquared, p } = heterogeneity;
  const chance = p < 0.001 ? "below 0.001" : p.toPrecision(2);
  return ` Between vantages: Q ${q < 100 ? q.toPrecision(2) : formatCount(Math.round(q))} over ${degrees} degrees of freedom, I² ${formatPercent(iSquared)}, p ${chance}.`;
}
