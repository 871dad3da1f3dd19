import type { Sample, WarmUp } from "@evenbench/results";
import { instanceIn, instancesOf } from "./cells.ts";
import { type MsByRound, median, sum } from "./numbers.ts";
import { type WarmInstances, type Warmth, warmthOfTrial, warmUpNeed } from "./warm-up.ts";

/** Where less of the time than this is CPU time, the rest is waiting: code that becomes faster hardly moves the time. */
const MOSTLY_WAITING = 0.1;

/**
 * An instance was warm if it had got the warm-up that its target needs, and then its ratio stood still. CPU time is asked,
 * since a busy machine hardly moves it; the time to the last byte where there is none, or, for times, where most is waiting.
 *
 * @param samples of one case.
 * @param warmUps of the run; an instance that is not among them is judged by its samples alone.
 * @param lasting targets that are one process for the whole run: what comes and goes in one of its trials is no warm-up.
 */
export function warmInstances(
  samples: readonly Sample[],
  warmUps: readonly WarmUp[],
  lasting: ReadonlySet<string> = new Set(),
) {
  const caseId = samples[0]?.caseId ?? "";
  const cpuTimes = instancesOf(samples, caseId, "cpuMs");
  const instances = instancesOf(samples, caseId, "lastByteMs").map((instance) => {
    const { target, trial, speedAdjusted: time } = instance;
    const cost = instanceIn(cpuTimes, instance)?.speedAdjusted ?? time;
    const [costMs, timeMs] = [cost, time].map((rounds) => sum([...rounds.values()])) as [number, number];
    const isOwn = (warmUp: WarmUp) =>
      warmUp.caseId === caseId && warmUp.target === target && warmUp.trial === trial;
    return {
      target,
      trial,
      time,
      cost,
      isWaiting: costMs > 0 && costMs < MOSTLY_WAITING * timeMs,
      short: shortWarmUp(warmUps.findLast(isOwn), time.size),
    };
  });
  const warmBy = (roundsOf: (instance: (typeof instances)[number]) => MsByRound): WarmInstances => {
    const warm = new Map<string, Map<number, Warmth>>();
    for (const together of Map.groupBy(instances, ({ trial }) => trial).values()) {
      for (const [instance, warmth] of warmthOfTrial(
        new Map(together.map((each) => [each, roundsOf(each)])),
      )) {
        const { target, trial, short } = instance;
        warm.set(target, (warm.get(target) ?? new Map()).set(trial, short ?? warmth));
      }
    }
    for (const target of lasting) {
      const trials = instances.filter((instance) => instance.target === target);
      const alone = warmthOfProcess(trials.map((each) => [each.trial, roundsOf(each)]));
      const beside = warmthOfProcess(
        trials.map((each) => {
          const others = instances.filter((other) => other.trial === each.trial && other !== each);
          return [each.trial, dividedBy(others.map(roundsOf), roundsOf(each))];
        }),
      );
      for (const [trial, warmth] of alone) {
        const isStill = !warmth.warm && beside.get(trial)?.warm === true;
        warm.get(target)?.set(trial, isStill ? { ...warmth, warm: true, falls: true } : warmth);
      }
    }
    return warm;
  };
  const cpuTime = warmBy(({ cost }) => cost);
  if (!instances.some(({ isWaiting }) => isWaiting)) {
    return { times: cpuTime, cpuTime };
  }
  return { times: warmBy(({ isWaiting, time, cost }) => (isWaiting ? time : cost)), cpuTime };
}

/** The ratio to the others of a round stands still where the machine is slow for a while, or all become faster alike. */
function dividedBy(others: readonly MsByRound[], own: MsByRound): MsByRound {
  const ratios = [...own].flatMap(([round, cost]) => {
    const beside = others.flatMap((rounds) => rounds.get(round) ?? []);
    return beside.length === 0 ? [] : [[round, cost / median(beside)] as const];
  });
  return new Map(ratios);
}

/** Its trials are one series: it is warm from its lasting level on. */
function warmthOfProcess(trials: readonly (readonly [number, MsByRound])[]): ReadonlyMap<number, Warmth> {
  const ordered = trials.toSorted(([a], [b]) => a - b);
  const series = ordered.flatMap(([, rounds]) => [...rounds.values()]);
  const { exchanges, reached } = warmUpNeed(series);
  let before = 0;
  return new Map(
    ordered.map(([trial, rounds]) => {
      const warm = series.length > 0 && reached && before >= exchanges;
      before += rounds.size;
      return [trial, { warm, reason: warm ? null : "still became faster" }];
    }),
  );
}

/** What a search that did not end was given, times this, is not enough. */
const BEYOND_SEARCH = 1.25;
/** Fewer requests than this are no search: they say nothing. */
const LEAST_SEARCH = 20;

/** Measured requests warm up, too: in the first half of them a step would have been seen. */
function shortWarmUp(warmUp: WarmUp | undefined, measured: number): Warmth | null {
  if (warmUp === undefined) {
    return null;
  }
  const { exchanges, needed } = warmUp;
  const least = needed ?? Math.max(LEAST_SEARCH, BEYOND_SEARCH * exchanges);
  if (exchanges + measured / 2 >= least) {
    return null;
  }
  const reason =
    needed === null
      ? `got ${exchanges} requests of warm-up, too few to find out how many it needs`
      : `got ${exchanges} of the ${needed} requests that warm it up`;
  return { warm: false, reason };
}
