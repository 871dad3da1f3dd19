// The part of a run that is of one case, and the questions that the statistics are asked about it.
import type { CaseManifest } from "@evenbench/core";
import type { Run, RunTarget, Sample } from "@evenbench/results";
import {
  type AnsweredBy,
  answeredBy,
  type CaseQuestion,
  isFromCache,
  type Metric,
  oneProcessTargets,
  type WarmInstances,
  warmInstances,
} from "@evenbench/stats";
import { baselineOf } from "./shown-targets.ts";

/** The measurements of one case, and how they are compared. */
export interface CaseData {
  readonly run: Run;
  readonly manifest: CaseManifest;
  /** The targets of the apps that served the case, in the order of the report. */
  readonly targets: readonly RunTarget[];
  readonly names: readonly string[];
  /** The name of the target that the others are compared with. */
  readonly baseline: string;
  /** Which instances were warm: by time, and by CPU time. */
  readonly warm: { readonly times: WarmInstances; readonly cpuTime: WarmInstances };
  /** Who made its answers. */
  readonly from: AnsweredBy;
  readonly samples: readonly Sample[];
  /** Samples for figures that mix trials; empty for runs from several places, where network routes would be mixed. */
  readonly samplesForFigures: readonly Sample[];
  /** The records of a list of the run that are of this case. */
  onlyThisCase<T extends { readonly caseId: string | null }>(kept: readonly T[]): readonly T[];
  /** Makes the question that the statistics answer for a metric. */
  question(metric: Metric): CaseQuestion;
}

/**
 * Leaves out the trial of a case whose rounds did not go on to their end, as after Ctrl-C: the record has no load of the
 * client in it. A case without a whole trial keeps what it has.
 */
function wholeTrials(
  { clientLoad, trialsEnded }: Run,
  caseId: string,
  samples: readonly Sample[],
): readonly Sample[] {
  const whole = new Set(clientLoad.filter((load) => load.caseId === caseId).map(({ trial }) => trial));
  return trialsEnded === true || whole.size === 0
    ? samples
    : samples.filter(({ phase, trial }) => phase === "cold" || whole.has(trial));
}

/**
 * Gathers what belongs to one case.
 *
 * @param all the run's targets, in the order of the report.
 * @param taken the samples of the case.
 */
export function selectCase(
  run: Run,
  all: readonly RunTarget[],
  manifest: CaseManifest,
  taken: readonly Sample[],
): CaseData {
  const samples = wholeTrials(run, manifest.id, taken);
  // Apps have cases of their own: a case is compared among the targets of the apps that served it.
  const seen = new Set(samples.map(({ target }) => target));
  const apps = new Set(all.filter(({ name }) => seen.has(name)).map(({ app }) => app));
  const targets = all.filter(({ app }) => apps.has(app));
  const names = targets.map(({ name }) => name);
  const lasting = oneProcessTargets(targets, samples);
  // Trials of several places are no series of one client.
  const warm = warmInstances(samples, run.warmUps, run.vantages === undefined ? lasting : undefined);
  const copy = targets.find(({ copyOf }) => copyOf !== null);
  const baseline = baselineOf(targets);
  const from = answeredBy(manifest, isFromCache(samples));
  return {
    run,
    manifest,
    targets,
    names,
    baseline,
    warm,
    from,
    samples,
    samplesForFigures: run.vantages === undefined ? samples : [],
    onlyThisCase: <T extends { readonly caseId: string | null }>(kept: readonly T[]) =>
      kept.filter(({ caseId }) => caseId === manifest.id),
    question: (metric: Metric) => ({
      caseId: manifest.id,
      metric,
      baseline,
      targets: names,
      lasting,
      dropped: droppedFrom(run, manifest.id),
      // A cache is no platform's work.
      compares: run.plan.quick !== true && from === "computed",
      scatter: manifest.scatter,
      copy: copy?.name ?? null,
      warm: metric === "cpuMs" ? warm.cpuTime : warm.times,
    }),
  };
}

/** Names the targets that were dropped from a case: what they did before is no full comparison. */
export function droppedFrom({ events }: Pick<Run, "events">, caseId: string): ReadonlySet<string> {
  const dropped = events.filter((event) => event.kind === "target-dropped" && event.caseId === caseId);
  return new Set(dropped.flatMap(({ target }) => target ?? []));
}

/** Lists the ids of the cases whose answers differed and were compared anyway (--same-work assumed). */
export function unprovenCases({ events }: Pick<Run, "events">): ReadonlySet<string> {
  return new Set(events.flatMap(({ kind, caseId }) => (kind === "work-unproven" ? (caseId ?? []) : [])));
}
