import type { Comparison } from "@evenbench/stats";
import { formatEstimate, VERDICT_SYMBOLS } from "./format.ts";
import type { VerdictRow } from "./rows.ts";

/** From so many columns on a terminal's table has room for ratios of CPU time, too. */
const ROOM_FOR_RATIOS = 90;

/** The verdict on CPU time in a cell: "▶ slower"; "–" where there is none. */
export function cpuVerdict(comparison: Comparison | null): string {
  return comparison === null ? "–" : `${VERDICT_SYMBOLS[comparison.verdict]} ${comparison.verdict}`;
}

/** The last column of a terminal's table, nothing where CPU time is not reported for each exchange. */
export function cpuColumn(rows: readonly VerdictRow[], width: number) {
  if (rows.every(({ cpuComparison }) => cpuComparison === null)) {
    return { head: [], cells: () => [], key: [] };
  }
  const wide = width >= ROOM_FOR_RATIOS;
  return {
    head: [wide ? "CPU time" : "CPU"],
    cells: ({ cpuComparison: one }: VerdictRow) =>
      one === null ? [""] : [VERDICT_SYMBOLS[one.verdict] + (wide ? ` ${formatEstimate(one.ratio)}` : "")],
    key: ["CPU time: ◀ less, ▶ more, = same, ? inconclusive, ≈ not warm."],
  };
}
