import type { JoinedAccount, RunTarget, Sample, SampleKey } from "@evenbench/results";
import { type Metric, mean, meanInterval, median, type RatioInterval, sorted } from "@evenbench/stats";
import type { CaseDetails } from "./facts/details.ts";

/** Computes the mean of the values that are not null; null if there is none. */
export function meanOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : mean(known);
}

/** Computes the median of the values that are not null; null if there is none. */
export function medianOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}

/** Largest number of points of a target's line in the figure of a distribution. */
const QUANTILE_POINTS = 40;
/** The largest share that a distribution's figure shows: the slowest would squeeze all others to a line. */
const LARGEST_SHARE = 0.98;

/** Computes the distributions of measured times, in the order of `targets`; none with fewer than two times. */
export function quantilesOf(
  samples: readonly Sample[],
  targets: readonly string[],
  metric: Metric,
): CaseDetails["distributions"] {
  const times = new Map(targets.map((target): [string, number[]] => [target, []]));
  for (const sample of samples) {
    const ms = sample.phase === "measure" && sample.error === null ? sample[metric] : null;
    if (ms !== null) {
      times.get(sample.target)?.push(ms);
    }
  }
  return [...times].flatMap(([target, ofTarget]) =>
    ofTarget.length < 2 ? [] : [{ target, points: quantilePoints(sorted(ofTarget)) }],
  );
}

/** @param ordered two times or more in ascending order, in milliseconds. */
function quantilePoints(ordered: Float64Array): CaseDetails["distributions"][number]["points"] {
  const count = Math.min(QUANTILE_POINTS, ordered.length);
  return Array.from({ length: count }, (_, index) => {
    const share = (LARGEST_SHARE * index) / (count - 1);
    return { share, ms: ordered[Math.round(share * (ordered.length - 1))] ?? 0 };
  });
}

/** The length of a target's answers. */
export interface ResponseSize {
  readonly target: string;
  /** The mean length of the body of its measured answers, in bytes, rounded to whole ones. */
  readonly bytes: number;
  /** Number of these answers whose request had to be sent again on a new connection. */
  readonly resent: number;
}

/** Computes the length of each target's measured answers; a target without one is left out. */
export function responseSizes(
  samples: readonly Sample[],
  targets: readonly string[],
): readonly ResponseSize[] {
  const byTarget = new Map(targets.map((name) => [name, { count: 0, bytes: 0, resent: 0 }]));
  for (const { target, phase, error, bodyBytes, resent } of samples) {
    const known = byTarget.get(target);
    if (known !== undefined && phase === "measure" && error === null && bodyBytes !== null) {
      known.count += 1;
      known.bytes += bodyBytes;
      known.resent += resent === true ? 1 : 0;
    }
  }
  return [...byTarget].flatMap(([target, { count, bytes, resent }]) =>
    count === 0 ? [] : [{ target, bytes: Math.round(bytes / count), resent }],
  );
}

/** The failed exchanges of one target and kind. */
export interface CountedError {
  readonly target: string;
  readonly kind: NonNullable<Sample["error"]>["kind"];
  /** Detail of the first one of these errors. */
  readonly detail: string;
  /** How many there are. */
  readonly count: number;
  /** Number of all exchanges with the target. */
  readonly of: number;
}

/** Counts failed exchanges by target and kind, the most frequent first. */
export function countErrors(samples: readonly Sample[]): readonly CountedError[] {
  const failed = samples
    .filter(({ error }) => error !== null)
    .flatMap(({ target, error }) => (error === null ? [] : [{ target, ...error }]));
  const groups = Map.groupBy(failed, ({ target, kind }) => `${target}\n${kind}`);
  const all = new Map<string, number>();
  for (const { target } of samples) {
    all.set(target, (all.get(target) ?? 0) + 1);
  }
  return [...groups.values()]
    .flatMap((group) =>
      group.slice(0, 1).map((first) => ({ ...first, count: group.length, of: all.get(first.target) ?? 0 })),
    )
    .sort((a, b) => b.count - a.count);
}

/** Words of caches, in the order in which they are listed. */
const CACHE_WORDS = ["hit", "stale", "miss"] as const;

/** Counts the answers of a case by what their caches said. Empty where none said anything. */
export function countCacheAnswers(
  samples: readonly Sample[],
  targets: readonly string[],
): CaseDetails["cacheAnswers"] {
  const answered = samples.filter(({ error, cacheSaid }) => error === null && cacheSaid !== undefined);
  return targets.flatMap((target) => {
    const ofTarget = answered.filter((sample) => sample.target === target);
    return CACHE_WORDS.flatMap((said) => {
      const alike = ofTarget.filter(({ cacheSaid }) => cacheSaid === said);
      const measured = alike.filter(({ phase }) => phase === "measure");
      const warmUps = alike.filter(({ phase }) => phase === "warmup").length;
      if (measured.length + warmUps === 0) {
        return [];
      }
      const medianMs = medianOrNull(measured.map(({ lastByteMs }) => lastByteMs));
      return [{ target, said, measured: measured.length, medianMs, warmUps }];
    });
  });
}

/** Time of a case's trials, added up, in milliseconds. */
export interface TimeSpent {
  /** Time from a trial's first request of warm-up to its first measured one. */
  readonly warmUpMs: number;
  /** Time from a trial's first measured request to its last one. */
  readonly measuringMs: number;
  /** The trials one by one, in their order. */
  readonly trials: readonly TrialSpan[];
}

/** When a trial sent requests, in milliseconds since the start of the run. */
export interface TrialSpan {
  /** The first request, of warm-up where there is one. */
  readonly fromMs: number;
  /** The last measured request. */
  readonly untilMs: number;
}

/** Adds up the time of the trials that measured at least one exchange. */
export function timeSpent(samples: readonly Sample[]): TimeSpent {
  let warmUpMs = 0;
  let measuringMs = 0;
  const trials: TrialSpan[] = [];
  for (const { warmUpAtMs, firstMs, lastMs } of startsByTrial(samples).values()) {
    if (lastMs < firstMs) {
      continue;
    }
    const fromMs = Math.min(firstMs, warmUpAtMs ?? firstMs);
    warmUpMs += firstMs - fromMs;
    measuringMs += lastMs - firstMs;
    trials.push({ fromMs, untilMs: lastMs });
  }
  return { warmUpMs, measuringMs, trials };
}

/** The starts of a trial's requests, in milliseconds since the start of the run. */
interface TrialStarts {
  /** The first request of warm-up; null where there is none. */
  warmUpAtMs: number | null;
  /** The earliest measured request; Infinity where there is none. */
  firstMs: number;
  /** The latest measured request; -Infinity where there is none. */
  lastMs: number;
}

function startsByTrial(samples: readonly Sample[]): ReadonlyMap<number, TrialStarts> {
  const byTrial = new Map<number, TrialStarts>();
  for (const { trial, phase, startedAtMs } of samples) {
    let starts = byTrial.get(trial);
    if (starts === undefined) {
      starts = { warmUpAtMs: null, firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY };
      byTrial.set(trial, starts);
    }
    if (phase === "measure") {
      starts.firstMs = Math.min(starts.firstMs, startedAtMs);
      starts.lastMs = Math.max(starts.lastMs, startedAtMs);
    } else if (phase === "warmup") {
      starts.warmUpAtMs ??= startedAtMs;
    }
  }
  return byTrial;
}

/** CPU time of a target's measured requests, as its platform accounts for it. */
export interface ProviderCpuSummary {
  readonly target: string;
  /** The mean of the trials' means; platforms round, so that single requests can have 0. Milliseconds. */
  readonly msPerRequest: number;
  /** Interval of `msPerRequest`; null with fewer than two trials. */
  readonly interval: RatioInterval | null;
}

/** Summarises platforms' accounts: an entry for each target of which at least one request has one. */
export function summariseProviderCpu(
  accounts: readonly JoinedAccount[],
  samples: readonly Sample[],
  targets: readonly RunTarget[],
): readonly ProviderCpuSummary[] {
  if (accounts.length === 0) {
    return [];
  }
  const keyOf = ({ target, trial, roundIndex, phase }: SampleKey) =>
    `${target} ${trial} ${phase} ${roundIndex}`;
  const cpuOf = new Map(accounts.map((account) => [keyOf(account), account.cpuMs]));
  return targets.flatMap(({ name }) => {
    const measured = samples.filter(
      ({ target, phase, error }) => target === name && phase === "measure" && error === null,
    );
    const trials = [...Map.groupBy(measured, ({ trial }) => trial).values()];
    const accounted = trials.map((trial) => trial.flatMap((sample) => cpuOf.get(keyOf(sample)) ?? []));
    const means = accounted.filter((cpu) => cpu.length > 0).map(mean);
    if (means.length === 0) {
      return [];
    }
    return [{ target: name, msPerRequest: mean(means), interval: meanInterval(means) }];
  });
}
