import { formatDuration } from "@evenbench/core";
import { counted, listed, partOf } from "@evenbench/page";
import { sum } from "@evenbench/stats";
import { differenceOf, ofTarget } from "./case-report.ts";
import type { CaseReport, ReportData, ReportTarget, RunAnswer } from "./data.ts";
import { spokenBaselines, spokenOf } from "./names.ts";
import { caseWord } from "./notices.ts";
import {
  cpuSentencesOf,
  findingWords,
  sentencesOf,
  type TargetFinding,
  withCpuSentences,
} from "./sentences.ts";

/** Lists the comparisons of a case's targets by its headline metric, each with that of its CPU time. */
function foundIn(report: CaseReport): readonly TargetFinding[] {
  return (report.headline?.comparisons ?? []).map(({ target, baseline, verdict, ratio }) => {
    const ofCpu = ofTarget(report.cpuTime?.comparisons, target);
    const found = { target, baseline, title: report.manifest.title, verdict, ratio, cpu: ofCpu };
    const difference = differenceOf(report, target);
    return difference === null ? found : { ...found, differenceMs: difference.pooled };
  });
}

/** Lists the comparisons of cases, in the order of the targets. */
function foundInAll(
  targets: readonly ReportTarget[],
  cases: readonly CaseReport[],
): readonly TargetFinding[] {
  const order = targets.map(({ name }) => name);
  return cases.flatMap(foundIn).sort((a, b) => order.indexOf(a.target) - order.indexOf(b.target));
}

/** Writes what was found of each target over some cases, in sentences. */
function answersOf(targets: readonly ReportTarget[], cases: readonly CaseReport[]): readonly string[] {
  const found = foundInAll(targets, cases);
  return sentencesOf(found, (target) => spokenOf(targets, target), caseWord({ targets }));
}

/** Writes what was found of each target's CPU time in sentences, without those that a run's answer has. */
export function furtherCpuSentences({
  targets,
  cases,
  summary,
}: Pick<ReportData, "targets" | "cases" | "summary">): readonly string[] {
  const found = foundInAll(targets, cases);
  const all = cpuSentencesOf(found, (target) => spokenOf(targets, target), caseWord({ targets }));
  return all.filter((sentence) => !summary.sentences.includes(sentence));
}

/** Lists a run's sentences for outputs with room for all: those on CPU time behind the others. */
export function allSentences(data: Pick<ReportData, "targets" | "cases" | "summary">): readonly string[] {
  const found = foundInAll(data.targets, data.cases);
  const nameOf = (target: string) => spokenOf(data.targets, target);
  return withCpuSentences(data.summary.sentences, found, { nameOf, word: caseWord(data) });
}

/** The answer of a smoke test. */
const SMOKE_TEST = "A smoke test (--quick): hardly anything was warmed up, so nothing was compared.";

/** Sentences on a whole run, whatever was found of its targets. */
type RunCaveats = Pick<RunAnswer, "stopped" | "unproven">;

/**
 * Writes the answer of a run.
 *
 * @param caveats sentences that the answer begins and ends with.
 * @param isSmokeTest whether the run compared nothing, as with `--quick`.
 */
export function answerOf(
  targets: readonly ReportTarget[],
  cases: readonly CaseReport[],
  { stopped, unproven }: RunCaveats,
  isSmokeTest = false,
): RunAnswer {
  const measured = cases.filter(({ headline }) => headline !== null);
  const found = answersOf(targets, measured);
  const smoke = isSmokeTest && measured.length > 0 ? [SMOKE_TEST] : [];
  const fromCaches = measured.filter(({ manifest }) => manifest.cached !== undefined);
  const computed = measured.filter(({ manifest }) => manifest.cached === undefined);
  const caches = fromCaches.length === 0 ? [] : [sayCaches(fromCaches.map(({ manifest }) => manifest.id))];
  const alone = [...Map.groupBy(computed, ({ baseline }) => baseline)].map(
    ([baseline, group]) => `${baseline} ran ${counted(group.length, "case")} alone.`,
  );
  const statements =
    [found, smoke, alone, caches, ["Nothing was measured."]].find((sentences) => sentences.length > 0) ?? [];
  const cachesBeside = statements === caches ? [] : caches;
  const failedChecks = isSmokeTest ? null : failedChecksSentence(measured, targets);
  const sentences = [stopped, ...statements, ...cachesBeside, failedChecks, unproven].filter(
    (sentence) => sentence !== null,
  );
  return {
    answer: found.length === 0 ? null : sentences.join(" "),
    sentences,
    stopped,
    unproven,
    failedChecks,
    control: isSmokeTest
      ? "A smoke test compares nothing, so it has no A/A control."
      : (failedChecks ?? describeControl(measured, targets)),
  };
}

/** Names the cases in which a cache answered, in a sentence. @param ids of these cases. */
export function sayCaches(ids: readonly string[]): string {
  return `A cache is measured in ${listed(ids)}, which gives no verdict on platforms.`;
}

/** Names the cases whose A/A control shows a difference, in a sentence; null where none does. */
function failedChecksSentence(cases: readonly CaseReport[], targets: readonly ReportTarget[]): string | null {
  const checks = cases.map(checkOf).filter((check) => check.of.length > 0);
  const failed = checks.filter(({ differing }) => differing.length > 0);
  if (failed.length === 0) {
    return null;
  }
  const where = failed.map(({ id, differing }) => `${id} (${differing.join(" and ")})`);
  const baselines = spokenBaselines(targets, cases);
  return `Check failed in ${partOf(failed.length, checks.length, caseWord({ targets }))}, ${listed(where)}: ${baselines} differed there from a copy of itself.`;
}

/** Writes what the A/A controls of all cases showed where none shows a difference, in a sentence. */
function describeControl(cases: readonly CaseReport[], targets: readonly ReportTarget[]): string {
  if (cases.length > 0 && cases.every(({ manifest }) => manifest.cached !== undefined)) {
    return "Caches are not compared, so this run has no A/A control.";
  }
  if (cases.every(({ headline }) => headline?.control == null)) {
    return "This run has no A/A control: no target was measured against its own copy.";
  }
  const checks = cases.map(checkOf).filter((check) => check.of.length > 0);
  if (checks.length === 0) {
    return "No check against a copy: no case has enough trials for it.";
  }
  const baselines = spokenBaselines(targets, cases);
  const all = counted(checks.length, "case");
  const metrics = [...new Set(checks.flatMap((check) => check.of))].join(" or ");
  return `Check passed: ${baselines} measured against a copy of itself showed no difference in ${metrics} in any of ${all}.`;
}

/** The metric that an A/A control compares. */
type Controlled = "time" | "CPU time";

/** The results of the A/A controls of one case. */
interface ControlCheck {
  /** The id of the case. */
  readonly id: string;
  /** The metrics that have a control with an interval. */
  readonly of: readonly Controlled[];
  /** The metrics among `of` in which the baseline and its copy differ. */
  readonly differing: readonly Controlled[];
}

/** Lists the metrics in which a case's baseline differs from its copy; empty where it does in none. */
export function failedChecksOf(report: CaseReport): readonly Controlled[] {
  return checkOf(report).differing;
}

/** Reads the A/A controls of a case: by its headline, or by differences where there are some, and by CPU time. */
function checkOf({ manifest, headline, cpuTime, differences }: CaseReport): ControlCheck {
  const difference = differences?.control?.mean ?? null;
  const isTimeBroken =
    difference === null ? (headline?.isControlBroken ?? false) : difference.low > 0 || difference.high < 0;
  const controls: readonly [Controlled, boolean, boolean][] = [
    ["time", difference !== null || headline?.control?.ratio != null, isTimeBroken],
    ["CPU time", cpuTime?.control?.ratio != null, cpuTime?.isControlBroken ?? false],
  ];
  return {
    id: manifest.id,
    of: controls.flatMap(([metric, isKnown]) => (isKnown ? metric : [])),
    differing: controls.flatMap(([metric, , isBroken]) => (isBroken ? metric : [])),
  };
}

/** Writes the answer of each case; the run's own sentences where nothing was compared. */
export function caseAnswers({ cases, summary }: ReportData): readonly string[] {
  return summary.answer === null ? summary.sentences : cases.map(caseAnswer);
}

/** Writes the answer of one case, without a full stop. */
function caseAnswer(report: CaseReport): string {
  const { manifest, headline, baseline, isUnproven } = report;
  if (headline === null) {
    return `${manifest.id}: nothing was measured`;
  }
  const parts = foundIn(report).map((found) => `${found.target} ${findingWords(found)}`);
  if (parts.length === 0) {
    return `${manifest.id}: ${baseline} alone, nothing to compare`;
  }
  const unproven = isUnproven ? " (the work was not proven equal)" : "";
  return `${manifest.id}: against ${baseline}, ${parts.join("; ")}${unproven}`;
}

/**
 * Writes how long a run took, and for what; null while it runs, for several vantages, and where its clock was
 * set back.
 */
export function timeLine({ run, cases }: Pick<ReportData, "run" | "cases">): string | null {
  const { startedAt, finishedAt, vantages } = run;
  if (finishedAt === null || vantages !== undefined) {
    return null;
  }
  const tookMs = Date.parse(finishedAt) - Date.parse(startedAt);
  // Its clock was set back, and a notice says so.
  if (tookMs < 0) {
    return null;
  }
  const total = formatDuration(tookMs);
  const measuring = formatDuration(sum(cases.map(({ spent }) => spent.measuringMs)));
  const warmUp = formatDuration(sum(cases.map(({ spent }) => spent.warmUpMs)));
  return `It took ${total}: ${measuring} measuring, ${warmUp} warming up, the rest starts and checks.`;
}
