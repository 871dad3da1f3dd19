import type { CaseManifest } from "@evenbench/core";
import type { JoinedAccount, Run, RunTarget, Sample } from "@evenbench/results";
import {
  analyseCase,
  analyseVantages,
  coldSummaries,
  computeTimes,
  type Metric,
  pairRatios,
  partTimes,
  summariseCpu,
  warmInstances,
  warmUpCurves,
} from "@evenbench/stats";
import { auditAll } from "./audit.ts";
import type { CaseReport, ReportData, ReportTarget } from "./data.ts";
import { cpuAgainstTime, middleTimelines } from "./instances.ts";
import { drawnKinds } from "./kinds.ts";
import { byPlatform, platformColours } from "./platform-colour.ts";
import { type CpuPrice, PUBLISHED_PRICES } from "./prices.ts";
import { summariseProviderCpu } from "./provider-cpu.ts";
import { unprovenCases, unprovenSentence } from "./same-work.ts";
import { countErrors, targetSeries, timeMarks } from "./series.ts";
import { summarise } from "./summary.ts";
import { byVantages } from "./vantages/by-vantages.ts";
import { collectWarnings } from "./warnings.ts";

/** Where samples come from: case by case, so that only one case's are objects at a time. */
export interface SampleSource {
  ofCase(caseId: string): Iterable<Sample>;
}

/** What a report is made of beside a run and its samples. */
export interface Beside {
  /** What could not be read. */
  readonly damage?: readonly string[];
  readonly prices?: readonly CpuPrice[];
  /** CPU time of single requests, where platforms were asked for it. */
  readonly accounts?: readonly JoinedAccount[];
}

/**
 * Says everything that a run's samples say. Pure: the same run and samples give the same data.
 */
export function analyseRun(
  run: Run,
  samples: SampleSource,
  { damage = [], prices = PUBLISHED_PRICES, accounts = [] }: Beside = {},
): ReportData {
  const targets = inReportOrder(run);
  const cases = run.plan.cases.map((manifest) =>
    reportCase(
      run,
      targets,
      manifest,
      [...samples.ofCase(manifest.id)],
      accounts.filter(({ caseId }) => caseId === manifest.id),
    ),
  );
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
function inReportOrder({ plan }: Run): readonly ReportTarget[] {
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

function reportCase(
  run: Run,
  all: readonly ReportTarget[],
  manifest: CaseManifest,
  samples: readonly Sample[],
  accounts: readonly JoinedAccount[],
): CaseReport {
  // Apps have cases of their own: a case is compared among the targets of the apps that served it.
  const seen = new Set(samples.map(({ target }) => target));
  const apps = new Set(all.filter(({ name }) => seen.has(name)).map(({ app }) => app));
  const targets = all.filter(({ app }) => apps.has(app));
  const copy = targets.find(({ copyOf }) => copyOf !== null) ?? null;
  const originals = targets.filter(({ copyOf }) => copyOf === null).map(({ name }) => name);
  const baseline = copy?.copyOf ?? originals[0] ?? "";
  const warm = warmInstances(samples, run.warmUps);
  const isMeasured = (metric: Metric) =>
    samples.some((sample) => sample.phase === "measure" && sample.error === null && sample[metric] !== null);
  const question = (metric: Metric) => ({
    caseId: manifest.id,
    metric,
    baseline,
    copy: copy?.name ?? null,
    targets: targets.map(({ name }) => name),
    precision: run.plan.precision,
    warm,
    seed: run.plan.seed,
  });
  const analyse = (metric: Metric) => (isMeasured(metric) ? analyseCase(samples, question(metric)) : null);
  const pairsIn = (metric: Metric) => (isMeasured(metric) ? pairRatios(samples, question(metric)) : []);
  const names = targets.map(({ name }) => name);
  const timelines = run.timelines.filter(({ caseId }) => caseId === manifest.id);
  const usage = run.usage.filter(({ caseId }) => caseId === manifest.id);
  const providerCpu = summariseProviderCpu(accounts, samples, targets, manifest.headline);
  const report: CaseReport = {
    manifest,
    isUnproven: unprovenCases(run).has(manifest.id),
    kindOfWork: manifest.kind ?? targets[0]?.app ?? manifest.id,
    baseline,
    targets: names,
    headline: analyse(manifest.headline),
    other: analyse(manifest.headline === "lastByteMs" ? "firstByteMs" : "lastByteMs"),
    cpuTime: analyse("cpuMs"),
    pairs: { headline: pairsIn(manifest.headline), cpuTime: pairsIn("cpuMs") },
    curves: warmUpCurves(samples, run.warmUps, names, warm),
    kinds: drawnKinds(samples, names, isMeasured("cpuMs") ? "cpuMs" : manifest.headline, warm),
    warm,
    cpu: summariseCpu(usage, names, baseline),
    computeTimes: computeTimes(samples, names, baseline),
    cold: coldSummaries(
      run.coldStarts.filter(({ caseId }) => caseId === manifest.id),
      samples,
      names,
      baseline,
    ),
    timelines: middleTimelines(timelines, names),
    partTimes: partTimes(timelines, question(manifest.headline)),
    providerCpu,
    cpuAgainstTime: [
      ...cpuAgainstTime(usage, samples, manifest.headline),
      // Where the system here has no account, the platform's stands in its place.
      ...providerCpu.flatMap(({ target, points }) =>
        usage.some((one) => one.target === target) ? [] : points,
      ),
    ],
    series: names.map((name) => targetSeries(samples, name, manifest.headline)),
    errors: countErrors(samples),
    audit: auditAll(
      manifest.id,
      samples,
      run.clientLoad.filter(({ caseId }) => caseId === manifest.id),
    ),
    vantages: null,
    marks: timeMarks(
      samples,
      run.events.filter(({ caseId }) => caseId === manifest.id),
    ),
  };
  if (run.vantages === undefined) return report;
  const { headline: metric } = manifest;
  return byVantages(report, analyseVantages(samples, { ...question(metric), metric, warm }));
}
