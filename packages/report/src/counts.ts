import { type Comparison, VERDICTS, type Verdict } from "@evenbench/stats";
import type { ReportData } from "./data.ts";
import { counted } from "./format.ts";

/** These are said even where there is none. */
const ALWAYS: readonly Verdict[] = VERDICTS.filter((verdict) => verdict !== "inconclusive");

/** How many comparisons came out how, on time and on CPU time, a line each; nothing where nothing was compared. */
export function verdictCounts({ cases }: ReportData): readonly string[] {
  const time = cases.flatMap(({ headline }) => headline?.comparisons ?? []);
  const cpu = cases.flatMap(({ cpuTime }) => cpuTime?.comparisons ?? []);
  if (time.length === 0) return [];
  const all = `${counted(time.length, "comparison")} of a case and a target with its baseline`;
  return [`Time: ${countsOf(time)} (${all}).`, ...(cpu.length === 0 ? [] : [`CPU time: ${countsOf(cpu)}.`])];
}

function countsOf(comparisons: readonly Comparison[]): string {
  const parts = VERDICTS.flatMap((verdict) => {
    const count = comparisons.filter((one) => one.verdict === verdict).length;
    if (count === 0 && !ALWAYS.includes(verdict)) return [];
    return [`${count} ${verdict}`];
  });
  return parts.join(", ");
}
