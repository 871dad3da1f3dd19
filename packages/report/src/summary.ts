import { type Comparison, VERDICTS, type Verdict } from "@evenbench/stats";
import { answersOf } from "./answer.ts";
import type { CaseReport, ReportTarget, Summary } from "./data.ts";
import { counted, formatBand, listed, ratioInWords } from "./format.ts";
import { controlOfVantages, sentenceOfVantages } from "./vantages/words.ts";

/**
 * What was compared and what came out, for a reader without statistics.
 *
 * @param unproven where the work was not proven equal, in a sentence: it stands wherever the answer does.
 */
export function summarise(
  targets: readonly ReportTarget[],
  cases: readonly CaseReport[],
  unproven: string | null,
): Summary {
  const measured = cases.filter(({ headline }) => headline !== null);
  const originals = targets.filter(({ copyOf }) => copyOf === null);
  const baselines = [...new Set(measured.map(({ baseline }) => baseline))];
  const compared = originals.filter(({ name }) => !baselines.includes(name));
  // Each app has cases and a baseline of its own.
  const described = [...Map.groupBy(measured, ({ baseline }) => baseline)].map(([baseline, group]) =>
    describeCompared(
      baseline,
      compared.filter(({ name }) => group.some(({ targets: own }) => own.includes(name))),
      group.length,
      unproven === null,
    ),
  );
  const seen = measured.filter(({ vantages }) => vantages !== null);
  const overVantages = seen.length > 0;
  const qualified = (text: string) => (unproven === null ? text : `${text} ${unproven}`);
  const spoken = overVantages ? [sentenceOfVantages(seen) ?? ""] : answersOf(targets, measured);
  const sentences = spoken.filter((one) => one !== "");
  const answer = sentences.length === 0 ? null : sentences.join(" ");
  return {
    answer: answer === null ? null : qualified(answer),
    sentences: [...sentences, ...(unproven === null ? [] : [unproven])],
    compared: qualified(described.length === 0 ? "Nothing was measured." : described.join(" ")),
    unproven,
    findings: compared.map(({ name }) => ({ target: name, sentence: describeTarget(name, measured) })),
    control: overVantages ? controlOfVantages(seen) : describeControl(measured),
  };
}

function describeCompared(
  baseline: string,
  compared: readonly ReportTarget[],
  cases: number,
  isSame: boolean,
): string {
  const workload = counted(cases, "workload");
  const names = listed(compared.map(({ name }) => name));
  if (compared.length === 0) return `${baseline} ran ${workload} alone.`;
  return `${names} ran ${isSame ? "the same " : ""}${workload} ${isSame ? "as" : "beside"} ${baseline}, in turns and in random order, and the time until the answer arrived was compared.`;
}

function describeTarget(target: string, cases: readonly CaseReport[]): string {
  const comparisons = cases.flatMap(
    ({ headline }) => headline?.comparisons.filter((one) => one.target === target) ?? [],
  );
  const baselines = listed([...new Set(comparisons.map(({ baseline }) => baseline))]);
  if (comparisons.length === 0) return "was not measured.";
  const parts = VERDICTS.flatMap((verdict) => {
    const group = comparisons.filter((one) => one.verdict === verdict);
    return group.length === 0 ? [] : [describeGroup(verdict, group, comparisons.length)];
  });
  return `against ${baselines}: ${parts.join("; ")}.`;
}

function describeGroup(verdict: Verdict, group: readonly Comparison[], all: number): string {
  const where = all === 1 ? "" : ` in ${group.length} of ${all}`;
  if (verdict === "same") return `same${where}`;
  if (verdict === "not warm") return `not warm, so no verdict${where}`;
  if (verdict === "inconclusive") return `inconclusive${where}`;
  // Differences over vantages are no ratios: the answer has them.
  if (group.every(({ ratio }) => ratio === null)) return `${verdict}${where}`;
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
  const noiseFloors = cases.flatMap(({ headline }) =>
    headline?.noiseFloor == null ? [] : [headline.noiseFloor],
  );
  if (noiseFloors.length === 0)
    return "This run has no A/A control, so how much of a difference is noise is not known.";
  const narrowest = formatBand(Math.min(...noiseFloors));
  const widest = formatBand(Math.max(...noiseFloors));
  const band =
    narrowest === widest ? widest : `a band: ${narrowest} in the quietest case, ${widest} in the noisiest`;
  return `The same target measured against itself could come out anywhere within ${band}.`;
}
