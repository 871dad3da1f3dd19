import type { Sample, WarmUp } from "@evenbench/results";
import { type Warmth, warmthOfTrial } from "./warm-up.ts";

/** Whether each instance of a case was warm, by target and trial. */
export type WarmInstances = ReadonlyMap<string, ReadonlyMap<number, Warmth>>;

/** For verdicts on times, and on CPU time. */
export interface Warm {
  readonly times: WarmInstances;
  readonly cpuTime: WarmInstances;
}

/** Where less of the time than this is CPU time, the rest is waiting: code that becomes faster hardly moves the time. */
const MOSTLY_WAITING = 0.1;

/**
 * Says of every instance of a case whether it was warm while it was measured: it had got the warm-up that its target
 * needs, and then its ratio stood still (see `warmthOfTrial`). CPU time is asked, since a busy machine hardly moves it;
 * the time to the last byte where there is none, and, for times, where nine tenths of that are waiting.
 *
 * @param samples of one case.
 * @param warmUps of the run; an instance that is not among them is judged by its samples alone.
 */
export function warmInstances(samples: Iterable<Sample>, warmUps: readonly WarmUp[]): Warm {
  const { caseId, trials } = collect(samples);
  const known = new Map(
    warmUps.filter((one) => one.caseId === caseId).map((one) => [`${one.target} ${one.trial}`, one] as const),
  );
  const [times, cpuTime] = [new Map(), new Map()] as [Found, Found];
  for (const [trial, targets] of [...trials].sort(([a], [b]) => a - b)) {
    const byCpuTime = warmthOfTrial(mapValues(targets, ({ costs }) => costs));
    const isWaiting = [...targets.values()].some(isMostlyWaiting);
    const byTime = isWaiting
      ? warmthOfTrial(mapValues(targets, (own) => (isMostlyWaiting(own) ? own.times : own.costs)))
      : byCpuTime;
    for (const [target, { costs }] of targets) {
      const reason = shortWarmUp(known.get(`${target} ${trial}`), costs.size);
      const cold = reason === null ? null : { warm: false, reason };
      note(times, target, trial, cold ?? (byTime.get(target) as Warmth));
      note(cpuTime, target, trial, cold ?? (byCpuTime.get(target) as Warmth));
    }
  }
  return { times, cpuTime };
}

type Found = Map<string, Map<number, Warmth>>;

function note(found: Found, target: string, trial: number, warmth: Warmth): void {
  const own = found.get(target) ?? new Map<number, Warmth>();
  found.set(target, own.set(trial, warmth));
}

/** What one target did in one trial, by round. Milliseconds. */
interface OfTrial {
  /** CPU time, or time where that is not reported. */
  readonly costs: Map<number, number>;
  readonly times: Map<number, number>;
  cpuMs: number;
  timeMs: number;
}

function collect(samples: Iterable<Sample>) {
  const trials = new Map<number, Map<string, OfTrial>>();
  let caseId: string | null = null;
  for (const sample of samples) {
    const { trial, target, roundIndex, cpuMs, lastByteMs } = sample;
    if (sample.phase !== "measure" || sample.error !== null) continue;
    caseId = sample.caseId;
    const targets = trials.get(trial) ?? new Map<string, OfTrial>();
    trials.set(trial, targets);
    const own = targets.get(target) ?? { costs: new Map(), times: new Map(), cpuMs: 0, timeMs: 0 };
    targets.set(target, own);
    const cost = cpuMs ?? lastByteMs;
    if (cost !== null) own.costs.set(roundIndex, cost);
    if (lastByteMs !== null) own.times.set(roundIndex, lastByteMs);
    own.cpuMs += cpuMs ?? 0;
    own.timeMs += lastByteMs ?? 0;
  }
  return { caseId, trials };
}

function isMostlyWaiting({ cpuMs, timeMs }: OfTrial): boolean {
  return cpuMs > 0 && cpuMs < MOSTLY_WAITING * timeMs;
}

function mapValues<Key, From, To>(map: ReadonlyMap<Key, From>, to: (value: From) => To): Map<Key, To> {
  return new Map([...map].map(([key, value]) => [key, to(value)]));
}

/** A search for what is needed that did not end has found that it is more than this many times what was given. */
const BEYOND_SEARCH = 1.25;
/** Fewer requests than this are no search: they say nothing. */
const LEAST_SEARCH = 20;

/**
 * Measured requests warm up, too: where what is needed was reached in the first half of them, a step would have been seen.
 *
 * @returns why it was too little; null where it was enough.
 */
function shortWarmUp(warmUp: WarmUp | undefined, measured: number): string | null {
  if (warmUp === undefined) return null;
  const { exchanges, needed } = warmUp;
  const least = needed ?? Math.max(LEAST_SEARCH, BEYOND_SEARCH * exchanges);
  if (exchanges + measured / 2 >= least) return null;
  return needed === null
    ? `got ${exchanges} requests of warm-up, too few to find out how many it needs`
    : `got ${exchanges} of the ${needed} requests that warm it up`;
}
