import {
  asMsInterval,
  type CaseAnalysis,
  type Comparison,
  type DifferenceAcross,
  type VantageAnalysis,
  type VantageComparison,
} from "@evenbench/stats";
import { ofTarget, withControl } from "./case-report.ts";
import type { CaseReport } from "./data.ts";
import { counted, listed } from "./format.ts";
import type { VantageRow } from "./vantage-rows.ts";

/** Routes are in what takes all trials together, and vantages share no clock: neither is shown. */
export function byVantages(report: CaseReport): CaseReport {
  const { headline, other, vantages } = report;
  if (vantages === null) return report;
  const without = (analysis: CaseAnalysis): CaseAnalysis => ({
    ...analysis,
    summaries: analysis.summaries.map((one) => ({ ...one, medianLow: null, medianHigh: null })),
    comparisons: [],
    control: null,
    noiseFloor: null,
  });
  // Of the comparison of all trials only what it counts stays.
  const told = ({ target, time }: VantageComparison): readonly Comparison[] => {
    const counted = headline && ofTarget(withControl(headline), target);
    if (counted === null) return [];
    return [{ ...counted, ratio: null, verdict: time.verdict, reason: time.reason, byTrial: [] }];
  };
  return {
    ...report,
    headline: headline && {
      ...without(headline),
      comparisons: vantages.comparisons.flatMap(told),
      control: (vantages.control && told(vantages.control)[0]) ?? null,
    },
    other: other && without(other),
    pairs: { headline: [], cpuTime: [] },
    curves: [],
    kinds: [],
    computeTimes: [],
    measured: new Map(),
  };
}

export function nearestFirst(rows: readonly VantageRow[], baseline: string): readonly string[] {
  const names = [...new Set(rows.map(({ vantage }) => vantage))];
  const ms = (name: string) =>
    rows.find(({ vantage, target }) => vantage === name && target === baseline)?.medianMs ??
    Number.POSITIVE_INFINITY;
  return names.toSorted((a, b) => ms(a) - ms(b));
}

export function differenceAt({ vantages }: DifferenceAcross, vantage: string): string {
  const own = vantages.find((one) => one.vantage === vantage);
  if (own === undefined) return "–";
  return asMsInterval(own.interval ?? { estimate: own.estimate });
}

export function answerOfVantages({ comparisons }: VantageAnalysis): string {
  if (comparisons.length === 0) return "one target alone, nothing to compare";
  return comparisons
    .map((one) => {
      const found = differenceInWords(one);
      if (found !== null) return `${one.target} takes ${found}`;
      if (!doDisagree(one)) return `${one.target} ${one.time.verdict}`;
      const { difference } = one.time;
      const each = difference.vantages.map(
        ({ vantage }) => `${vantage} ${differenceAt(difference, vantage)}`,
      );
      return `${one.target}: the vantages disagree: ${each.join(", ")}`;
    })
    .join("; ");
}

export function sentencesOfVantages(cases: readonly CaseReport[]): readonly string[] {
  const told = cases.flatMap(({ manifest, vantages }) =>
    (vantages?.comparisons ?? []).map((comparison) => ({ id: manifest.id, comparison })),
  );
  return [...Map.groupBy(told, ({ comparison }) => comparison.target)].map(([target, own]) => {
    const different = own.flatMap(({ id, comparison }) => {
      const found = differenceInWords(comparison);
      return found === null ? [] : [`${id} takes ${found}`];
    });
    const others = own.filter(({ comparison }) => differenceInWords(comparison) === null);
    const said = [
      ...Map.groupBy(others, ({ comparison: one }) =>
        doDisagree(one) ? "the vantages disagree" : one.time.verdict,
      ),
    ].map(
      ([outcome, group]) =>
        `${outcome} in ${own.length === 1 ? group[0]?.id : `${group.length} of ${own.length}`}`,
    );
    return `On ${target}, ${[listed(different), ...said].filter((part) => part !== "").join("; ")}.`;
  });
}

function differenceInWords({ baseline, time: { verdict, difference } }: VantageComparison): string | null {
  const { pooled, vantages } = difference;
  if (pooled === null || (verdict !== "slower" && verdict !== "faster")) return null;
  const { estimate, low, high } = pooled;
  const size = verdict === "slower" ? pooled : { estimate: -estimate, low: -high, high: -low };
  const how = verdict === "slower" ? "longer" : "less";
  return `${asMsInterval(size)} ${how} than ${baseline}, over ${counted(vantages.length, "vantage")}`;
}

function doDisagree({ time: { verdict, difference } }: VantageComparison): boolean {
  return verdict === "inconclusive" && difference.disagree && difference.units.length > 1;
}

export function controlOfVantages(cases: readonly CaseReport[]): string {
  const reaches = cases.flatMap(({ vantages }) => {
    const mean = vantages?.control?.time.difference.mean ?? null;
    return mean === null ? [] : [Math.max(Math.abs(mean.low), Math.abs(mean.high))];
  });
  if (reaches.length === 0)
    return "There is no A/A control over two vantages or more, so this run does not show how large noise is.";
  const [least, most] = [Math.min(...reaches), Math.max(...reaches)];
  const [quietest, noisiest] = [least, most].map((estimate) => asMsInterval({ estimate }));
  const band = least === most ? quietest : `${quietest} in the quietest case, ${noisiest} in the noisiest`;
  return `A/A control: the baseline's interval against its own copy reached as far from 0 as ${band}. It decides nothing.`;
}
