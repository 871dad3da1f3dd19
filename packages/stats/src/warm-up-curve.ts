import type { Sample, WarmUp } from "@evenbench/results";
import { meanOrNull, median } from "./numbers.ts";
import { TOLERANCE, UNSEEN, type WarmInstances, warmthOf } from "./warm-up.ts";

/** Up to here every exchange is a point of the curve; then a point is the mean of the neighbours up to the next one. */
const SINGLE_POINTS = 10;
const STEP = 1.3;
const FIRST: readonly number[] = [10, 100];

export interface ExchangeMs {
  readonly lastByteMs: number | null;
  readonly cpuMs: number | null;
}

export type WarmUpCurve = ReturnType<typeof warmUpCurves>[number];
export type CurvePoint = WarmUpCurve["points"][number];

type Course = ReturnType<typeof courseOf>;

/** The n-th exchange of a fresh instance of one case, at logarithmic n: its warm-up, and then its measured exchanges. */
export function warmUpCurves(
  samples: Iterable<Sample>,
  warmUps: readonly WarmUp[],
  targets: readonly string[],
  warm: WarmInstances,
) {
  const played = [...samples].filter(({ phase }) => phase === "warmup" || phase === "measure");
  const byTarget = Map.groupBy(played, ({ target }) => target);
  return targets.flatMap((target) => {
    const trials = Map.groupBy(byTarget.get(target) ?? [], ({ trial }) => trial);
    if (trials.size === 0) return [];
    const isWarm = (trial: number) => warmthOf(warm, target, trial).warm;
    const courses = [...trials].map(([trial, own]) => courseOf(own, isWarm(trial)));
    const known = warmUps.filter((one) => one.target === target);
    const level = eachOf((key) => middle(courses.map((course) => course.warm[key])));
    const spans = spansOf(courses.map(({ exchanges }) => exchanges));
    const found = warmAfterOf(known, isWarm);
    const needed = known.flatMap((one) => one.needed ?? []);
    const warmBy = needed.length === 0 ? null : Math.max(...needed) + 1;
    return {
      target,
      instances: courses.length,
      points: spans.map(({ from, to, lastByteMs, cpuMs }) => ({
        exchange: Math.round(Math.sqrt((from + 1) * to)),
        ...{ lastByteMs, cpuMs },
      })),
      warmFrom: found === null ? null : warmFromOf(courses, found, level),
      warm: level,
      first: FIRST.map((exchanges) => ({
        exchanges,
        ...eachOf((key) => costOf(courses, key, exchanges, warmBy)),
      })),
    };
  });
}

/** As its last trial has it; null where an instance that got what it needed was not warm after all. */
function warmAfterOf(warmUps: readonly WarmUp[], isWarm: (trial: number) => boolean): number | null {
  const last = warmUps.at(-1);
  if (last === undefined || last.needed === null) return null;
  return !isWarm(last.trial) && last.exchanges >= last.needed ? null : last.warmAfter;
}

/** A search does not see a few slow ones in a row: they are left out. Where there are more, or no warm ones, nobody knows. */
function warmFromOf(courses: readonly Course[], warmAfter: number, warm: ExchangeMs): number | null {
  if (warm.lastByteMs === null && warm.cpuMs === null) return null;
  const isSlow = (index: number, key: keyof ExchangeMs) => {
    const ms = middle(courses.map(({ exchanges }) => exchanges[index]?.[key] ?? null));
    return ms !== null && warm[key] !== null && ms > warm[key] * (1 + TOLERANCE);
  };
  const next = Array.from({ length: UNSEEN + 1 }, (_, step) => warmAfter + step);
  const first = next.find((index) => !isSlow(index, "lastByteMs") && !isSlow(index, "cpuMs"));
  return first === undefined ? null : first + 1;
}

/** The exchanges of one instance, in order; failed ones count and have no times. */
function courseOf(samples: readonly Sample[], isWarm: boolean) {
  const part = ({ phase }: Sample) => (phase === "warmup" ? 0 : 1);
  const ordered = samples.toSorted((a, b) => part(a) - part(b) || a.roundIndex - b.roundIndex);
  // A host that was started again begins anew; the first that answered is the fresh instance of this trial.
  const first = ordered.find(({ instanceId }) => instanceId !== null)?.instanceId ?? null;
  const own = ordered.filter(({ instanceId }) => instanceId === null || instanceId === first);
  const told = (sample: Sample): ExchangeMs => eachOf((key) => (sample.error === null ? sample[key] : null));
  const measured = own.filter(({ phase }) => phase === "measure").map(told);
  return {
    exchanges: own.map(told),
    warm: eachOf((key) => (isWarm ? meanOrNull(measured.map((one) => one[key])) : null)),
  };
}

/** Each with the exchanges that it stands for: from one, counted from 0, to before another. */
function spansOf(courses: readonly (readonly ExchangeMs[])[]) {
  // A curve of fewer than half of the instances would be another target's.
  const lengths = courses.map(({ length }) => length).sort((a, b) => b - a);
  const longest = lengths[Math.ceil(lengths.length / 2) - 1] ?? 0;
  const spans: ({ readonly from: number; readonly to: number } & ExchangeMs)[] = [];
  for (let from = 0; from < longest; from = spans.at(-1)?.to ?? longest) {
    const to = Math.min(longest, from < SINGLE_POINTS ? from + 1 : Math.ceil(from * STEP));
    const long = courses.filter(({ length }) => length >= to);
    const ms = eachOf((key) =>
      middle(long.map((own) => meanOrNull(own.slice(from, to).map((one) => one[key])))),
    );
    spans.push({ from, to, ...ms });
  }
  return spans;
}

/** More exchanges never cost less than fewer of them: what comes out lower is scatter. */
function costOf(
  courses: readonly Course[],
  key: keyof ExchangeMs,
  exchanges: number,
  warmBy: number | null,
): number | null {
  const costs = FIRST.filter((count) => count <= exchanges).map((count) =>
    middle(courses.map((course) => beyondWarm(course, key, count, warmBy))),
  );
  const known = costs.filter((cost) => cost !== null);
  return costs.at(-1) === null ? null : Math.max(...known);
}

/** After what the target needs nothing is beyond: an instance need not be followed further. */
function beyondWarm(
  { exchanges, warm }: Course,
  key: keyof ExchangeMs,
  count: number,
  warmBy: number | null,
): number | null {
  const level = warm[key];
  if (level === null || warmBy === null || exchanges.length < Math.min(count, warmBy)) return null;
  return exchanges.slice(0, count).reduce((cost, one) => cost + (one[key] ?? level) - level, 0);
}

function eachOf(value: (key: keyof ExchangeMs) => number | null): ExchangeMs {
  return { lastByteMs: value("lastByteMs"), cpuMs: value("cpuMs") };
}

function middle(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}
