// What the stages of a load gave, as levels: one for each case, target, load and quantity.
import {
  type Answer,
  type Level,
  type Load,
  type LoadFindings,
  levelIn,
  type Metric,
} from "@evenbench/report";
import type { LatencyCondition, LoadRun } from "@evenbench/results";
import { type AnsweredBy, answeredBy, sum } from "@evenbench/stats";
import { findCapacity } from "../capacity.ts";
import { loadOf, offeredBy } from "../offered.ts";
import { findSaturation } from "../saturation.ts";
import { meanOf, type StageSummary } from "../stage-summary.ts";
import { stageFindings } from "./checks.ts";

/** Makes the findings of a load. @param stages the summaries of all its stages, in their order. */
export function findingsOf({ plan }: LoadRun, stages: readonly StageSummary[]): LoadFindings {
  const shown = stages.filter((summary) => hasResult(summary, plan.condition));
  const ofTargets = plan.cases.flatMap((manifest) => {
    const ofCase = shown.filter(({ stage }) => stage.caseId === manifest.id);
    const from = answeredBy(
      manifest,
      ofCase.some((summary) => summary.isFromCache),
    );
    return plan.targets.flatMap(({ name }) => {
      const own = ofCase.filter(({ stage }) => stage.target === name);
      return own.length === 0 ? [] : { own, measured: own.filter(({ isFailed }) => !isFailed), from };
    });
  });
  return {
    levels: ofTargets.flatMap(({ measured, from }) => [
      ...(measured.length === 0 ? [] : limitLevels(measured, plan.condition, from)),
      ...byLoad(measured).flatMap(loadLevels),
    ]),
    answers: ofTargets.flatMap(({ own, from }) => byLoad(own).map((trials) => answerOf(trials, from))),
    found: stages.flatMap(stageFindings),
  };
}

/**
 * Tells whether a stage says how much is answered. One that did not go on to its end does not: it is no trial of a mean, and
 * of a search only where it had shown that its rate does not hold. Nor does the closed loop with which a search begins.
 *
 * @param condition of a search; null in a sweep.
 */
function hasResult(
  { stage: { load, ended }, held }: StageSummary,
  condition: LatencyCondition | null,
): boolean {
  const beginsSearch = condition !== null && load.kind === "closed";
  return !beginsSearch && (ended === null || held === false);
}

/** Puts the trials of each load together, from the smallest load on. */
function byLoad(stages: readonly StageSummary[]): readonly (readonly StageSummary[])[] {
  const groups = Map.groupBy(stages, ({ stage }) => JSON.stringify(loadOf(stage.load)));
  return [...groups.values()].toSorted(([a], [b]) => amountOf(a) - amountOf(b));
}

function amountOf(summary: StageSummary | undefined): number {
  return summary === undefined ? 0 : offeredBy(summary.stage.load);
}

/** A level of which nothing but the value is known. */
function levelOf({ stage }: StageSummary, metric: Metric, value: number | null, load: Load | null): Level {
  return { ...levelIn(stage.caseId)(stage.target, metric, value), load };
}

/** Gives what a target took under one load: means over its trials. */
function loadLevels(trials: readonly StageSummary[]): readonly Level[] {
  const [first] = trials as [StageSummary];
  const load = loadOf(first.stage.load);
  const level = (metric: Metric, byTrial: readonly number[]) => ({
    ...levelOf(first, metric, meanOf(byTrial), load),
    byTrial,
  });
  const of = (pick: (summary: StageSummary) => number | null) =>
    trials.flatMap((summary) => pick(summary) ?? []);
  const times = of(({ latency }) => latency?.p50 ?? null);
  const costs = of(({ cpuMsPerExchange }) => cpuMsPerExchange);
  return [
    level(
      "answersPerSecond",
      of(({ perSecond }) => perSecond),
    ),
    ...(times.length === 0
      ? []
      : [
          {
            ...level("lastByteMs", times),
            p95: meanOf(of(({ latency }) => latency?.p95 ?? null)),
            p99: meanOf(of(({ latency }) => latency?.p99 ?? null)),
          },
        ]),
    ...(costs.length === 0 ? [] : [level("cpuMs", costs)]),
  ];
}

/** Gives how much a target answers at most: by saturation in a sweep, under the condition in a search. */
function limitLevels(
  stages: readonly StageSummary[],
  condition: LatencyCondition | null,
  from: AnsweredBy,
): readonly Level[] {
  const levels = condition === null ? saturationLevels(stages) : [capacityLevel(stages, condition)];
  // What is not known keeps its own reason.
  return from === "computed"
    ? levels
    : levels.map((level) => (level.value === null ? level : { ...level, why: "cached" }));
}

/** Needs two concurrencies or more, of which one is 1. */
function saturationLevels(stages: readonly StageSummary[]): readonly Level[] {
  const [first] = stages as [StageSummary];
  const saturation = findSaturation(stages);
  if (saturation === null || saturation.levels < 2) {
    return [];
  }
  return [
    levelOf(first, "answersPerSecond", saturation.mostPerSecond, null),
    levelOf(first, "queuesFrom", saturation.queuesFrom, null),
  ];
}

function capacityLevel(stages: readonly StageSummary[], condition: LatencyCondition): Level {
  const [first] = stages as [StageSummary];
  const { perSecond, byTrial, unbounded, undecided } = findCapacity(stages);
  const load: Load = { kind: "capacity", value: null, condition };
  const level = levelOf(first, "answersPerSecond", perSecond?.median ?? null, load);
  const held = { ...level, byTrial: byTrial.filter((rate) => rate !== null) };
  if (perSecond === null) {
    return { ...held, why: undecided > 0 ? "few-requests" : "none-held" };
  }
  return { ...held, why: unbounded === 0 ? null : "all-held" };
}

/** Counts what a target answered under one load. */
function answerOf(trials: readonly StageSummary[], from: AnsweredBy): Answer {
  const [{ stage }] = trials as [StageSummary];
  return {
    case: stage.caseId,
    target: stage.target,
    load: loadOf(stage.load),
    place: null,
    requests: sum(trials.map(({ exchanges }) => exchanges)),
    failed: sum(trials.map(({ errors }) => errors)),
    resent: sum(trials.map(({ resent }) => resent)),
    bytes: null,
    from,
  };
}
