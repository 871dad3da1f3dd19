import { type Comparison, isDifference, VERDICTS } from "@evenbench/stats";
import type { CaseReport, ReportTarget } from "./data.ts";
import { formatRatio, listed } from "./format.ts";
import { caseLabels, platformNames } from "./work.ts";

/** So many differences a sentence can hold; the table has the rest. */
const NAMED = 4;

interface Told {
  readonly label: string;
  /** Names of the platforms, or of the targets where these do not say which. */
  readonly platform: string;
  readonly against: string;
  readonly comparison: Comparison;
}

/** What came out on time, as one sentence with numbers; null where nothing was compared. */
export function answerOf(targets: readonly ReportTarget[], cases: readonly CaseReport[]): string | null {
  const groups = [
    ...Map.groupBy(toldOf(targets, cases), (one) => `${one.platform}\n${one.against}`).values(),
  ];
  if (groups.length === 0) return null;
  // Platforms of which the same is to be said share a part.
  const parts = Map.groupBy(groups, partOf);
  const sentence = [...parts].map(([part, own]) => `on ${listed(own.map(platformOf))}, ${part}`).join("; ");
  return `O${sentence.slice(1)}.`;
}

function platformOf([first]: readonly Told[]): string {
  return first?.platform ?? "";
}

function toldOf(targets: readonly ReportTarget[], cases: readonly CaseReport[]): readonly Told[] {
  const labels = caseLabels(cases);
  const names = platformNames(targets);
  const order = targets.map(({ name }) => name);
  const told = cases.flatMap(({ manifest, headline }) =>
    (headline?.comparisons ?? []).map((comparison) => ({
      label: labels.get(manifest.id) ?? manifest.id,
      platform: names.get(comparison.target) ?? comparison.target,
      against: names.get(comparison.baseline) ?? comparison.baseline,
      comparison,
    })),
  );
  return told.toSorted((a, b) => order.indexOf(a.comparison.target) - order.indexOf(b.comparison.target));
}

function partOf(group: readonly Told[]): string {
  const different = group.filter(({ comparison }) => isDifference(comparison.verdict)).toSorted(largestFirst);
  const [largest] = different;
  if (largest === undefined) return withoutDifference(group);
  const named = different
    .slice(0, NAMED)
    .map((one) => differenceOf(one, one === largest ? largest.against : null));
  const unnamed = different.length - named.length;
  const all = unnamed === 0 ? named : [...named, `${unnamed} more differ`];
  return [listed(all), ...countsOf(group)].join(", ");
}

/** Says plainly where there is no verdict at all. */
function withoutDifference(group: readonly Told[]): string {
  const seen = new Set(group.map(({ comparison }) => comparison.verdict));
  const only = seen.size === 1 ? group[0]?.comparison.verdict : undefined;
  const all = group.length === 1 ? "the only case" : `all ${group.length} cases`;
  if (only === "not warm" || only === "inconclusive") return `nothing can be said: ${only} in ${all}`;
  if (only === "same") return `no difference is seen in ${all}`;
  return `no difference was found: ${countsOf(group).join(", ")}`;
}

function differenceOf({ label, comparison }: Told, against: string | null): string {
  const ratio = formatRatio(comparison.ratio);
  return against === null ? `${label} ${ratio}` : `${label} takes ${ratio} of the time on ${against}`;
}

/** What of a group is no difference, in words, by verdict. */
function countsOf(group: readonly Told[]): readonly string[] {
  const others = VERDICTS.filter((verdict) => !isDifference(verdict));
  return others.flatMap((verdict) => {
    const count = group.filter(({ comparison }) => comparison.verdict === verdict).length;
    return count === 0 ? [] : [`${verdict} in ${count} of ${group.length}`];
  });
}

function largestFirst(a: Told, b: Told): number {
  const size = ({ comparison }: Told) => Math.abs(Math.log(comparison.ratio?.estimate ?? 1));
  return size(b) - size(a);
}
