import type { CaseManifest } from "@evenbench/core";
import type { JoinedAccount, Run, RunTarget, Sample } from "@evenbench/results";
import {
  analyseFit,
  type CaseAnalysis,
  type CaseCosts,
  type CaseFit,
  type Comparison,
  type CostFits,
  fitCase,
  fitCosts,
  type Metric,
  oneProcessTargets,
  type Prior,
  pairRatios,
  warmInstances,
} from "@evenbench/stats";
import { audit } from "./audit.ts";
import { drawnKinds } from "./kinds.ts";
import { countErrors, summariseProviderCpu, timeSpent } from "./series.ts";
import { seenByVantages } from "./vantage-rows.ts";
import { warmUpCurves } from "./warm-up-curve.ts";

export interface ReportTarget extends RunTarget {
  readonly colour: number;
}

export type Setting = ReturnType<typeof settingOf>;

export const METRICS: readonly Metric[] = ["firstByteMs", "lastByteMs", "cpuMs"];

/** The first of two steps, since cases inform each other. */
export function fitMetrics({ samples, isMeasured, question }: Setting): readonly CaseFit[] {
  return METRICS.filter(isMeasured).map((metric) => fitCase(samples, question(metric)));
}

export function costsOf({ run, manifest, samples, own, question }: Setting): CostFits {
  const measured = {
    ...{ samples, usage: own(run.usage) },
    ...{ coldStarts: own(run.coldStarts), timelines: own(run.timelines) },
  };
  return fitCosts(measured, question, manifest.headline);
}

/** What several forms of a report say of one case; what sections alone say is theirs. */
export function reportCase(
  setting: Setting,
  accounts: readonly JoinedAccount[],
  fits: readonly CaseFit[],
  priors: ReadonlyMap<Metric, Prior>,
  costs: CaseCosts,
) {
  const { run, manifest, targets, names, baseline, warm, samples, own, isMeasured, question } = setting;
  const { headline, kind } = manifest;
  const analyse = (metric: Metric) => {
    const fit = fits.find((one) => one.question.metric === metric);
    const prior = priors.get(metric);
    return fit === undefined
      ? { analysis: null, pairs: [] }
      : { analysis: analyseFit(fit, prior), pairs: pairRatios(fit, prior) };
  };
  const [main, cpuTime] = [analyse(headline), analyse("cpuMs")];
  return {
    manifest,
    baseline,
    targets: names,
    isUnproven: unprovenCases(run).has(manifest.id),
    kindOfWork: kind ?? targets[0]?.app ?? manifest.id,
    headline: main.analysis,
    other: analyse(headline === "lastByteMs" ? "firstByteMs" : "lastByteMs").analysis,
    cpuTime: cpuTime.analysis,
    pairs: { headline: main.pairs, cpuTime: cpuTime.pairs },
    curves: warmUpCurves(samples, own(run.warmUps), names, warm.cpuTime),
    kinds: drawnKinds(samples, names, isMeasured("cpuMs") ? "cpuMs" : headline, warm.cpuTime),
    /** What sections took of the samples, by their titles. */
    measured: new Map<string, readonly unknown[]>() as ReadonlyMap<string, readonly unknown[]>,
    ...costs,
    providerCpu: summariseProviderCpu(own(accounts), samples, targets),
    errors: countErrors(samples),
    audit: audit(manifest.id, samples, own(run.clientLoad)),
    spent: timeSpent(samples),
    vantages: run.vantages === undefined ? null : seenByVantages(samples, question(headline)),
  };
}

export function settingOf(
  run: Run,
  all: readonly ReportTarget[],
  manifest: CaseManifest,
  samples: readonly Sample[],
) {
  // Apps have cases of their own: a case is compared among the targets of the apps that served it.
  const seen = new Set(samples.map(({ target }) => target));
  const apps = new Set(all.filter(({ name }) => seen.has(name)).map(({ app }) => app));
  const targets = all.filter(({ app }) => apps.has(app));
  const names = targets.map(({ name }) => name);
  const lasting = oneProcessTargets(targets, samples);
  // Trials of several vantages are no series of one client.
  const warm = warmInstances(samples, run.warmUps, run.vantages === undefined ? lasting : undefined);
  const copy = targets.find(({ copyOf }) => copyOf !== null);
  const baseline = copy?.copyOf ?? targets[0]?.name ?? "";
  return {
    run,
    manifest,
    targets,
    names,
    baseline,
    warm,
    samples,
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

export function unprovenCases({ events }: Pick<Run, "events">): ReadonlySet<string> {
  return new Set(events.flatMap(({ kind, caseId }) => (kind === "work-unproven" ? (caseId ?? []) : [])));
}

export function ofTarget<One extends { readonly target: string }>(
  list: readonly One[] | undefined,
  target: string,
): One | null {
  return list?.find((one) => one.target === target) ?? null;
}

type Compared = Pick<CaseAnalysis, "comparisons" | "control">;

export function withControl({ comparisons, control }: Compared): readonly Comparison[] {
  return control === null ? comparisons : [...comparisons, control];
}

export function isCompared({ headline }: { readonly headline: CaseAnalysis | null }): boolean {
  return (headline?.comparisons.length ?? 0) > 0;
}
