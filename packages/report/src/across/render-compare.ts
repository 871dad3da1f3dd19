import { terminalLine } from "@evenbench/core";
import { formatBand, formatMs, formatRatio } from "../format.ts";
import { markWords } from "../marks.ts";
import { textTable } from "../table.ts";
import type { AcrossRow, RunComparison } from "./compare.ts";

const TIMES = "Times: geometric mean of the trials' medians.";

/** The comparison of two runs for a terminal or a log. */
export function renderComparison({ before, after, rows, objections, caveats }: RunComparison): string {
  const lines = [terminalLine(`Before: ${before.id}. After: ${after.id}.`), ""];
  const cells = rows.map((row, index) => [
    rows[index - 1]?.caseId === row.caseId ? "" : row.caseId,
    row.target,
    formatMs(row.before?.estimate ?? null),
    formatMs(row.after?.estimate ?? null),
    formatRatio(row.ratio),
    row.noiseFloor === null ? "–" : formatBand(row.noiseFloor),
    row.verdict === null ? "not given" : markWords(row.verdict),
  ]);
  const head = ["case", "target", "before", "after", "ratio (99 % interval)", "noise", "verdict"];
  lines.push(
    ...(rows.length === 0
      ? ["The runs share no case and target of which both have times."]
      : textTable({ head, rows: cells, numeric: [2, 3] })),
    "",
  );
  if (rows.length > 0) lines.push(TIMES, "");
  for (const objection of objections) lines.push(terminalLine(`! ${objection}`));
  if (rows.some(({ verdict }) => verdict === null))
    lines.push(
      "! So there is no verdict. Measure both alike and whole, or say --anyway to have one all the same.",
    );
  for (const caveat of caveats) lines.push(terminalLine(`! ${caveat}`));
  return `${lines.join("\n")}\n`;
}

/** When a comparison shall count as a failure: "slower 5%". */
export interface FailOn {
  readonly verdict: "slower" | "faster";
  /** As a fraction. */
  readonly by: number;
}

/** The rows that meet the condition: told apart from noise, and so much or more. */
export function failing<Row extends Pick<AcrossRow, "ratio" | "verdict">>(
  rows: readonly Row[],
  { verdict, by }: FailOn,
): readonly Row[] {
  return rows.filter((row) => {
    if (row.verdict !== verdict || row.ratio === null) return false;
    const { estimate } = row.ratio;
    return verdict === "slower" ? estimate >= 1 + by : estimate <= 1 - by;
  });
}

/** The rows that neither meet the condition nor rule it out. */
export function undecided<Row extends Pick<AcrossRow, "ratio" | "verdict">>(
  rows: readonly Row[],
  { verdict, by }: FailOn,
): readonly Row[] {
  return rows.filter(({ verdict: given, ratio }) => {
    if (ratio === null || given === "not warm") return true;
    if (given !== "inconclusive") return false;
    return verdict === "slower" ? ratio.high >= 1 + by : ratio.low <= 1 - by;
  });
}
