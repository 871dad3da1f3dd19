import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CaseManifest } from "@evenbench/core";
import {
  type JoinedAccount,
  ResultsError,
  type Run,
  type RunSummary,
  type RunTarget,
  readProviderCpu,
  readRun,
  readSummary,
  type Sample,
  SUMMARY_FILE,
} from "@evenbench/results";
import {
  analyseFit,
  analyseVantages,
  type CaseFit,
  coldSummaries,
  computeTimes,
  fitCase,
  type Metric,
  oneProcessTargets,
  type Prior,
  pairRatios,
  partTimes,
  priorOfCases,
  summariseCpu,
  type Warm,
  warmInstances,
  warmUpCurves,
} from "@evenbench/stats";
import { objectionsTo } from "./across/objections.ts";
import { summarise } from "./answer.ts";
import { auditAll } from "./audit.ts";
import type { CaseReport, ReportData, ReportTarget } from "./data.ts";
import { summaryOf } from "./export/summary.ts";
import { byPlatform, platformColours } from "./names.ts";
import { collectWarnings, unprovenCases, unprovenSentence } from "./notices.ts";
import { type CpuPrice, pricesOf } from "./prices.ts";
import { drawnKinds } from "./remarks.ts";
import { countErrors, middleTimelines, summariseProviderCpu, targetSeries, timeSpent } from "./series.ts";
import { byVantages } from "./vantages.ts";

/** Where samples come from: case by case, so that only one case's are objects at a time. */
export interface SampleSource {
  ofCase(caseId: string): Iterable<Sample>;
}

export interface Beside {
  readonly damage?: readonly string[];
  /** Default: those of the run's platforms. */
  readonly prices?: readonly CpuPrice[] | undefined;
  readonly accounts?: readonly JoinedAccount[];
}

/** Says everything that a run's samples say. */
export function analyseRun(
  run: Run,
  samples: SampleSource,
  { damage = [], prices = pricesOf(run.plan.targets), accounts = [] }: Beside = {},
): ReportData {
  const targets = inReportOrder(run);
  const fitted = run.plan.cases.map((manifest) => ({
    manifest,
    own: fitMetrics(run, targets, manifest, [...samples.ofCase(manifest.id)]),
  }));
  const priors = priorsOf(fitted.flatMap(({ own }) => own.fits));
  const cases = fitted.map(({ manifest, own }) => {
    const measured = {
      samples: [...samples.ofCase(manifest.id)],
      accounts: accounts.filter(({ caseId }) => caseId === manifest.id),
    };
    return reportCase(run, targets, manifest, measured, own, priors);
  });
  return {
    run,
    warnings: collectWarnings(run, cases, damage),
    summary: summarise(targets, cases, unprovenSentence(run)),
    targets,
    cases,
    prices,
    additions: new Map(),
  };
}

/** Baselines first, A/A copies last, apps as in the plan; within that, platforms in the one order of all pages. */
export function inReportOrder({ plan }: Run): readonly ReportTarget[] {
  const colours = platformColours(plan.targets);
  const baselines = new Set([...Map.groupBy(plan.targets, ({ app }) => app).values()].map(baselineOf));
  const rank = ({ name, copyOf }: RunTarget) => (baselines.has(name) ? 0 : copyOf === null ? 1 : 2);
  const apps = [...new Set(plan.targets.map(({ app }) => app))];
  const ordered = plan.targets.toSorted(
    (a, b) => rank(a) - rank(b) || apps.indexOf(a.app) - apps.indexOf(b.app) || byPlatform(a, b),
  );
  return ordered.map((target) => ({ ...target, colour: colours.get(target.name) ?? 0 }));
}

/** Of an app's targets the one that has an A/A copy; without one, the first of the plan. */
function baselineOf(targets: readonly RunTarget[]): string | undefined {
  const copy = targets.find(({ copyOf }) => copyOf !== null);
  return copy?.copyOf ?? targets[0]?.name;
}

export type AdditionsOf = (folder: string, data: ReportData) => Promise<ReportData["additions"]>;

export interface AnalysedFolder {
  readonly data: ReportData;
  /** Why the run has nothing to say about others: it is damaged, or did not end. */
  readonly objections: readonly string[];
  readonly damage: string | null;
}

export async function analyseFolder(
  folder: string,
  prices?: readonly CpuPrice[],
  additionsOf: AdditionsOf = async () => new Map(),
): Promise<AnalysedFolder> {
  const { run, samples, damage } = await readRun(folder);
  const told = await readProviderCpu(folder);
  const analysed = analyseRun(run, samples, {
    damage: [damage, told.damage].filter((one) => one !== null),
    prices,
    accounts: told.accounts,
  });
  const data = { ...analysed, additions: await additionsOf(folder, analysed) };
  return { data, objections: objectionsTo({ run, damage }), damage };
}

/** A run, and what its report says of it. */
export interface SummarisedRun {
  readonly run: Run;
  readonly summary: RunSummary;
}

/**
 * From its summary, or, where it has none that can be read, from its samples.
 *
 * @throws {ResultsError} when the folder holds no run that can be read.
 */
export async function readSummarised(folder: string): Promise<SummarisedRun> {
  if (existsSync(join(folder, SUMMARY_FILE))) {
    try {
      return await readSummary(folder);
    } catch (error) {
      // Its run cannot be read either, or it is of another version.
      if (!(error instanceof ResultsError)) throw error;
    }
  }
  const { data, damage } = await analyseFolder(folder);
  return { run: data.run, summary: summaryOf(data, damage) };
}

interface Measured {
  readonly samples: readonly Sample[];
  readonly accounts: readonly JoinedAccount[];
}

type Setting = ReturnType<typeof settingOf>;

/** What the cases of a run say together about the scatter of instances, by metric. */
type Priors = ReadonlyMap<Metric, Prior>;

/** A case in each metric, and which of its instances were warm. */
export interface CaseFits {
  readonly warm: Warm;
  readonly fits: readonly CaseFit[];
}

/** The first of two steps, since cases inform each other. */
export function fitMetrics(
  run: Run,
  all: readonly ReportTarget[],
  manifest: CaseManifest,
  samples: readonly Sample[],
): CaseFits {
  const warm = warmInstances(samples, run.warmUps);
  const { isMeasured, question } = settingOf(run, all, manifest, { samples, accounts: [] }, warm);
  return {
    warm,
    fits: METRICS.flatMap((metric) => (isMeasured(metric) ? [fitCase(samples, question(metric))] : [])),
  };
}

const METRICS: readonly Metric[] = ["firstByteMs", "lastByteMs", "cpuMs"];

function priorsOf(fits: readonly CaseFit[]): Priors {
  return new Map(
    METRICS.map((metric) => [metric, priorOfCases(fits.filter((fit) => fit.question.metric === metric))]),
  );
}

/** Says everything that the samples of one case say. */
function reportCase(
  run: Run,
  all: readonly ReportTarget[],
  manifest: CaseManifest,
  measured: Measured,
  { warm, fits }: CaseFits,
  priors: Priors,
): CaseReport {
  const setting = settingOf(run, all, manifest, measured, warm);
  const { targets, names, baseline, samples } = setting;
  const { headline: metric } = manifest;
  const report: CaseReport = {
    manifest,
    isUnproven: unprovenCases(run).has(manifest.id),
    kindOfWork: manifest.kind ?? targets[0]?.app ?? manifest.id,
    baseline,
    targets: names,
    warm: warm.cpuTime,
    ...comparisonsOf(manifest, fits, priors),
    ...instancesOf(setting),
    ...cpuOf(setting),
    ...courseOf(setting),
    computeTimes: computeTimes(samples, setting.question("lastByteMs")),
    vantages: null,
  };
  if (run.vantages === undefined) return report;
  return byVantages(report, analyseVantages(samples, setting.question(metric)));
}

function settingOf(
  run: Run,
  all: readonly ReportTarget[],
  manifest: CaseManifest,
  { samples, accounts }: Measured,
  warm: Warm,
) {
  // Apps have cases of their own: a case is compared among the targets of the apps that served it.
  const seen = new Set(samples.map(({ target }) => target));
  const apps = new Set(all.filter(({ name }) => seen.has(name)).map(({ app }) => app));
  const targets = all.filter(({ app }) => apps.has(app));
  const names = targets.map(({ name }) => name);
  const copy = targets.find(({ copyOf }) => copyOf !== null) ?? null;
  const originals = targets.filter(({ copyOf }) => copyOf === null).map(({ name }) => name);
  const baseline = copy?.copyOf ?? originals[0] ?? "";
  const lasting = oneProcessTargets(targets, samples);
  return {
    manifest,
    targets,
    names,
    baseline,
    warm,
    samples,
    accounts,
    run,
    /** What a run keeps of all cases, of this one. */
    own: <T extends { readonly caseId: string | null }>(kept: readonly T[]) =>
      kept.filter(({ caseId }) => caseId === manifest.id),
    isMeasured: (metric: Metric) =>
      samples.some(
        ({ phase, error, [metric]: value }) => phase === "measure" && error === null && value !== null,
      ),
    question: (metric: Metric) => ({
      caseId: manifest.id,
      metric,
      baseline,
      copy: copy?.name ?? null,
      targets: names,
      warm: metric === "cpuMs" ? warm.cpuTime : warm.times,
      lasting,
    }),
  };
}

function comparisonsOf({ id, headline }: CaseManifest, fits: readonly CaseFit[], priors: Priors) {
  const analyse = (metric: Metric) => {
    const fit = fits.find(({ question }) => question.caseId === id && question.metric === metric);
    const prior = priors.get(metric);
    return fit === undefined
      ? { analysis: null, pairs: [] }
      : { analysis: analyseFit(fit, prior), pairs: pairRatios(fit, prior) };
  };
  const [main, cpuTime] = [analyse(headline), analyse("cpuMs")];
  return {
    headline: main.analysis,
    other: analyse(headline === "lastByteMs" ? "firstByteMs" : "lastByteMs").analysis,
    cpuTime: cpuTime.analysis,
    pairs: { headline: main.pairs, cpuTime: cpuTime.pairs },
  };
}

function instancesOf({ run, manifest, names, samples, warm, own, isMeasured, question }: Setting) {
  const timelines = own(run.timelines);
  return {
    curves: warmUpCurves(samples, own(run.warmUps), names, warm.cpuTime),
    kinds: drawnKinds(samples, names, isMeasured("cpuMs") ? "cpuMs" : manifest.headline, warm.cpuTime),
    cold: coldSummaries(own(run.coldStarts), samples, question(manifest.headline)),
    timelines: middleTimelines(timelines, names),
    partTimes: partTimes(timelines, question(manifest.headline)),
  };
}

function cpuOf({ run, targets, samples, accounts, own, question }: Setting) {
  return {
    cpu: summariseCpu(own(run.usage), question("cpuMs")),
    providerCpu: summariseProviderCpu(accounts, samples, targets),
  };
}

function courseOf({ run, manifest, names, samples, own }: Setting) {
  return {
    series: names.map((name) => targetSeries(samples, name, manifest.headline)),
    errors: countErrors(samples),
    audit: auditAll(manifest.id, samples, own(run.clientLoad)),
    spent: timeSpent(samples),
  };
}
