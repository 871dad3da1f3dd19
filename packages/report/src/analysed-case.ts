import type { CaseManifest } from "@evenbench/core";
import type { JoinedAccount } from "@evenbench/results";
import {
  type AnsweredBy,
  analyseFit,
  type CaseAnalysis,
  type CaseCosts,
  type CaseFit,
  type CostFits,
  changeOfSpeed,
  fitCase,
  fitCosts,
  type Metric,
  nonBaselinesOf,
  type Prior,
  type RatioInterval,
  type WarmInstances,
} from "@evenbench/stats";
import { type AuditFinding, audit } from "./audit.ts";
import { type CaseData, unprovenCases } from "./case-data.ts";
import type { TargetDrift } from "./drift.ts";
import type { CaseDetails } from "./facts/details.ts";
import { type PlacedFindings, placedFindings } from "./facts/places.ts";
import {
  type CountedError,
  countCacheAnswers,
  countErrors,
  type ProviderCpuSummary,
  quantilesOf,
  type ResponseSize,
  responseSizes,
  summariseProviderCpu,
  type TimeSpent,
  timeSpent,
} from "./series.ts";
import { warmUpCurves } from "./warm-up-curve.ts";

/** A case's comparisons with one target in the place of the baseline. */
interface ComparedAgainst {
  readonly baseline: string;
  /** Analysis of the time to the last byte; null where nothing was measured. */
  readonly lastByte: CaseAnalysis | null;
  /** Analysis of the CPU time of exchanges; null where the system does not account for that. */
  readonly cpuTime: CaseAnalysis | null;
}

/** The identity of a case, and the targets that served it. */
interface CaseHead {
  readonly manifest: CaseManifest;
  /** The names of the targets that served the case, A/A copies too. */
  readonly targets: readonly string[];
  /** Who made its answers: what was not computed is not compared. */
  readonly from: AnsweredBy;
  /** True where answers differed, and the user had them compared anyway. */
  readonly isUnproven: boolean;
  /** The kind of work by which cases are grouped; the app for cases without one. */
  readonly kindOfWork: string;
}

/** The figures that a case's samples give beside its comparisons; some of them are details as they are. */
interface CaseFigures extends Pick<CaseDetails, "distributions" | "warmUps" | "coldTrials" | "cacheAnswers"> {
  /** CPU time as platforms account for it; empty where none does. */
  readonly providerCpu: readonly ProviderCpuSummary[];
  /** The length of each target's answers; a target without one is missing. */
  readonly responses: readonly ResponseSize[];
  /** Failed exchanges of all phases. */
  readonly errors: readonly CountedError[];
  readonly spent: TimeSpent;
  /** How the times of its targets moved within trials; empty where several places asked. */
  readonly drifts: readonly TargetDrift[];
  /** Findings that make its numbers doubtful. */
  readonly audit: readonly AuditFinding[];
  /** What several places found, in the place of ratios; null where one client measured. */
  readonly placed: PlacedFindings | null;
}

/** The report of one case. */
export interface AnalysedCase extends CaseHead, ComparedAgainst, CaseCosts, CaseFigures {
  /** Analysis of the time to the first byte; null where nothing was measured. */
  readonly firstByte: CaseAnalysis | null;
  /** How many times as long all targets took in the slowest trial as in the fastest one; null where nothing tells. */
  readonly speed: RatioInterval | null;
  /** The comparisons with each other target as the baseline; empty for runs from several places and quick ones. */
  readonly against: readonly ComparedAgainst[];
}

/** The time that verdicts are about: until the last byte. */
const TIME: Metric = "lastByteMs";

/** Metrics that are compared, in the order of the report. */
export const METRICS: readonly Metric[] = ["firstByteMs", "lastByteMs", "cpuMs"];

function fitMetrics({ samples, question }: CaseData): readonly CaseFit[] {
  const answered = samples.filter(({ phase, error }) => phase === "measure" && error === null);
  const measured = METRICS.filter((metric) => answered.some((sample) => sample[metric] !== null));
  return measured.map((metric) => fitCase(samples, question(metric)));
}

/** Fits what is measured beside times: CPU time, compute time, cold starts and the parts of a page. */
function costsOf({ run, samplesForFigures, onlyThisCase, question }: CaseData): CostFits {
  const usage = onlyThisCase(run.usage);
  const coldStarts = onlyThisCase(run.coldStarts);
  const timelines = onlyThisCase(run.timelines);
  return fitCosts({ samples: samplesForFigures, usage, coldStarts, timelines }, question);
}

/** A case that was fitted and is not compared yet. It holds no samples: those of all cases need not be there at once. */
export interface FittedCase {
  readonly head: CaseHead;
  /** The name of the target that the others are compared with. */
  readonly baseline: string;
  /** The names of the targets that take the baseline's place in turn. */
  readonly otherBaselines: readonly string[];
  /** The fit of each metric that was measured. */
  readonly fits: readonly CaseFit[];
  /** The fits of CPU time, compute time, cold starts and the parts of a page. */
  readonly costs: CostFits;
  readonly figures: CaseFigures;
}

/**
 * Makes all that a report takes from a case's samples: the first of two steps, since the second, `reportCase`, needs
 * what all cases say of the variance of one.
 *
 * @param accounts of CPU time that platforms gave of single requests.
 */
export function fitReport(setting: CaseData, accounts: readonly JoinedAccount[]): FittedCase {
  const { run, manifest, targets, names, baseline, warm, from, samples, samplesForFigures } = setting;
  const { onlyThisCase, question } = setting;
  const { kind } = manifest;
  const originals = targets.flatMap(({ name, copyOf }) => (copyOf === null ? name : []));
  const placed = run.vantages === undefined ? null : placedFindings(samples, question(TIME));
  const { findings, drifts } = audit(samples, onlyThisCase(run.clientLoad));
  const isTurned = placed === null && run.plan.quick !== true && from === "computed";
  return {
    head: {
      manifest,
      targets: names,
      from,
      isUnproven: unprovenCases(run).has(manifest.id),
      kindOfWork: kind ?? targets[0]?.app ?? manifest.id,
    },
    baseline,
    otherBaselines: isTurned ? nonBaselinesOf(question(TIME)) : [],
    fits: fitMetrics(setting),
    costs: costsOf(setting),
    figures: {
      warmUps: warmUpCurves(samplesForFigures, onlyThisCase(run.warmUps), names, warm.cpuTime),
      distributions: quantilesOf(samplesForFigures, names, TIME),
      providerCpu: summariseProviderCpu(onlyThisCase(accounts), samples, targets),
      cacheAnswers: countCacheAnswers(samples, originals),
      responses: responseSizes(samples, names),
      coldTrials: names.flatMap((target) => coldTrialsOf(target, warm.times)),
      errors: countErrors(samples),
      spent: timeSpent(samples),
      drifts,
      audit: findings,
      placed,
    },
  };
}

/** What all cases of a run say together. */
export interface RunKnown {
  /** Priors of a case's variance, by metric. */
  readonly priors: ReadonlyMap<Metric, Prior>;
  /** Number of the run's A/A controls. */
  readonly controls: number;
}

/** Lists the trials of a target that do not count, since it was not warm in them. */
function coldTrialsOf(target: string, warm: WarmInstances): CaseDetails["coldTrials"] {
  return [...(warm.get(target) ?? [])].flatMap(([trial, why]) =>
    why === null ? [] : { target, trial, why },
  );
}

/**
 * Compares the targets of a case, and gathers what a report says of it: the second of two steps.
 *
 * @param fitted what `fitReport` gave.
 * @param costs the case's costs, which were compared with those of all cases.
 * @param ofRun what all cases of the run say together.
 */
export function reportCase(
  { head, baseline, otherBaselines, fits, figures }: FittedCase,
  costs: CaseCosts,
  { priors, controls }: RunKnown,
): AnalysedCase {
  const { placed } = figures;
  const fitOf = (metric: Metric) => fits.find(({ question }) => question.metric === metric);
  const times = fitOf(TIME);
  const analyse = (metric: Metric, by?: string) => {
    const fit = fitOf(metric);
    if (fit === undefined) {
      return null;
    }
    const analysis = analyseFit(fit, priors.get(metric), { baseline: by, controls });
    return placed === null ? analysis : withoutComparisons(analysis);
  };
  const against = (by: string): ComparedAgainst => ({
    baseline: by,
    lastByte: analyse(TIME, by),
    cpuTime: analyse("cpuMs", by),
  });
  return {
    ...head,
    ...against(baseline),
    firstByte: analyse("firstByteMs"),
    speed: times === undefined ? null : changeOfSpeed(times),
    against: otherBaselines.map(against),
    ...figures,
    ...costs,
  };
}

/** Leaves out of an analysis what would mix the routes of several places: its comparisons and intervals. */
function withoutComparisons(analysis: CaseAnalysis): CaseAnalysis {
  return {
    ...analysis,
    summaries: analysis.summaries.map((summary) => ({ ...summary, medianLowMs: null, medianHighMs: null })),
    comparisons: [],
    control: null,
    isControlBroken: false,
  };
}
