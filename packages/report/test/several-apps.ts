import { type Run, SampleTable } from "@evenbench/results";
import { analyseRun, type ReportData } from "../src/index.ts";
import { type SyntheticOptions, syntheticRun, syntheticSamples } from "./synthetic.ts";

/** The same run for each app, as one: its targets and cases have the app's id before their names. */
export function analysedApps(apps: readonly string[], options: SyntheticOptions): ReportData {
  const run = syntheticRun(options);
  const samples = [...syntheticSamples(run, options)];
  const runs = apps.map((app) => ofApp(run, app));
  const all = <T>(of: (one: Run) => readonly T[]): T[] => runs.flatMap(of);
  const allOf = <T>(of: (one: Run) => Readonly<Record<string, T>>): Record<string, T> =>
    Object.assign({}, ...runs.map(of));
  const together: Run = {
    ...run,
    plan: {
      ...run.plan,
      cases: all(({ plan }) => plan.cases),
      targets: all(({ plan }) => plan.targets),
      caseBudgetMs: allOf(({ plan }) => plan.caseBudgetMs),
    },
    usage: all(({ usage }) => usage),
    timelines: all(({ timelines }) => timelines),
    coldStarts: all(({ coldStarts }) => coldStarts),
    deployables: allOf(({ deployables }) => deployables),
    identities: allOf(({ identities }) => identities),
  };
  return analyseRun(
    together,
    SampleTable.from(apps.flatMap((app) => samples.map((one) => placed(one, app)))),
  );
}

const named = (app: string, name: string) => `${app}-${name}`;

function placed<T extends { readonly caseId: string; readonly target: string }>(one: T, app: string): T {
  return { ...one, caseId: named(app, one.caseId), target: named(app, one.target) };
}

function renamed<T>(record: Readonly<Record<string, T>>, app: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [named(app, name), value]));
}

function ofApp(run: Run, app: string): Run {
  const { plan } = run;
  const identities = Object.entries(renamed(run.identities, app));
  return {
    ...run,
    plan: {
      ...plan,
      cases: plan.cases.map((one) => ({ ...one, id: named(app, one.id) })),
      targets: plan.targets.map((one) => ({
        ...one,
        app,
        name: named(app, one.name),
        copyOf: one.copyOf === null ? null : named(app, one.copyOf),
      })),
      caseBudgetMs: renamed(plan.caseBudgetMs, app),
    },
    usage: run.usage.map((one) => placed(one, app)),
    timelines: run.timelines.map((one) => placed(one, app)),
    coldStarts: run.coldStarts.map((one) => placed(one, app)),
    deployables: renamed(run.deployables, app),
    identities: Object.fromEntries(identities.map(([name, identity]) => [name, { ...identity, app }])),
  };
}
