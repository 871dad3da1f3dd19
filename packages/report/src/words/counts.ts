// The only thing that a sentence says of a target: how many verdicts of each kind it has.
import { counted } from "@evenbench/page";
import type { Change, Metric, Verdict } from "../facts/facts.ts";
import { isTime } from "./metrics.ts";

/** How many verdicts there are of each kind. */
export type Counts = Readonly<Record<Verdict, number>>;

const ORDER: readonly Verdict[] = ["faster", "slower", "same", "unclear", "none"];

/** Counts verdicts. */
export function countsOf(changes: readonly Pick<Change, "verdict">[]): Counts {
  const counts: Record<Verdict, number> = { faster: 0, slower: 0, same: 0, unclear: 0, none: 0 };
  for (const { verdict } of changes) {
    counts[verdict] += 1;
  }
  return counts;
}

/** Gives the word of a verdict: less time is "faster", less of anything else "less". */
export function verdictWord(verdict: Verdict, metric: Metric): string {
  if (verdict === "none") {
    return "no verdict";
  }
  if (isTime(metric) || verdict === "same" || verdict === "unclear") {
    return verdict;
  }
  return verdict === "faster" ? "less" : "more";
}

/**
 * Writes counts in a sentence: "faster in 3 of 7 cases, slower in 1, unclear in 3"; "nothing compared" where there is no
 * verdict to count.
 *
 * @param noun what is counted: "case", "path"; without it "faster in 3 of 7".
 */
export function countWords(counts: Counts, metric: Metric, noun?: string): string {
  const all = ORDER.reduce((sum, verdict) => sum + counts[verdict], 0);
  const parts = ORDER.filter((verdict) => counts[verdict] > 0).map((verdict, index) => {
    const said = `${verdictWord(verdict, metric)} in ${counts[verdict]}`;
    if (index > 0) {
      return said;
    }
    const whole = noun === undefined ? String(all) : counted(all, noun);
    return `${said} of ${whole}`;
  });
  return parts.length === 0 ? "nothing compared" : parts.join(", ");
}
