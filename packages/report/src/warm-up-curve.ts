import type { Sample, WarmUp } from "@evenbench/results";
import { LEVEL_TOLERANCE, largest, UNDETECTABLE_RUN, type WarmInstances, warmthOf } from "@evenbench/stats";
import type { WarmUpDetails } from "./facts/details.ts";
import { meanOrNull, medianOrNull } from "./series.ts";

/** Number of exchanges that are points by themselves; a later point is the mean of the neighbours up to the next one. */
const SINGLE_POINTS = 10;
/** Ratio of the places of two later points that follow each other. */
const STEP = 1.3;

/** The time and CPU time of exchanges, in milliseconds. */
interface ExchangeMs {
  /** The time to the last byte; null where none was answered. */
  readonly lastByteMs: number | null;
  /** CPU time; null where no exchange has an account of it. */
  readonly cpuMs: number | null;
}

interface InstanceSamples {
  readonly warmUps: Sample[];
  readonly measured: Sample[];
}

/** The exchanges of one instance, in order; failed ones count and have no times. */
interface MeasuredWarmUp {
  readonly length: number;
  /** Both times of each exchange, in milliseconds. */
  readonly exchanges: Readonly<Record<keyof ExchangeMs, readonly (number | null)[]>>;
  /** The mean of its measured exchanges; null where the instance was not warm. */
  readonly warm: ExchangeMs;
}

/**
 * Computes the curves of a case: the time of the n-th exchange of a fresh instance, at logarithmic n. Measured
 * exchanges follow those of the warm-up.
 */
export function warmUpCurves(
  samples: Iterable<Sample>,
  warmUps: readonly WarmUp[],
  targets: readonly string[],
  warm: WarmInstances,
): readonly WarmUpDetails[] {
  const byTarget = samplesByInstance(samples);
  return targets.flatMap((target) => {
    const trials = byTarget.get(target);
    if (trials === undefined) {
      return [];
    }
    const isWarm = (trial: number) => warmthOf(warm, target, trial) === null;
    const measured = [...trials].map(([trial, samples]) => orderedWarmUp(samples, isWarm(trial)));
    const known = warmUps.filter((warmUp) => warmUp.target === target);
    const level = eachOf((key) => medianOrNull(measured.map((warmUp) => warmUp.warm[key])));
    const needed = known.flatMap(({ needed }) => needed ?? []);
    const warmBy = needed.length === 0 ? null : largest(needed) + 1;
    const beyond = (key: keyof ExchangeMs, count: number) => {
      const ms = medianOrNull(measured.map((warmUp) => beyondWarm(warmUp, key, count, warmBy)));
      // Less than nothing is scatter.
      return ms === null ? null : Math.max(0, ms);
    };
    const ten = eachOf((key) => beyond(key, 10));
    // More exchanges never cost less than fewer of them: what comes out lower is scatter.
    const hundred = eachOf((key) => {
      const cost = beyond(key, 100);
      return cost === null ? null : Math.max(cost, ten[key] ?? cost);
    });
    return {
      target,
      points: pointsOf(measured),
      warmFrom: warmFromOf(measured, known.at(-1), isWarm, level),
      warm: level,
      first: [
        { requests: 10, ...ten },
        { requests: 100, ...hundred },
      ],
    };
  });
}

/**
 * Finds the first warm exchange, counted from 1, by the warm-up of the last trial; a few slow ones in a row are passed
 * over. null where more are slow, where none is known to be warm, and where the instance was not warm after all.
 */
function warmFromOf(
  measured: readonly MeasuredWarmUp[],
  last: WarmUp | undefined,
  isWarm: (trial: number) => boolean,
  warm: ExchangeMs,
): number | null {
  if (last === undefined || last.needed === null || last.warmAfter === null) {
    return null;
  }
  if (!isWarm(last.trial) && last.exchanges >= last.needed) {
    return null;
  }
  if (warm.lastByteMs === null && warm.cpuMs === null) {
    return null;
  }
  const isSlow = (index: number, key: keyof ExchangeMs) => {
    const ms = medianOrNull(measured.map(({ exchanges }) => exchanges[key][index] ?? null));
    return ms !== null && warm[key] !== null && ms > warm[key] * (1 + LEVEL_TOLERANCE);
  };
  for (let index = last.warmAfter; index <= last.warmAfter + UNDETECTABLE_RUN; index++) {
    if (!isSlow(index, "lastByteMs") && !isSlow(index, "cpuMs")) {
      return index + 1;
    }
  }
  return null;
}

/** Groups the samples of warm-ups and of measured rounds by target and trial, in the order in which they come. */
function samplesByInstance(
  samples: Iterable<Sample>,
): ReadonlyMap<string, ReadonlyMap<number, InstanceSamples>> {
  const byTarget = new Map<string, Map<number, InstanceSamples>>();
  for (const sample of samples) {
    const { phase, target, trial } = sample;
    if (phase !== "warmup" && phase !== "measure") {
      continue;
    }
    let trials = byTarget.get(target);
    if (trials === undefined) {
      trials = new Map();
      byTarget.set(target, trials);
    }
    let ofInstance = trials.get(trial);
    if (ofInstance === undefined) {
      ofInstance = { warmUps: [], measured: [] };
      trials.set(trial, ofInstance);
    }
    (phase === "warmup" ? ofInstance.warmUps : ofInstance.measured).push(sample);
  }
  return byTarget;
}

/** Orders the exchanges of one instance. @param isWarm whether it was found warm. */
function orderedWarmUp({ warmUps, measured }: InstanceSamples, isWarm: boolean): MeasuredWarmUp {
  const byRound = (a: Sample, b: Sample) => a.roundIndex - b.roundIndex;
  const ordered = [...warmUps.sort(byRound), ...measured.sort(byRound)];
  // A host that was started again begins anew; the first that answered is the fresh instance of this trial.
  const first = ordered.find(({ instanceId }) => instanceId !== null)?.instanceId ?? null;
  const isFresh = ({ instanceId }: Sample) => instanceId === null || instanceId === first;
  const fresh = ordered.filter(isFresh);
  const measuredFrom = warmUps.filter(isFresh).length;
  const exchanges = {
    lastByteMs: fresh.map(({ error, lastByteMs }) => (error === null ? lastByteMs : null)),
    cpuMs: fresh.map(({ error, cpuMs }) => (error === null ? cpuMs : null)),
  };
  return {
    length: fresh.length,
    exchanges,
    warm: eachOf((key) => (isWarm ? meanOrNull(exchanges[key].slice(measuredFrom)) : null)),
  };
}

/**
 * Computes the points of a curve at logarithmic spacing, each the mean of its exchanges up to the next point. Several
 * neighbours stand at their geometric middle.
 */
function pointsOf(measured: readonly MeasuredWarmUp[]): WarmUpDetails["points"] {
  // A curve of fewer than half of the instances would be another target's.
  const lengths = measured.map(({ length }) => length).sort((a, b) => b - a);
  const longest = lengths[Math.ceil(lengths.length / 2) - 1] ?? 0;
  const points: WarmUpDetails["points"][number][] = [];
  for (let from = 0, to = 0; from < longest; from = to) {
    to = Math.min(longest, from < SINGLE_POINTS ? from + 1 : Math.ceil(from * STEP));
    const longEnough = measured.filter(({ length }) => length >= to);
    const ms = eachOf((key) =>
      medianOrNull(longEnough.map(({ exchanges }) => meanOrNull(exchanges[key].slice(from, to)))),
    );
    points.push({ request: Math.round(Math.sqrt((from + 1) * to)), ...ms });
  }
  return points;
}

/**
 * Computes the milliseconds of the first `count` exchanges beyond as many warm ones; after `warmBy` nothing is beyond.
 * null where it was not followed that far.
 */
function beyondWarm(
  { length, exchanges, warm }: MeasuredWarmUp,
  key: keyof ExchangeMs,
  count: number,
  warmBy: number | null,
): number | null {
  const level = warm[key];
  if (level === null || warmBy === null || length < Math.min(count, warmBy)) {
    return null;
  }
  return exchanges[key].slice(0, count).reduce<number>((cost, ms) => cost + (ms ?? level) - level, 0);
}

/** Makes both numbers of an exchange by one rule. */
function eachOf(value: (key: keyof ExchangeMs) => number | null): ExchangeMs {
  return { lastByteMs: value("lastByteMs"), cpuMs: value("cpuMs") };
}
