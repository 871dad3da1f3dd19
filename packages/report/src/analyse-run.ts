import {
  type JoinedAccount,
  type Run,
  type RunTarget,
  readProviderCpu,
  readRunTable,
  type SampleTable,
} from "@evenbench/results";
import {
  type CaseCosts,
  compareCosts,
  compareStartUps,
  countControls,
  type Metric,
  priorOfCases,
  type StartUpCost,
} from "@evenbench/stats";
import { type AnalysedCase, fitReport, METRICS, reportCase } from "./analysed-case.ts";
import { selectCase } from "./case-data.ts";
import { limitHeapGrowth } from "./heap.ts";
import { baselineOf, byPlatform, type ReportTarget, shownTargets } from "./shown-targets.ts";

/** A run that was analysed: what its facts are made from. */
export interface AnalysedRun {
  readonly run: Run;
  /** The run's targets: baselines first, A/A copies last. */
  readonly targets: readonly ReportTarget[];
  /** All cases, in the order of the plan. */
  readonly cases: readonly AnalysedCase[];
  /** The CPU time of starts, of the targets that were started for it. */
  readonly startUps: readonly StartUpCost[];
}

/**
 * Analyses a run: the numbers and the verdicts of its cases.
 *
 * @param samples are taken out of their table, case by case: with millions, none is kept longer than it is needed.
 * @param accounts of CPU time that platforms gave of single requests.
 */
export function analyseRun(
  run: Run,
  samples: SampleTable,
  accounts: readonly JoinedAccount[] = [],
): AnalysedRun {
  const targets = inReportOrder(run);
  const fitted = run.plan.cases.map((manifest) => {
    const setting = selectCase(run, targets, manifest, samples.takeCase(manifest.id));
    return fitReport(setting, accounts);
  });
  const fitsOf = (metric: Metric) =>
    fitted.flatMap(({ fits }) => fits.filter((fit) => fit.question.metric === metric));
  const ofRun = {
    priors: new Map(METRICS.map((metric) => [metric, priorOfCases(fitsOf(metric))])),
    controls: countControls(fitted.flatMap(({ fits }) => fits)),
  };
  const costs = compareCosts(fitted.map((fit) => fit.costs));
  const cases = fitted.map((fit, index) => reportCase(fit, costs[index] as CaseCosts, ofRun));
  return { run, targets, cases, startUps: startUpsOf(run, targets) };
}

/** Compares the starts of a run's targets: each app has a baseline of its own. */
function startUpsOf({ plan, startUps = [] }: Run, targets: readonly ReportTarget[]): readonly StartUpCost[] {
  const originals = targets.filter(({ copyOf }) => copyOf === null);
  return [...Map.groupBy(originals, ({ app }) => app).values()].flatMap((ofApp) =>
    compareStartUps(startUps, {
      baseline: baselineOf(ofApp),
      copy: null,
      targets: ofApp.map(({ name }) => name),
      compares: plan.quick !== true,
    }),
  );
}

/** Lists a run's targets in the order of reports, with names and colours: baselines first, A/A copies last. */
export function inReportOrder({ plan }: Run): readonly ReportTarget[] {
  const baselines = new Set([...Map.groupBy(plan.targets, ({ app }) => app).values()].map(baselineOf));
  const rank = ({ name, copyOf }: RunTarget): number => {
    if (baselines.has(name)) {
      return 0;
    }
    return copyOf === null ? 1 : 2;
  };
  const apps = [...new Set(plan.targets.map(({ app }) => app))];
  return shownTargets(plan.targets).toSorted(
    (a, b) => rank(a) - rank(b) || apps.indexOf(a.app) - apps.indexOf(b.app) || byPlatform(a, b),
  );
}

interface AnalysedFolder {
  /** What its facts are made from. */
  readonly data: AnalysedRun;
  /** Damage of the samples, in words; null where all can be read. */
  readonly damage: string | null;
  /** That, and damage of what lies beside the samples. */
  readonly damages: readonly string[];
}

/** Reads and analyses a run. @throws {ResultsError} when the folder holds no run that can be read. */
export async function analyseFolder(folder: string): Promise<AnalysedFolder> {
  limitHeapGrowth();
  const { run, samples, damage } = await readRunTable(folder);
  const providerCpu = await readProviderCpu(folder);
  const damages = [damage, providerCpu.damage].filter((text) => text !== null);
  const { accounts } = providerCpu;
  const data = analyseRun(run, samples, accounts);
  return { data, damage, damages };
}
