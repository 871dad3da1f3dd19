import type { JoinedAccount, Run, RunTarget, Sample } from "@evenbench/results";
import type { ReportData, ReportTarget } from "./data.ts";
import { byPlatform, platformColours } from "./platform-colour.ts";
import { type CpuPrice, pricesOf } from "./prices.ts";
import { fitMetrics, priorsOf, reportCase } from "./report-case.ts";
import { unprovenSentence } from "./same-work.ts";
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
  /** Default: those of the run's platforms. */
  readonly prices?: readonly CpuPrice[] | undefined;
  /** CPU time of single requests, where platforms were asked for it. */
  readonly accounts?: readonly JoinedAccount[];
}

/**
 * Says everything that a run's samples say. Pure: the same run and samples give the same data.
 */
export function analyseRun(
  run: Run,
  samples: SampleSource,
  { damage = [], prices = pricesOf(run.plan.targets), accounts = [] }: Beside = {},
): ReportData {
  const targets = inReportOrder(run);
  const fits = run.plan.cases.flatMap((manifest) =>
    fitMetrics(run, targets, manifest, [...samples.ofCase(manifest.id)]),
  );
  const priors = priorsOf(fits);
  const cases = run.plan.cases.map((manifest) => {
    const measured = {
      samples: [...samples.ofCase(manifest.id)],
      accounts: accounts.filter(({ caseId }) => caseId === manifest.id),
    };
    return reportCase(run, targets, manifest, measured, fits, priors);
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
