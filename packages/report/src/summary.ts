import type { Comparison, Verdict } from "@evenbench/stats";
import type { CaseReport, ReportTarget, Summary } from "./data.ts";
import { counted, formatPercent, listed, ratioInWords } from "./format.ts";

/** What was compared and what came out, for a reader without statistics. */
export function summarise(targets: readonly ReportTarget[], cases: readonly CaseReport[]): Summary {
  const measured = cases.filter(({ headline }) => headline !== null);
  const originals = targets.filter(({ twinOf }) => twinOf === null);
  const baselines = [...new Set(measured.map(({ baseline }) => baseline))];
  const compared = originals.filter(({ name }) => !baselines.includes(name));
  // Each app has cases and a baseline of its own.
  const sentences = [...Map.groupBy(measured, ({ baseline }) => baseline)].map(([baseline, group]) =>
    describeCompared(
      baseline,
      compared.filter(({ name }) => group.some(({ targets: own }) => own.includes(name))),
      group.length,
    ),
  );
  return {
    compared: sentences.length === 0 ? "Nothing was measured." : sentences.join(" "),
    findings: compared.map(({ name }) => ({ target: name, sentence: describeTarget(name, measured) })),
    control: describeControl(measured),
  };
}

function describeCompared(baseline: string, compared: readonly ReportTarget[], cases: number): string {
  const workload = counted(cases, "workload");
  const names = listed(compared.map(({ name }) => name));
  if (compared.length === 0) return `${baseline} ran ${workload} alone.`;
  return `${names} ran the same ${workload} as ${baseline}, in turns and in random order, and the time until the answer arrived was compared.`;
}

function describeTarget(target: string, cases: readonly CaseReport[]): string {
  const comparisons = cases.flatMap(
    ({ headline }) => headline?.comparisons.filter((one) => one.target === target) ?? [],
  );
  const baselines = listed([...new Set(comparisons.map(({ baseline }) => baseline))]);
  if (comparisons.length === 0) return "was not measured.";
  const order: readonly Verdict[] = ["faster", "slower", "no difference seen", "cannot tell"];
  const parts = order.flatMap((verdict) => {
    const group = comparisons.filter((one) => one.verdict === verdict);
    return group.length === 0 ? [] : [describeGroup(verdict, group, comparisons.length)];
  });
  return `against ${baselines}: ${parts.join("; ")}.`;
}

function describeGroup(verdict: Verdict, group: readonly Comparison[], all: number): string {
  const where = all === 1 ? "" : ` in ${group.length} of ${all}`;
  if (verdict === "no difference seen") return `no difference seen${where}`;
  if (verdict === "cannot tell") return `more rounds needed to tell${where}`;
  const estimates = group
    .flatMap(({ ratio }) => (ratio === null ? [] : [ratio.estimate]))
    .sort((a, b) => a - b);
  const [smallest, largest] = [estimates[0] ?? 1, estimates.at(-1) ?? 1];
  const nearest = verdict === "faster" ? largest : smallest;
  const farthest = verdict === "faster" ? smallest : largest;
  const size =
    ratioInWords(nearest) === ratioInWords(farthest)
      ? ratioInWords(nearest)
      : `from ${ratioInWords(nearest)} to ${ratioInWords(farthest)}`;
  return `${verdict}${where} (${size})`;
}

function describeControl(cases: readonly CaseReport[]): string {
  const floors = cases.flatMap(({ headline }) => (headline?.noiseFloor == null ? [] : [headline.noiseFloor]));
  if (floors.length === 0)
    return "This run has no control, so how much of a difference is noise is not known.";
  const smallest = formatPercent(Math.min(...floors));
  const largest = formatPercent(Math.max(...floors));
  const range =
    smallest === largest ? `up to ${largest}` : `${smallest} to ${largest}, depending on the case`;
  return `The same target measured against itself could differ by ${range}: smaller differences are not called differences.`;
}
