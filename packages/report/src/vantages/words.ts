import { asMs, asMsInterval, type VantageAnalysis, type VantageComparison } from "@evenbench/stats";
import type { CaseReport } from "../data.ts";
import { counted, listed } from "../format.ts";
import { at } from "./text-table.ts";

/**
 * What came out of one case: "cloudflare takes 4.88 ms (3.04 to 6.65) longer than node, over 3 vantages;
 * vercel inconclusive. ..."
 */
export function answerOfVantages({ comparisons }: VantageAnalysis): string {
  if (comparisons.length === 0) return "one target alone, nothing to compare";
  return comparisons
    .map((one) => {
      const found = differenceInWords(one);
      if (found !== null) return `${one.target} takes ${found}`;
      if (!doDisagree(one)) return `${one.target} ${one.time.verdict}`;
      const { difference } = one.time;
      const each = difference.vantages.map(({ vantage }) => `${vantage} ${at(difference, vantage)}`);
      return `${one.target}: the vantages disagree: ${each.join(", ")}`;
    })
    .join("; ");
}

/** The same of all cases in one sentence, for a reader who goes no further. */
export function sentenceOfVantages(cases: readonly CaseReport[]): string | null {
  const told = cases.flatMap(({ manifest, vantages }) =>
    (vantages?.comparisons ?? []).map((comparison) => ({ id: manifest.id, comparison })),
  );
  const parts = [...Map.groupBy(told, ({ comparison }) => comparison.target)].map(([target, own]) => {
    const different = own.flatMap(({ id, comparison }) => {
      const found = differenceInWords(comparison);
      return found === null ? [] : [`${id} takes ${found}`];
    });
    const others = own.filter(({ comparison }) => differenceInWords(comparison) === null);
    const said = [...Map.groupBy(others, ({ comparison }) => outcomeOf(comparison))].map(
      ([outcome, group]) =>
        `${outcome} in ${own.length === 1 ? group[0]?.id : `${group.length} of ${own.length}`}`,
    );
    return `on ${target}, ${[listed(different), ...said].filter((part) => part !== "").join("; ")}`;
  });
  const sentence = parts.join(". O").replaceAll(". Oon ", ". On ");
  return sentence === "" ? null : `O${sentence.slice(1)}.`;
}

/** "4.88 ms (3.04 to 6.65) longer than node, over 3 vantages"; null where there is no verdict of a difference. */
function differenceInWords({ baseline, time: { verdict, difference } }: VantageComparison): string | null {
  const { pooled, vantages } = difference;
  if (pooled === null || (verdict !== "slower" && verdict !== "faster")) return null;
  const { estimate, low, high } = pooled;
  const size = verdict === "slower" ? pooled : { estimate: -estimate, low: -high, high: -low };
  const how = verdict === "slower" ? "longer" : "less";
  return `${asMsInterval(size)} ${how} than ${baseline}, over ${counted(vantages.length, "vantage")}`;
}

function outcomeOf(comparison: VantageComparison): string {
  return doDisagree(comparison) ? "the vantages disagree" : comparison.time.verdict;
}

function doDisagree({ time: { verdict, difference } }: VantageComparison): boolean {
  return verdict === "inconclusive" && difference.disagree && difference.units.length > 1;
}

/** What the A/A control allows to be said. */
export function controlOfVantages(cases: readonly CaseReport[]): string {
  const reaches = cases.flatMap(({ vantages }) => {
    const mean = vantages?.control?.time.difference.mean ?? null;
    return mean === null ? [] : [Math.max(Math.abs(mean.low), Math.abs(mean.high))];
  });
  if (reaches.length === 0)
    return "There is no A/A control over two vantages or more, so how much of a difference is noise is not known.";
  const [least, most] = [Math.min(...reaches), Math.max(...reaches)];
  const band =
    least === most ? asMs(least) : `${asMs(least)} in the quietest case, ${asMs(most)} in the noisiest`;
  return `The same target measured against itself could come out as far from 0 as ${band}. A difference within that is not called one.`;
}
