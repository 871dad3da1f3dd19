import { answersOf } from "./answer.ts";
import type { CaseReport, ReportTarget, Summary } from "./data.ts";
import { counted, formatBand, listed } from "./format.ts";
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
