import { type Comparison, isDifference, VERDICTS, type Verdict } from "@evenbench/stats";
import type { CaseReport, ReportTarget } from "./data.ts";
import { platformNames } from "./work.ts";

/**
 * What came out on time, a sentence for each platform, with counts that add up: "cloudflare: faster than node in 3 of 7
 * cases (23 to 58 % less time), the same in 1, inconclusive in 3." Null where nothing was compared.
 */
export function answerOf(targets: readonly ReportTarget[], cases: readonly CaseReport[]): string | null {
  const names = platformNames(targets);
  const order = targets.map(({ name }) => name);
  const told = cases
    .flatMap(({ headline }) => headline?.comparisons ?? [])
    .toSorted((a, b) => order.indexOf(a.target) - order.indexOf(b.target));
  const nameOf = (target: string) => names.get(target) ?? target;
  const groups = Map.groupBy(told, ({ target, baseline }) =>
    JSON.stringify([nameOf(target), nameOf(baseline)]),
  );
  if (groups.size === 0) return null;
  return [...groups.values()].map((group) => sentenceOf(group, nameOf)).join(" ");
}

function sentenceOf(group: readonly Comparison[], nameOf: (target: string) => string): string {
  const [{ target, baseline }] = group as [Comparison];
  const parts = VERDICTS.flatMap((verdict) => {
    const own = group.filter((one) => one.verdict === verdict);
    return own.length === 0 ? [] : [{ verdict, own }];
  });
  const said = parts.map(({ verdict, own }, index) => {
    const than =
      index === 0 && verdict !== "inconclusive" && verdict !== "not warm" ? nameOf(baseline) : null;
    const all = index === 0 ? ` of ${group.length} ${group.length === 1 ? "case" : "cases"}` : "";
    return `${WORDS[verdict](than)} in ${own.length}${all}${isDifference(verdict) ? sizeOf(own) : ""}`;
  });
  return `${nameOf(target)}: ${said.join(", ")}.`;
}

const WORDS: Readonly<Record<Verdict, (than: string | null) => string>> = {
  faster: (than) => (than === null ? "faster" : `faster than ${than}`),
  slower: (than) => (than === null ? "slower" : `slower than ${than}`),
  same: (than) => (than === null ? "the same" : `the same as ${than}`),
  inconclusive: () => "inconclusive",
  "not warm": () => "not warm",
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
