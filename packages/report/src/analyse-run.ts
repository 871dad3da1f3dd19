import type { CaseManifest, Run, RunTarget, Sample } from "@evenbench/core";
import { analyseCase, coldSummaries, type Metric, summariseCpu, workTimes } from "@evenbench/stats";
import { audit } from "./audit.ts";
import type { CaseReport, ReportData, ReportTarget } from "./data.ts";
import { cpuAgainstTime, middleTimelines } from "./instances.ts";
import { type CpuPrice, PUBLISHED_PRICES } from "./prices.ts";
import { type JoinedAccount, summariseProviderCpu } from "./provider-cpu.ts";
import { countErrors, targetSeries, timeMarks } from "./series.ts";
import { summarise } from "./summary.ts";
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
    summary: summarise(targets, cases),
    targets,
    cases,
    prices,
    additions: new Map(),
  };
}

/**
 * Baselines first, then in the order of the plan, twins last: so a baseline has the first colour in every report. Each app counts
 * its own, because only targets of one app stand in one figure.
 */
function inReportOrder({ plan }: Run): readonly ReportTarget[] {
  const baselines = new Set(plan.targets.map(({ twinOf }) => twinOf));
  const rank = ({ name, twinOf }: RunTarget) => (baselines.has(name) ? 0 : twinOf === null ? 1 : 2);
  const ordered = plan.targets.toSorted((a, b) => rank(a) - rank(b));
  const originals = ordered.filter(({ twinOf }) => twinOf === null);
  return ordered.map((target) => {
    const ofApp = originals.filter(({ app }) => app === target.app).map(({ name }) => name);
    return { ...target, colour: Math.max(0, ofApp.indexOf(target.twinOf ?? target.name)) };
  });
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
  const twin = targets.find(({ twinOf }) => twinOf !== null) ?? null;
  const originals = targets.filter(({ twinOf }) => twinOf === null).map(({ name }) => name);
  const baseline = twin?.twinOf ?? originals[0] ?? "";
  const measured = samples.some(({ phase, error }) => phase === "measure" && error === null);
  const analyse = (metric: Metric) =>
    measured
      ? analyseCase(samples, {
          caseId: manifest.id,
          metric,
          baseline,
          twin: twin?.name ?? null,
          targets: targets.map(({ name }) => name),
          precision: run.plan.precision,
          seed: run.plan.seed,
        })
      : null;
  const names = targets.map(({ name }) => name);
  const usage = run.usage.filter(({ caseId }) => caseId === manifest.id);
  const providerCpu = summariseProviderCpu(accounts, samples, targets, manifest.headline);
  return {
    manifest,
    baseline,
    targets: names,
    headline: analyse(manifest.headline),
    other: analyse(manifest.headline === "lastByteMs" ? "firstByteMs" : "lastByteMs"),
    cpu: summariseCpu(usage, names, baseline),
    work: workTimes(samples, names, baseline),
    cold: coldSummaries(
      run.coldStarts.filter(({ caseId }) => caseId === manifest.id),
      samples,
      names,
      baseline,
    ),
    timelines: middleTimelines(
      run.timelines.filter(({ caseId }) => caseId === manifest.id),
      names,
    ),
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
    audit: audit(
      manifest.id,
      samples,
      run.clientLoad.filter(({ caseId }) => caseId === manifest.id),
    ),
    marks: timeMarks(
      samples,
      run.events.filter(({ caseId }) => caseId === manifest.id),
    ),
  };
}
