import {
  type JoinedAccount,
  type Run,
  type RunTarget,
  readProviderCpu,
  readRun,
  type Sample,
} from "@evenbench/results";
import { type CaseCosts, compareCosts, type Metric, priorOfCases } from "@evenbench/stats";
import { summarise } from "./answer.ts";
import { costsOf, fitMetrics, METRICS, reportCase, selectCase } from "./case-report.ts";
import type { ReportData } from "./data.ts";
import { baselineOf, byPlatform, type ReportTarget, shownTargets } from "./names.ts";
import { collectWarnings, unprovenSentence } from "./notices.ts";
import { pricesOf } from "./prices.ts";

/**
 * Analyses a run: the numbers, the verdicts and the notices of its report.
 *
 * @param damage what could not be read, a sentence each.
 * @param accounts CPU times of single requests that a platform gave.
 */
export function analyseRun(
  run: Run,
  samples: readonly Sample[],
  damage: readonly string[] = [],
  accounts: readonly JoinedAccount[] = [],
): ReportData {
  const targets = inReportOrder(run);
  const fitted = run.plan.cases.map((manifest) => {
    const measured = samples.filter(({ caseId }) => caseId === manifest.id);
    const setting = selectCase(run, targets, manifest, measured);
    return { setting, fits: fitMetrics(setting), costs: costsOf(setting) };
  });
  const fitsOf = (metric: Metric) =>
    fitted.flatMap(({ fits }) => fits.filter((fit) => fit.question.metric === metric));
  const priors = new Map(METRICS.map((metric) => [metric, priorOfCases(fitsOf(metric))]));
  const costs = compareCosts(fitted.map(({ costs }) => costs));
  const reports = fitted.map(({ setting, fits }, index) =>
    reportCase(setting, accounts, fits, priors, costs[index] as CaseCosts),
  );
  // Kind by kind, in the order of the plan.
  const cases = [...Map.groupBy(reports, ({ kindOfWork }) => kindOfWork).values()].flat();
  return {
    run,
    targets,
    cases,
    prices: pricesOf(run.plan.targets),
    warnings: collectWarnings(run, cases, damage),
    summary: summarise(targets, cases, unprovenSentence(run), run.plan.quick),
    additions: new Map(),
  };
}

/** Baselines first, A/A copies last. */
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

/** Finds what else a run's folder says of its cases, such as a sweep of loads, by the id of the case. */
export type AdditionsOf = (folder: string, data: ReportData) => Promise<ReportData["additions"]>;

/** The contents of a run's folder. */
interface AnalysedFolder {
  readonly data: ReportData;
  /** Damage of the samples, in words; null where all can be read. */
  readonly damage: string | null;
}

/**
 * Reads and analyses a run.
 *
 * @param additionsOf what else is known of its cases; by default nothing.
 * @throws {ResultsError} when the folder holds no run that can be read.
 */
export async function analyseFolder(
  folder: string,
  additionsOf: AdditionsOf = async () => new Map(),
): Promise<AnalysedFolder> {
  const { run, samples, damage } = await readRun(folder);
  const providerCpu = await readProviderCpu(folder);
  const damages = [damage, providerCpu.damage].filter((text) => text !== null);
  const analysed = analyseRun(run, samples, damages, providerCpu.accounts);
  const data = { ...analysed, additions: await additionsOf(folder, analysed) };
  return { data, damage };
}
