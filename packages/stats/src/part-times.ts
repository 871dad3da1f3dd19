import type { Timeline } from "@evenbench/results";
import type { RatioInterval, Verdict } from "./analysis.ts";
import { LEAST_TRIALS } from "./counting-trials.ts";
import { geometricInterval } from "./geometric.ts";
import { keepWarm } from "./keep-warm.ts";
import { mean, median } from "./quantile.ts";
import { judge } from "./verdict.ts";
import type { WarmInstances } from "./warm-instances.ts";

/** What somebody sees of a page that streams: its beginning, half of it, all of it. */
export const PARTS = ["first", "half", "last"] as const;
export type Part = (typeof PARTS)[number];

/** How long a target takes until a part of a streamed body is there. */
export interface PartTime {
  readonly target: string;
  readonly part: Part;
  /** Geometric mean of the trials' medians, in milliseconds. */
  readonly ms: number;
  /**
   * To the baseline, over trials, with Student's t; null for the baseline, for its A/A copy, and with fewer
   * than two trials.
   */
  readonly ratio: RatioInterval | null;
  /** null where there is no ratio. */
  readonly verdict: Verdict | null;
}

export interface PartQuestion {
  readonly targets: readonly string[];
  readonly baseline: string;
  /** The baseline's A/A copy; null where there is none. */
  readonly copy: string | null;
  /** As a fraction. */
  readonly precision: number;
  /** Which instances were warm; without it, all count as warm. */
  readonly warm?: WarmInstances | undefined;
}

/**
 * The times until the parts of a streamed body are there, each judged as any time is: against the baseline,
 * its A/A copy and the noise between these two.
 *
 * @param timelines of one case. "half" is the part with which half of the bytes are there.
 * @returns by part, then by target; nothing where no body came in parts.
 */
export function partTimes(timelines: readonly Timeline[], question: PartQuestion): readonly PartTime[] {
  const { targets, baseline, copy, precision, warm = new Map() } = question;
  const counting = keepWarm(timelines, warm);
  const judged = (target: string, evidence: Parameters<typeof judge>[0]): Verdict => {
    if ([baseline, copy].some((by) => by !== null && isPairCold(timelines, warm, target, by)))
      return "not warm";
    // A copy was planned, and there is nothing of it: what noise alone can do is not known.
    if (copy !== null && evidence.control === null) return "cannot tell";
    return judge(evidence, precision).verdict;
  };
  return PARTS.flatMap((part) => {
    const times = new Map(targets.map((target) => [target, byTrial(counting, target, part)]));
    const ratioOf = (target: string, by: string | null) =>
      by === null ? null : ratioBetween(times.get(target), times.get(by));
    const control = ratioOf(copy ?? baseline, copy === null ? null : baseline);
    return targets.flatMap((target) => {
      const own = [...(times.get(target)?.values() ?? [])];
      if (own.length === 0) return [];
      const ms = Math.exp(mean(own.map((rounds) => Math.log(median([...rounds.values()])))));
      const ratio = target === baseline || target === copy ? null : ratioOf(target, baseline);
      const ratioToCopy = ratioOf(target, copy);
      const verdict = ratio === null ? null : judged(target, { ratio, ratioToCopy, control });
      return [{ target, part, ms, ratio, verdict }];
    });
  });
}

/** As of whole answers: whether fewer than half of the trials that two targets share found both of them warm. */
function isPairCold(
  timelines: readonly Timeline[],
  warm: WarmInstances,
  target: string,
  by: string,
): boolean {
  const trialsOf = (name: string) =>
    new Set(timelines.filter((one) => one.target === name).map(({ trial }) => trial));
  const ofOther = trialsOf(by);
  const shared = [...trialsOf(target)].filter((trial) => ofOther.has(trial));
  const isWarm = (trial: number) => [target, by].every((name) => warm.get(name)?.get(trial)?.warm !== false);
  const warmOnes = shared.filter(isWarm);
  return shared.length >= LEAST_TRIALS && warmOnes.length < Math.max(LEAST_TRIALS, shared.length / 2);
}

/** Milliseconds of each round, by trial. */
type Times = ReadonlyMap<number, ReadonlyMap<number, number>>;

function byTrial(timelines: readonly Timeline[], target: string, part: Part): Times {
  const own = Map.groupBy(
    timelines.filter((one) => one.target === target),
    ({ trial }) => trial,
  );
  return new Map(
    [...own].map(([trial, rounds]) => [
      trial,
      new Map(rounds.map((one) => [one.round, timeOf(one, part)] as const)),
    ]),
  );
}

function timeOf({ arrivals }: Timeline, part: Part): number {
  const end = arrivals.at(-1) ?? [0, 0];
  const found = {
    first: arrivals[0],
    half: arrivals.find(([, bytes]) => bytes >= end[1] / 2),
    last: end,
  }[part];
  return found?.[0] ?? 0;
}

/** Made within rounds, as every ratio is; the trials' medians have Student's t. */
function ratioBetween(own: Times = new Map(), other: Times = new Map()): RatioInterval | null {
  const logs = [...own].flatMap(([trial, rounds]) => {
    const shared = [...rounds].flatMap(([round, ms]) => {
      const by = other.get(trial)?.get(round);
      return by === undefined || by <= 0 || ms <= 0 ? [] : [Math.log(ms / by)];
    });
    return shared.length === 0 ? [] : [median(shared)];
  });
  return geometricInterval(logs);
}
