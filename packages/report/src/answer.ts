import { type Comparison, isDifference, VERDICTS, type Verdict } from "@evenbench/stats";
import type { CaseReport, ReportTarget } from "./data.ts";
import { percentRange } from "./format.ts";
import { spokenNames } from "./work.ts";

/**
 * What came out on time, a sentence for each platform, with counts that add up: "Cloudflare's workerd: faster than Node.js
 * in 3 of 7 cases (23 to 58 % less time), the same in 1, 3 inconclusive." None where nothing was compared.
 */
export function answersOf(targets: readonly ReportTarget[], cases: readonly CaseReport[]): readonly string[] {
  const names = spokenNames(targets);
  const order = targets.map(({ name }) => name);
  const told = cases
    .flatMap(({ headline }) => headline?.comparisons ?? [])
    .toSorted((a, b) => order.indexOf(a.target) - order.indexOf(b.target));
  const nameOf = (target: string) => names.get(target) ?? target;
  const groups = Map.groupBy(told, ({ target, baseline }) =>
    JSON.stringify([nameOf(target), nameOf(baseline)]),
  );
  return [...groups.values()].map((group) => sentenceOf(group, nameOf));
}

function sentenceOf(group: readonly Comparison[], nameOf: (target: string) => string): string {
  const [first] = group as [Comparison];
  if (group.length === 1) return `${nameOf(first.target)} ${aloneOf(first, nameOf(first.baseline))}.`;
  const parts = VERDICTS.flatMap((verdict) => {
    const own = group.filter((one) => one.verdict === verdict);
    return own.length === 0 ? [] : [{ verdict, own }];
  });
  const said = parts.map(({ verdict, own }, index) => {
    const size = isDifference(verdict) ? sizeOf(own) : "";
    const isUndecided = verdict === "inconclusive" || verdict === "not warm";
    if (index > 0)
      return isUndecided ? `${own.length} ${verdict}` : `${WORDS[verdict]} in ${own.length}${size}`;
    const than = isUndecided ? "" : ` ${verdict === "same" ? "as" : "than"} ${nameOf(first.baseline)}`;
    return `${WORDS[verdict]}${than} in ${own.length} of ${group.length} cases${size}`;
  });
  return `${nameOf(first.target)}: ${said.join(", ")}.`;
}

/** One comparison says its number at once: "takes 12 % less time than old (8 to 16 %)". */
function aloneOf({ verdict, ratio }: Comparison, baseline: string): string {
  if (verdict === "same") return `takes as long as ${baseline}${ratio === null ? "" : ", within 5 %"}`;
  if (verdict === "not warm") return `against ${baseline}: not warm`;
  if (verdict === "inconclusive" || ratio === null)
    return `against ${baseline}: ${verdict}${ratio === null ? "" : `, ${percentRange(ratio)}`}`;
  const [least, most] = [ratio.low, ratio.high]
    .map((one) => Math.abs(100 * (one - 1)))
    .sort((a, b) => a - b) as [number, number];
  const size = Math.abs(100 * (ratio.estimate - 1)).toFixed(0);
  return `takes ${size} % ${verdict === "faster" ? "less" : "more"} time than ${baseline} (${least.toFixed(0)} to ${most.toFixed(0)} %)`;
}

const WORDS: Readonly<Record<Verdict, string>> = {
  faster: "faster",
  slower: "slower",
  same: "the same",
  inconclusive: "inconclusive",
  "not warm": "not warm",
};

/** " (23 to 58 % less time)" */
function sizeOf(comparisons: readonly Comparison[]): string {
  const percents = comparisons
    .flatMap(({ ratio }) => (ratio === null ? [] : [100 * (ratio.estimate - 1)]))
    .toSorted((a, b) => Math.abs(a) - Math.abs(b));
  const [least, most] = [percents[0], percents.at(-1)];
  if (least === undefined || most === undefined) return "";
  const [from, to] = [least, most].map((percent) => Math.abs(percent).toFixed(0)) as [string, string];
  return ` (${from === to ? from : `${from} to ${to}`} % ${most < 0 ? "less" : "more"} time)`;
}
