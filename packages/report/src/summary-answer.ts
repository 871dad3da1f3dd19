// The answer of a run of which only the summary is left, by today's rules and in today's words.
import type { Run, RunSummary, SummaryRow } from "@evenbench/results";
import { type IntervalEnds, type RatioInterval, VERDICTS, type Verdict, verdictOf } from "@evenbench/stats";
import { inReportOrder } from "./analyse-run.ts";
import { sayCaches } from "./answer.ts";
import { adapterNotes, enginesNote, spokenOf } from "./names.ts";
import { caseWord } from "./notices.ts";
import { type Naming, sentencesOf, type TargetFinding, withCpuSentences } from "./sentences.ts";
import { slowRequestsNote } from "./slow-requests.ts";
import type { SummarisedRun } from "./summarised.ts";

/** The answer of a run that compared nothing. */
export const NOTHING_COMPARED = "Nothing was compared.";

/**
 * Largest width of a 90 % interval as a part of that of the 99 % interval: the quantiles of a normal distribution at
 * 0.95 and 0.995. With fewer degrees of freedom it is less.
 */
const WIDEST_EQUIVALENCE = 1.6449 / 2.5758;

/**
 * Gives a row's verdict by today's rules. What was unclear when sameness was asked of the 99 % interval may be the
 * same; no other verdict has changed.
 */
export function verdictOfRow({ verdict: recorded, ratio, equivalence }: SummaryRow): Verdict | null {
  const verdict = VERDICTS.find((known) => known === recorded) ?? null;
  if (verdict !== "unclear" || ratio === null || equivalence != null) {
    return verdict;
  }
  return verdictOf(ratio, widestEquivalence(ratio));
}

/** The 90 % interval of a ratio of which the 99 % interval alone is known is no wider than this. */
function widestEquivalence({ estimate, low, high }: RatioInterval): IntervalEnds {
  return {
    low: estimate * (low / estimate) ** WIDEST_EQUIVALENCE,
    high: estimate * (high / estimate) ** WIDEST_EQUIVALENCE,
  };
}

/** Lists the comparisons of a summary by the headline of each case, each with that of its CPU time. */
export function foundInSummary(
  { rows }: Pick<RunSummary, "rows">,
  cases: Run["plan"]["cases"] = [],
): readonly FoundInCase[] {
  return rows.flatMap((row) => {
    const verdict = verdictOfRow(row);
    if (!row.headline || verdict === null) {
      return [];
    }
    const { caseId, target, baseline, ratio, differenceMs } = row;
    const ofCpu = rows.find(
      (other) => other.metric === "cpuMs" && other.caseId === caseId && other.target === target,
    );
    const cpuVerdict = ofCpu === undefined ? null : verdictOfRow(ofCpu);
    const cpu =
      ofCpu === undefined || cpuVerdict === null ? null : { verdict: cpuVerdict, ratio: ofCpu.ratio };
    const title = cases.find(({ id }) => id === caseId)?.title;
    const found = { caseId, target, baseline, verdict, ratio, cpu, ...(title !== undefined && { title }) };
    return [differenceMs === undefined ? found : { ...found, differenceMs }];
  });
}

/** A comparison, and the case that it was made in. */
interface FoundInCase extends TargetFinding {
  readonly caseId: string;
}

/** Lists the comparisons of a run of which only the summary is left, in the order of its targets. */
function foundInOrder({ run, summary }: SummarisedRun): readonly FoundInCase[] {
  const order = inReportOrder(run).map(({ name }) => name);
  return foundInSummary(summary, run.plan.cases).toSorted(
    (a, b) => order.indexOf(a.target) - order.indexOf(b.target),
  );
}

/** Gives the names and words that a run's sentences are made with. */
function namingOf(run: Run): Naming {
  const targets = inReportOrder(run);
  return { nameOf: (target) => spokenOf(targets, target), word: caseWord({ targets }) };
}

/** Lists the sentences of a run's answer anew from its summary; null where nothing was compared. */
function answerSentences(summarised: SummarisedRun): readonly string[] | null {
  const { run, summary } = summarised;
  const found = foundInOrder(summarised);
  if (found.length === 0) {
    return null;
  }
  const { nameOf, word } = namingOf(run);
  const cached = [...new Set(summary.rows.filter(isCached).map(({ caseId }) => caseId))];
  return [
    ...(summary.stopped === undefined ? [] : [summary.stopped]),
    ...sentencesOf(found, nameOf, word),
    ...(cached.length === 0 ? [] : [sayCaches(cached)]),
    ...(summary.failedChecks === undefined ? [] : [summary.failedChecks]),
    ...(summary.unproven === undefined ? [] : [summary.unproven]),
  ];
}

/** Writes the answer of a run anew from its summary; null where nothing was compared. */
export function answerOfSummary(summarised: SummarisedRun): string | null {
  return answerSentences(summarised)?.join(" ") ?? summarised.summary.answer;
}

/** Lists a run's sentences as the end of a run has them: those on CPU time of all targets behind the others. */
export function sentencesOfSummary(summarised: SummarisedRun): readonly string[] {
  const sentences = answerSentences(summarised) ?? [summarised.summary.answer ?? NOTHING_COMPARED];
  return withCpuSentences(sentences, foundInOrder(summarised), namingOf(summarised.run));
}

/** Writes what a reader of a table of results should know, in a paragraph; empty where there is nothing. */
export function notesOfSummary(summarised: SummarisedRun): string {
  const { run } = summarised;
  const titleOf = (caseId: string) => run.plan.cases.find(({ id }) => id === caseId)?.title ?? caseId;
  const pairs = foundInOrder(summarised).map(({ caseId, target, baseline }) => {
    return { title: titleOf(caseId), target, baseline };
  });
  const notes = [slowRequestsNote(summarised), ...adapterNotes(run, pairs), enginesNote(run)];
  return notes.filter((note) => note !== null).join(" ");
}

function isCached({ cached }: SummaryRow): boolean {
  return cached !== undefined;
}
