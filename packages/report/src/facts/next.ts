// What would decide more: which cases are worth another run, with what, and how long it takes.
import { openRecord } from "@evenbench/core";
import { type Comparison, chanceOfVerdict, mean, sum } from "@evenbench/stats";
import type { AnalysedRun } from "../analyse-run.ts";
import type { AnalysedCase } from "../analysed-case.ts";
import type { TrialSpan } from "../series.ts";
import type { NextStep } from "./facts.ts";

/** Smallest number of trials that is doubled where more are suggested. */
const USUAL_TRIALS = 5;
/** The chance of a verdict from which on a longer run is said to decide a comparison probably. */
const PROBABLE_CHANCE = 2 / 3;
/** The time of a case in milliseconds that is suggested where nobody asked for one. */
const USUAL_TIME_MS = 180_000;
/** The shortest time of a case in milliseconds that is suggested. */
const LEAST_TIME_MS = 30_000;
/** By how much the time grows that is suggested where too few trials were warm. */
const MORE_TIME = 2;
/** A margin for the warm-up that a target was found to need. */
const WARM_UP_MARGIN = 1.25;

/** Lists what would decide more. Empty where all is decided, and where several places measured. */
export function nextSteps({ run, cases }: Pick<AnalysedRun, "run" | "cases">): readonly NextStep[] {
  if (run.vantages !== undefined) {
    return [];
  }
  const { plan } = run;
  const has = (report: AnalysedCase, verdict: Comparison["verdict"]) =>
    timesOf(report).some((comparison) => comparison.verdict === verdict);
  const candidates = cases.filter((report) => has(report, "unclear") || has(report, "not warm"));
  const short = candidates.filter(
    (report) =>
      report.manifest.id in (plan.neededMs ?? {}) || has(report, "not warm") || hasFewTrials(report, plan),
  );
  const open = candidates.filter((report) => !short.includes(report));
  return [...moreTrials(run, cases, open), ...moreTime(run, short)];
}

function timesOf({ lastByte }: AnalysedCase): readonly Comparison[] {
  return lastByte?.comparisons ?? [];
}

/** Tells whether the time that was asked for had no room for as many trials as the plan has at least. */
function hasFewTrials(report: AnalysedCase, { caseLimitMs, trials }: AnalysedRun["run"]["plan"]): boolean {
  const isLimited = report.manifest.id in caseLimitMs;
  return isLimited && timesOf(report).some(({ byTrial }) => byTrial.length < trials.minimum);
}

/** Lists the comparisons of cases that have no verdict and may have one. */
function openIn(reports: readonly AnalysedCase[]): readonly Comparison[] {
  return reports.flatMap(timesOf).filter(({ verdict }) => verdict === "unclear" || verdict === "not warm");
}

/** Suggests more trials for warm cases with wide intervals: for those that they would probably decide, or else for all. */
function moreTrials(
  { plan }: AnalysedRun["run"],
  cases: readonly AnalysedCase[],
  candidates: readonly AnalysedCase[],
): readonly NextStep[] {
  const open = openIn(candidates);
  if (open.length === 0) {
    return [];
  }
  const had = Math.max(
    1,
    ...candidates.flatMap(({ lastByte }) => lastByte?.summaries.map(({ trials }) => trials) ?? []),
  );
  const twice = 2 * Math.max(USUAL_TRIALS, had);
  const isEnough = (trials: number) => countDecided(open, trials) === open.length;
  const trials = !isEnough(twice) && isEnough(2 * twice) ? 2 * twice : twice;
  const promising = candidates.filter((report) => countDecided(openIn([report]), trials) > 0);
  const reports = promising.length === 0 ? candidates : promising;
  const ms = expectedMs(cases, reports, trials);
  // Each trial keeps the time that it had.
  const limits = reports.flatMap(({ manifest }) => plan.caseLimitMs[manifest.id] ?? []);
  const caseMs = (Math.max(0, ...limits) * trials) / had;
  return [
    {
      why: "more-trials",
      cases: reports.map(({ manifest }) => manifest.id),
      options: openRecord([
        ["trials", String(trials)],
        ...(caseMs === 0 ? [] : [["time", secondsWord(caseMs)] as const]),
      ]),
      aboutMs: ms === 0 ? null : ms,
      open: open.length,
      decides: countDecided(open, trials),
    },
  ];
}

/** Counts the comparisons that a run with so many trials would probably decide. */
function countDecided(open: readonly Comparison[], trials: number): number {
  return open.filter((comparison) => (chanceOfVerdict(comparison, trials) ?? 0) >= PROBABLE_CHANCE).length;
}

/**
 * How long a run of some cases takes with so many trials of each, in milliseconds, by what this run took: its checks
 * before the first trial, its first trials, in which the warm-up may be searched for, its later ones, and the starts
 * between them.
 *
 * @param cases all cases of the run.
 * @param reports those of them that are measured again.
 */
export function expectedMs(
  cases: readonly Pick<AnalysedCase, "spent">[],
  reports: readonly Pick<AnalysedCase, "spent">[],
  trials: number,
): number {
  const spans = cases.flatMap(({ spent }) => spent.trials);
  if (spans.length === 0) {
    return 0;
  }
  const beganMs = Math.min(...spans.map(({ fromMs }) => fromMs));
  const endedMs = Math.max(...spans.map(({ untilMs }) => untilMs));
  // Trials come one after the other: what lies between them are stops and starts.
  const betweenMs =
    spans.length < 2 ? 0 : (endedMs - beganMs - sum(spans.map(lengthOfTrial))) / (spans.length - 1);
  const trialsMs = reports.map(({ spent }) => {
    const [first = 0, ...later] = spent.trials.map(lengthOfTrial);
    return first + (trials - 1) * (later.length === 0 ? first : mean(later)) + trials * betweenMs;
  });
  return beganMs + sum(trialsMs);
}

function lengthOfTrial({ fromMs, untilMs }: TrialSpan): number {
  return untilMs - fromMs;
}

/** Suggests more time for cases whose time was too short, or of which too few trials were warm: the most that one needs. */
function moreTime(
  { plan, warmUps }: AnalysedRun["run"],
  reports: readonly AnalysedCase[],
): readonly NextStep[] {
  if (reports.length === 0) {
    return [];
  }
  const times = reports.map(({ manifest: { id } }) => {
    const ofCase = warmUps.filter(({ caseId }) => caseId === id);
    const missing = ofCase.map(({ needed, exchanges }) => (needed ?? 0) / Math.max(1, exchanges));
    const more = Math.max(MORE_TIME, WARM_UP_MARGIN * Math.max(0, ...missing));
    return plan.neededMs?.[id] ?? more * (plan.caseLimitMs[id] ?? 0);
  });
  const ms = Math.max(0, ...times);
  const caseMs = ms === 0 ? USUAL_TIME_MS : Math.max(LEAST_TIME_MS, ms);
  const open = openIn(reports).length;
  return [
    {
      why: "more-time",
      cases: reports.map(({ manifest }) => manifest.id),
      options: openRecord([["time", secondsWord(caseMs)]]),
      aboutMs: reports.length * caseMs,
      open,
      decides: open,
    },
  ];
}

/** Writes a time as options take it, in whole seconds: "80s". */
function secondsWord(ms: number): string {
  return `${Math.ceil(ms / 1000)}s`;
}
