import type { CaseManifest } from "@evenbench/core";
import type { JoinedAccount, Run, RunTarget, Sample } from "@evenbench/results";
import {
  analyseFit,
  analyseVantages,
  type CaseAnalysis,
  type CaseCosts,
  type CaseFit,
  type CaseQuestion,
  type CostFits,
  fitCase,
  fitCosts,
  type Metric,
  nonBaselinesOf,
  oneProcessTargets,
  type Prior,
  warmInstances,
} from "@evenbench/stats";
import { audit } from "./audit.ts";
import { kindsByTarget } from "./kinds.ts";
import { baselineOf } from "./names.ts";
import {
  countErrors,
  meanOrNull,
  medianOrNull,
  quantilesOf,
  summariseProviderCpu,
  timeSpent,
} from "./series.ts";
import { warmUpCurves } from "./warm-up-curve.ts";

export type CaseData = ReturnType<typeof selectCase>;

export const METRICS: readonly Metric[] = ["firstByteMs", "lastByteMs", "cpuMs"];

/** The first of two steps, since cases inform each other. */
export function fitMetrics({ samples, isMeasured, question }: CaseData): readonly CaseFit[] {
  return METRICS.filter(isMeasured).map((metric) => fitCase(samples, question(metric)));
}

export function costsOf({ run, manifest, samplesForFigures, onlyThisCase, question }: CaseData): CostFits {
  const usage = onlyThisCase(run.usage);
  const coldStarts = onlyThisCase(run.coldStarts);
  const timelines = onlyThisCase(run.timelines);
  return fitCosts({ samples: samplesForFigures, usage, coldStarts, timelines }, question, manifest.headline);
}

export function reportCase(
  setting: CaseData,
  accounts: readonly JoinedAccount[],
  fits: readonly CaseFit[],
  priors: ReadonlyMap<Metric, Prior>,
  costs: CaseCosts,
) {
  const { run, manifest, targets, names, baseline, warm, samples, samplesForFigures } = setting;
  const { onlyThisCase, isMeasured, question } = setting;
  const { headline, kind } = manifest;
  const vantages = run.vantages === undefined ? null : seenByVantages(samples, question(headline));
  const analyse = (metric: Metric, by?: string) => {
    const fit = fits.find(({ question }) => question.metric === metric);
    if (fit === undefined) {
      return null;
    }
    const analysis = analyseFit(fit, priors.get(metric), by);
    return vantages === null ? analysis : byVantages(analysis, metric === headline ? vantages : null);
  };
  const against = (by: string) => ({
    baseline: by,
    headline: analyse(headline, by),
    cpuTime: analyse("cpuMs", by),
  });
  return {
    manifest,
    targets: names,
    isUnproven: unprovenCases(run).has(manifest.id),
    kindOfWork: kind ?? targets[0]?.app ?? manifest.id,
    ...against(baseline),
    other: analyse(headline === "lastByteMs" ? "firstByteMs" : "lastByteMs"),
    /** The same with each other target as the baseline. */
    against:
      vantages === null && run.plan.quick !== true ? nonBaselinesOf(question(headline)).map(against) : [],
    curves: warmUpCurves(samplesForFigures, onlyThisCase(run.warmUps), names, warm.cpuTime),
    kinds: kindsByTarget(samplesForFigures, names, isMeasured("cpuMs") ? "cpuMs" : headline, warm.cpuTime),
    quantiles: names.flatMap((target) => quantilesOf(samplesForFigures, target, headline)),
    ...costs,
    providerCpu: summariseProviderCpu(onlyThisCase(accounts), samples, targets),
    errors: countErrors(samples),
    spent: timeSpent(samples),
    audit: audit(manifest.id, samples, onlyThisCase(run.clientLoad)),
    vantages,
  };
}

export type CaseReport = ReturnType<typeof reportCase>;

export type VantageReport = ReturnType<typeof seenByVantages>;

function seenByVantages(samples: readonly Sample[], question: CaseQuestion) {
  const analysis = analyseVantages(samples, question);
  const seen = Map.groupBy(
    samples.filter(({ from }) => from !== undefined),
    ({ from }) => from?.vantage ?? "",
  );
  const rows = [...seen].flatMap(([vantage, all]) =>
    question.targets.flatMap((target) => {
      const exchanges = all.filter((sample) => sample.target === target);
      if (exchanges.length === 0) {
        return [];
      }
      const cells = analysis.cells.filter((cell) => cell.vantage === vantage && cell.target === target);
      const measured = exchanges.filter(({ phase }) => phase === "measure");
      const good = measured.filter(({ error }) => error === null);
      const each = (pick: (sample: Sample) => string | null | undefined) => [
        ...new Set(exchanges.flatMap((sample) => pick(sample) ?? [])),
      ];
      return {
        vantage,
        target,
        exchanges: good.length,
        errors: measured.length - good.length,
        medianMs: meanOrNull(cells.map(({ ms }) => ms)),
        transferMs: meanOrNull(cells.map(({ transferMs }) => transferMs)),
        computeMs: meanOrNull(cells.map(({ computeMs }) => computeMs)),
        connectMs: medianOrNull(exchanges.map(({ connectMs }) => connectMs)),
        edges: each(({ from }) => from?.edge).sort(),
        instances: each(({ instanceId }) => instanceId).length,
      };
    }),
  );
  return { ...analysis, rows };
}

/** What counts the trials of all vantages together stays; verdicts are those of the vantages, if these are asked of. */
function byVantages(analysis: CaseAnalysis, vantages: VantageReport | null): CaseAnalysis {
  const judged = ({ target, time: { verdict, reason } }: VantageReport["comparisons"][number]) => {
    const counted = ofTarget(withControl(analysis), target);
    return counted === null ? [] : [{ ...counted, ratio: null, verdict, reason, byTrial: [] }];
  };
  return {
    ...analysis,
    summaries: analysis.summaries.map((summary) => ({ ...summary, medianLowMs: null, medianHighMs: null })),
    comparisons: vantages?.comparisons.flatMap(judged) ?? [],
    control: (vantages?.control && judged(vantages.control)[0]) ?? null,
    noiseFloor: null,
  };
}

export function selectCase(
  run: Run,
  all: readonly RunTarget[],
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
  const baseline = baselineOf(targets);
  return {
    run,
    manifest,
    targets,
    names,
    baseline,
    warm,
    samples,
    /** Routes are in what takes all trials together, and vantages share no clock: there it is not told. */
    samplesForFigures: run.vantages === undefined ? samples : [],
    onlyThisCase: <T extends { readonly caseId: string | null }>(kept: readonly T[]) =>
      kept.filter(({ caseId }) => caseId === manifest.id),
    isMeasured: (metric: Metric) =>
      samples.some(
        ({ phase, error, [metric]: value }) => phase === "measure" && error === null && value !== null,
      ),
    question: (metric: Metric) => ({
      caseId: manifest.id,
      metric,
      baseline,
      targets: names,
      lasting,
      dropped: droppedFrom(run, manifest.id),
      compares: run.plan.quick !== true,
      scatter: manifest.scatter,
      copy: copy?.name ?? null,
      warm: metric === "cpuMs" ? warm.cpuTime : warm.times,
    }),
  };
}

/** The targets that were dropped from a case while it was measured: what they did before is no full comparison. */
function droppedFrom({ events }: Pick<Run, "events">, caseId: string): ReadonlySet<string> {
  const dropped = events.filter((event) => event.kind === "target-dropped" && event.caseId === caseId);
  return new Set(dropped.flatMap(({ target }) => target ?? []));
}

export function unprovenCases({ events }: Pick<Run, "events">): ReadonlySet<string> {
  return new Set(events.flatMap(({ kind, caseId }) => (kind === "work-unproven" ? (caseId ?? []) : [])));
}

export function ofTarget<Item extends { readonly target: string }>(
  list: readonly Item[] | undefined,
  target: string,
): Item | null {
  return list?.find((item) => item.target === target) ?? null;
}

/** Where several vantages measured. */
export function differenceOf({ vantages }: Pick<CaseReport, "vantages">, target: string) {
  return ofTarget(vantages?.comparisons, target)?.time.difference ?? null;
}

interface Controlled<Item> {
  readonly comparisons: readonly Item[];
  readonly control: Item | null;
}

export function withControl<Item>({ comparisons, control }: Controlled<Item>): readonly Item[] {
  return control === null ? comparisons : [...comparisons, control];
}

export function isCompared({ headline }: { readonly headline: CaseAnalysis | null }): boolean {
  return (headline?.comparisons.length ?? 0) > 0;
}
