import { formatDuration } from "@evenbench/core";
import { type Comparison, isDifference, VERDICTS, type Verdict } from "@evenbench/stats";
import type { CaseReport, ReportData, ReportTarget, Summary } from "./data.ts";
import { counted, listed, percentRange } from "./format.ts";
import { spokenNames } from "./names.ts";
import { caseWord, isBroken } from "./notices.ts";
import { answerOfVantages, controlOfVantages, sentencesOfVantages } from "./vantages.ts";

type Found = Pick<Comparison, "target" | "baseline" | "verdict" | "ratio">;

/** "Cloudflare's workerd: faster than Node.js in 3 of 7 cases (23 to 58 % less time), 1 same, 3 inconclusive." */
export function sentencesOf(
  found: readonly Found[],
  nameOf: (target: string) => string,
  word: ReturnType<typeof caseWord> = "case",
): readonly string[] {
  const groups = Map.groupBy(found, ({ target, baseline }) =>
    JSON.stringify([nameOf(target), nameOf(baseline)]),
  );
  return [...groups.values()].map((group) => sentenceOf(group, nameOf, word));
}

export function changesOf(rows: readonly Pick<Found, "target" | "verdict" | "ratio">[]): readonly string[] {
  return sentencesOf(
    rows.map((row) => ({ ...row, baseline: "before" })),
    (name) => name,
  );
}

export function answersOf(targets: readonly ReportTarget[], cases: readonly CaseReport[]): readonly string[] {
  const names = spokenNames(targets);
  const order = targets.map(({ name }) => name);
  const found = cases
    .flatMap(({ headline }) => headline?.comparisons ?? [])
    .toSorted((a, b) => order.indexOf(a.target) - order.indexOf(b.target));
  return sentencesOf(found, (target) => names.get(target) ?? target, caseWord({ targets }));
}

/** What people repeat at lunch. A number is a word, a "%" is none. */
const MOST_WORDS = 20;

function sentenceOf(group: readonly Found[], nameOf: (target: string) => string, word: string): string {
  const [first] = group as [Found];
  const [name, baseline] = [nameOf(first.target), nameOf(first.baseline)];
  if (group.length === 1) return `${name} ${aloneOf(first, baseline)}.`;
  const parts = VERDICTS.flatMap((verdict) => {
    const own = group.filter((one) => one.verdict === verdict);
    const size = isDifference(verdict) ? sizeOf(verdict, own) : null;
    return own.length === 0 ? [] : [{ verdict, count: own.length, size }];
  });
  const said = parts.map(({ verdict, count, size }, index) => {
    if (index > 0) return `${count} ${verdict}${size === null ? "" : ` (${size.words})`}`;
    const how = isDifference(verdict) ? `${verdict} than ${baseline}` : verdict;
    return `${verdict === "same" ? `the same as ${baseline}` : how} in ${count} of ${group.length} ${word}s${size === null ? "" : ` (${size.words} time)`}`;
  });
  const sentence = `${name}: ${said.join(", ")}.`;
  if (wordsIn(sentence) <= MOST_WORDS) return sentence;
  const counts = parts.map(
    ({ verdict, count, size }) => `${count} ${verdict}${size === null ? "" : ` (${size.signed})`}`,
  );
  return `${name} against ${baseline}, ${group.length} ${word}s: ${counts.join(", ")}.`;
}

function wordsIn(sentence: string): number {
  return sentence.split(/\s+/).filter((part) => /[\p{L}\p{N}]/u.test(part)).length;
}

function aloneOf({ verdict, ratio }: Found, baseline: string): string {
  if (verdict === "same") return `takes as long as ${baseline}${ratio === null ? "" : ", within 5 %"}`;
  if (verdict === "not warm") return `against ${baseline}: not warm`;
  if (verdict === "inconclusive" || ratio === null)
    return `against ${baseline}: ${verdict}${ratio === null ? "" : `, ${percentRange(ratio)}`}`;
  const size = Math.abs(100 * (ratio.estimate - 1)).toFixed(0);
  return `takes ${size} % ${verdict === "faster" ? "less" : "more"} time than ${baseline}`;
}

function sizeOf(verdict: Verdict, comparisons: readonly Found[]) {
  const percents = comparisons.flatMap(({ ratio }) =>
    ratio === null ? [] : Math.round(Math.abs(100 * (ratio.estimate - 1))),
  );
  if (percents.length === 0) return null;
  const ends = [...new Set([Math.min(...percents), Math.max(...percents)])];
  const isLess = verdict === "faster";
  const signed = (isLess ? ends.toReversed() : ends).map((percent) => `${isLess ? "−" : "+"}${percent}`);
  return {
    words: `${ends.join(" to ")} % ${isLess ? "less" : "more"}`,
    signed: `${signed.join("…")} %`,
  };
}

export function summarise(
  targets: readonly ReportTarget[],
  cases: readonly CaseReport[],
  unproven: string | null,
): Summary {
  const measured = cases.filter(({ headline }) => headline !== null);
  const seen = measured.filter(({ vantages }) => vantages !== null);
  const found = seen.length > 0 ? sentencesOfVantages(seen) : answersOf(targets, measured);
  const alone = [...Map.groupBy(measured, ({ baseline }) => baseline)].map(
    ([baseline, group]) => `${baseline} ran ${counted(group.length, "workload")} alone.`,
  );
  const said = [found, alone, ["Nothing was measured."]].find((some) => some.length > 0) ?? [];
  const sentences = [...said, ...(unproven === null ? [] : [unproven])];
  return {
    answer: found.length === 0 ? null : sentences.join(" "),
    ...{ sentences, unproven },
    control: seen.length > 0 ? controlOfVantages(seen) : describeControl(measured),
  };
}

function describeControl(cases: readonly CaseReport[]): string {
  if (cases.every(({ headline }) => headline?.control == null))
    return "This run has no A/A control: no target was measured against its own copy.";
  const controlled = cases.filter(({ headline }) => headline?.control?.ratio != null);
  if (controlled.length === 0) return "A/A control: no case has enough trials for it.";
  const broken = controlled.filter(({ headline }) => isBroken(headline)).map(({ manifest }) => manifest.id);
  const found = broken.length === 0 ? "none" : `${broken.length} (${listed(broken)})`;
  return `A/A control: the baseline differed from its own copy in ${found} of ${counted(controlled.length, "case")}.`;
}

export function caseAnswers({ cases, summary }: ReportData): readonly string[] {
  return summary.answer === null ? summary.sentences : cases.map(caseAnswer);
}

function caseAnswer(report: CaseReport): string {
  return report.isUnproven ? `${comparedIn(report)} (the work was not proven equal)` : comparedIn(report);
}

function comparedIn({ manifest, headline, baseline, vantages }: CaseReport): string {
  if (headline === null) return `${manifest.id}: nothing was measured`;
  if (vantages !== null) return `${manifest.id}: ${answerOfVantages(vantages)}`;
  const { comparisons } = headline;
  if (comparisons.length === 0) return `${manifest.id}: ${baseline} alone, nothing to compare`;
  const parts = comparisons.map(
    ({ target, verdict, ratio }) =>
      `${target} ${verdict}${ratio === null || verdict === "not warm" ? "" : `, ${percentRange(ratio)}`}`,
  );
  return `${manifest.id}: against ${baseline}, ${parts.join("; ")}`;
}

export function timeLine({ run, cases }: Pick<ReportData, "run" | "cases">): string | null {
  if (run.finishedAt === null || run.vantages !== undefined) return null;
  const sum = (of: (one: CaseReport["spent"]) => number) =>
    cases.reduce((all, { spent }) => all + of(spent), 0);
  const total = Date.parse(run.finishedAt) - Date.parse(run.startedAt);
  const measuring = formatDuration(sum(({ measuringMs }) => measuringMs));
  const warmUp = formatDuration(sum(({ warmUpMs }) => warmUpMs));
  return `It took ${formatDuration(total)}: ${measuring} measuring, ${warmUp} warming up, the rest starts and checks.`;
}
