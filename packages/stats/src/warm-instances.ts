import type { Sample, WarmUp } from "@evenbench/results";
import { type InstanceTimes, instanceIn, instancesOf } from "./cells.ts";
import { type MsByRound, median, sum } from "./numbers.ts";
import { warmUpNeed } from "./warm-up-need.ts";
import { WARM_UP } from "./warm-up-policy.ts";
import { type WarmInstances, type Warmth, warmthOfTrial } from "./warmth.ts";

/** Which instances of a case were warm, for times and for CPU times. */
export interface WarmCase {
  /** Judged by CPU time; for instances that mostly wait, by the time to the last byte. */
  readonly times: WarmInstances;
  /** Judged by CPU time; where a target has no account of it, by the time to the last byte. */
  readonly cpuTime: WarmInstances;
}

interface JudgedValues {
  readonly target: string;
  readonly trial: number;
  /** Time to the last byte by round, in milliseconds. */
  readonly time: MsByRound;
  /** CPU time by round, in milliseconds; the time to the last byte where there is no account of it. */
  readonly cost: MsByRound;
  /** True if most of its time is not CPU time. */
  readonly isWaiting: boolean;
  /** How it got less warm-up than its target needs; null where it got enough, or nobody knows. */
  readonly tooShort: Warmth;
}

/**
 * Judges which instances were warm: they had got the warm-up that their target needs, and their ratio to the others
 * then stood still, first by CPU time, which a busy machine hardly moves.
 *
 * @param samples of one case.
 * @param warmUps of the run; an instance that is not among them is judged by its samples alone.
 * @param lasting targets that are one process for the whole run: what comes and goes in one of its trials is
 *   no warm-up.
 */
export function warmInstances(
  samples: readonly Sample[],
  warmUps: readonly WarmUp[],
  lasting: ReadonlySet<string> = new Set(),
): WarmCase {
  const instances = judgedInstances(samples, warmUps);
  const cpuTime = judgeBy(instances, lasting, ({ cost }) => cost);
  if (!instances.some(({ isWaiting }) => isWaiting)) {
    return { times: cpuTime, cpuTime };
  }
  const times = judgeBy(instances, lasting, ({ isWaiting, time, cost }) => (isWaiting ? time : cost));
  return { times, cpuTime };
}

function judgedInstances(samples: readonly Sample[], warmUps: readonly WarmUp[]): readonly JudgedValues[] {
  const caseId = samples[0]?.caseId ?? "";
  const cpuTimes = instancesOf(samples, caseId, "cpuMs");
  const warmUpsOfCase = warmUps.filter((warmUp) => warmUp.caseId === caseId);
  return instancesOf(samples, caseId, "lastByteMs").map((instance: InstanceTimes) => {
    const { target, trial, rounds: time } = instance;
    const cost = instanceIn(cpuTimes, instance)?.rounds ?? time;
    const costMs = sum(cost.values());
    const timeMs = sum(time.values());
    const warmUp = warmUpsOfCase.findLast((each) => each.target === target && each.trial === trial);
    return {
      target,
      trial,
      time,
      cost,
      isWaiting: costMs > 0 && costMs < WARM_UP.judgement.mostlyWaitingShare * timeMs,
      tooShort: tooShortWarmUp(warmUp, time.size),
    };
  });
}

/** @param roundsOf gives what an instance is judged by. */
function judgeBy(
  instances: readonly JudgedValues[],
  lasting: ReadonlySet<string>,
  roundsOf: (instance: JudgedValues) => MsByRound,
): WarmInstances {
  const warm = new Map<string, Map<number, Warmth>>();
  for (const ofTrial of Map.groupBy(instances, ({ trial }) => trial).values()) {
    const judged = warmthOfTrial(new Map(ofTrial.map((each) => [each, roundsOf(each)])));
    for (const [{ target, trial, tooShort }, warmth] of judged) {
      const ofTarget = warm.get(target) ?? new Map<number, Warmth>();
      warm.set(target, ofTarget.set(trial, tooShort ?? warmth));
    }
  }
  for (const target of lasting) {
    for (const [trial, warmth] of warmthOfLasting(target, instances, roundsOf)) {
      warm.get(target)?.set(trial, warmth);
    }
  }
  return warm;
}

/** Judges a process that lasts for the whole run: by its own costs, then by their ratio to the others'. */
function warmthOfLasting(
  target: string,
  instances: readonly JudgedValues[],
  roundsOf: (instance: JudgedValues) => MsByRound,
): ReadonlyMap<number, Warmth> {
  const trials = instances.filter((instance) => instance.target === target);
  const alone = warmthOfProcess(trials.map((each) => [each.trial, roundsOf(each)]));
  const beside = warmthOfProcess(
    trials.map((each) => {
      const others = instances.filter((other) => other.trial === each.trial && other !== each);
      return [each.trial, dividedBy(others.map(roundsOf), roundsOf(each))];
    }),
  );
  return new Map(
    [...alone].map(([trial, warmth]) => {
      const isStill = beside.get(trial) === null;
      return [trial, isStill ? null : warmth];
    }),
  );
}

/** Costs by round, divided by the median of the others' in that round, where there are others. */
function dividedBy(others: readonly MsByRound[], own: MsByRound): MsByRound {
  const ratios = new Map<number, number>();
  for (const [round, cost] of own) {
    const beside = others.map((rounds) => rounds.get(round)).filter((other) => other !== undefined);
    if (beside.length > 0) {
      ratios.set(round, cost / median(beside));
    }
  }
  return ratios;
}

/** Takes all trials of one process as one series: it is warm from its lasting level on. */
function warmthOfProcess(trials: readonly (readonly [number, MsByRound])[]): ReadonlyMap<number, Warmth> {
  const ordered = trials.toSorted(([a], [b]) => a - b);
  const series = ordered.flatMap(([, rounds]) => [...rounds.values()]);
  const { exchanges, reached } = warmUpNeed(series);
  const warmth = new Map<number, Warmth>();
  let before = 0;
  for (const [trial, rounds] of ordered) {
    const warm = series.length > 0 && reached && before >= exchanges;
    warmth.set(trial, warm ? null : { code: "still-falling" });
    before += rounds.size;
  }
  return warmth;
}

/**
 * Judges an instance by the warm-up that it got. Measured requests warm up, too: in the first half of them a
 * step would have been seen.
 *
 * @returns null where it got enough, or where there is no record of its warm-up.
 */
function tooShortWarmUp(warmUp: WarmUp | undefined, measured: number): Warmth {
  if (warmUp === undefined) {
    return null;
  }
  const { exchanges, needed } = warmUp;
  const { minExchanges } = WARM_UP.search;
  const { seenShare } = WARM_UP.judgement;
  const enough = needed ?? Math.max(minExchanges, (1 + seenShare) * exchanges);
  if (exchanges + measured / 2 >= enough) {
    return null;
  }
  return { code: "short-warm-up", got: exchanges, needed };
}
