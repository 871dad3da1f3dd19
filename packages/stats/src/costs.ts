import type { ColdStart, InstanceUsage, Sample, Timeline } from "@evenbench/results";
import { basesOf, type CellFit, compare, fitCells, type Question, shownMs } from "./analyse-case.ts";
import { type InstanceValue, instanceCells, seriesOf, valueCells } from "./cells.ts";
import { mean, median, sum } from "./numbers.ts";
import type { RatioInterval, Verdict } from "./verdict.ts";

// What is measured beside a case's own times. Each of these is compared as any time is: by the same fit, judge and rule for warm.

/** CPU time for one exchange of a target in a case, all its processes and threads. */
export interface CpuSummary {
  readonly target: string;
  readonly msPerExchange: number;
  /** Its 99 % interval; null with fewer than two trials. */
  readonly ratio: RatioInterval | null;
  /** Part of it that the kernel worked for the process, as a fraction; null where the two were not reported apart. */
  readonly systemShare: number | null;
  /** Pages that the kernel gave it for one exchange without a disk; null where that was not reported. */
  readonly minorFaults: number | null;
  /** Largest of all instances; the peak is null where it was not reported. */
  readonly residentBytes: number;
  readonly peakResidentBytes: number | null;
}

/** Each trial gives one mean, which all its blocks of exchanges make up. */
export function summariseCpu(usage: readonly InstanceUsage[], question: Question): CpuSummary[] {
  const fit = fitCells(valueCells(cpuValues(usage), question.warm), question);
  return question.targets.flatMap((target) => {
    const used = usage.filter((one) => one.target === target);
    const msPerExchange = shownMs(fit, target);
    if (msPerExchange === null) return [];
    const systemMs = allTold(used.map((one) => one.systemMs));
    const faults = allTold(used.map((one) => one.minorFaults));
    const peaks = allTold(used.map((one) => one.peakResidentBytes));
    return [
      {
        ...{ target, msPerExchange, ratio: ratioIn(fit, target) },
        systemShare: systemMs && Math.min(1, sum(systemMs) / sum(used.map((one) => one.cpuMs))),
        minorFaults: faults && sum(faults) / sum(used.map((one) => one.exchanges)),
        residentBytes: Math.max(...used.map((one) => one.residentBytes)),
        peakResidentBytes: peaks && Math.max(...peaks),
      },
    ];
  });
}

/** CPU time for one exchange of each instance. */
export function cpuValues(usage: readonly InstanceUsage[]): readonly InstanceValue[] {
  return usage.flatMap(({ target, trial, cpuMs, exchanges }) =>
    exchanges > 0 ? [{ target, trial, ms: cpuMs / exchanges }] : [],
  );
}

/** null where one is missing. */
function allTold(values: readonly (number | null)[]): readonly number[] | null {
  return values.every((value) => value !== null) ? values : null;
}

/** Against the baseline; null for that, for its copy, and with too few trials. */
function ratioIn(fit: CellFit, target: string): RatioInterval | null {
  return basesOf(fit.question).includes(target) ? null : compare(fit, target).ratio;
}

/** What a target's time is beyond sending the same bytes without any work. Milliseconds. */
export interface ComputeTime {
  readonly target: string;
  /** Mean over trials of the median time to the last byte of the payload of the same length and parts. */
  readonly transferMs: number;
  /** Mean over trials of the median of the case, less that trial's transfer time. Below 0 where noise exceeds it. */
  readonly computeMs: number;
  /** Of what is left; null where that is not above 0 in a trial of either side, too. */
  readonly ratio: RatioInterval | null;
}

/** The first transfer rounds warm up what only the payload uses. */
const TRANSFER_WARMUP_ROUNDS = 3;

/**
 * Compute time = last byte - transfer time, in each trial. The transfer time is taken off before the ratio is made, so
 * what both sides spend on the way does not draw the ratio towards 1.
 *
 * @param samples of one case; those of phases "measure" and "transfer" count, without the failed ones.
 * @returns one entry for each target that has a transfer time.
 */
export function computeTimes(samples: readonly Sample[], question: Question): readonly ComputeTime[] {
  const transfers = transferTimes(samples);
  const measured = mediansOf(samples.filter(({ phase }) => phase === "measure"));
  const values = measured.flatMap(({ target, trial, ms }) => {
    const transferMs = transfers.find((one) => one.target === target && one.trial === trial)?.ms;
    return transferMs === undefined ? [] : [{ target, trial, ms: ms - transferMs, transferMs }];
  });
  const fit = fitCells(valueCells(values, question.warm), question);
  const counting = values.filter(
    ({ target, trial }) => fit.cold.has(target) || (question.warm?.get(target)?.get(trial)?.warm ?? true),
  );
  return question.targets.flatMap((target) => {
    const own = counting.filter((one) => one.target === target);
    if (own.length === 0) return [];
    const bases = counting.filter((one) => basesOf(question).includes(one.target));
    return {
      target,
      transferMs: mean(own.map(({ transferMs }) => transferMs)),
      computeMs: mean(own.map(({ ms }) => ms)),
      ratio: [...own, ...bases].some(({ ms }) => ms <= 0) ? null : ratioIn(fit, target),
    };
  });
}

/** What the payload of the same length took, by target and trial. */
export function transferTimes(samples: readonly Sample[]): readonly InstanceValue[] {
  return mediansOf(
    samples.filter(({ phase, roundIndex }) => phase === "transfer" && roundIndex >= TRANSFER_WARMUP_ROUNDS),
  );
}

/** Median time to the last byte by target and trial. */
function mediansOf(samples: readonly Sample[]): readonly InstanceValue[] {
  const good = samples.filter(({ error, lastByteMs }) => error === null && lastByteMs !== null);
  return [...Map.groupBy(good, ({ target, trial }) => `${trial} ${target}`).values()].flatMap((own) => {
    const [first] = own;
    return first === undefined
      ? []
      : [
          {
            target: first.target,
            trial: first.trial,
            ms: median(own.map(({ lastByteMs }) => lastByteMs ?? 0)),
          },
        ];
  });
}

/** What the first answers of a fresh instance take: medians over repetitions, in milliseconds. */
export interface ColdSummary {
  readonly target: string;
  readonly repetitions: number;
  /** From the start of its processes until it answered at all. */
  readonly readyMs: number;
  /** Last byte of the first and of the second exchange of the case. */
  readonly firstMs: number;
  readonly secondMs: number;
  /** From the start to the first exchange's last byte; null with fewer than two repetitions, too. */
  readonly ratio: RatioInterval | null;
}

/** Cold starts of one case. @param samples those of phase "cold" count, without the failed ones. */
export function coldSummaries(
  starts: readonly ColdStart[],
  samples: readonly Sample[],
  question: Question,
): readonly ColdSummary[] {
  const times = new Map(
    samples.flatMap(({ phase, target, trial, roundIndex, lastByteMs, error }) =>
      phase === "cold" && error === null && lastByteMs !== null
        ? [[`${trial} ${roundIndex} ${target}`, lastByteMs] as const]
        : [],
    ),
  );
  const whole = starts.flatMap(({ target, repetition, readyMs }) => {
    const [firstMs, secondMs] = [0, 1].map((round) => times.get(`${repetition} ${round} ${target}`));
    return firstMs === undefined || secondMs === undefined
      ? []
      : [{ target, trial: repetition, ms: readyMs + firstMs, readyMs, firstMs, secondMs }];
  });
  const fit = fitCells(valueCells(whole), { ...question, warm: undefined });
  return question.targets.flatMap((target) => {
    const own = whole.filter((one) => one.target === target);
    const medianOf = (time: "readyMs" | "firstMs" | "secondMs") => median(own.map((one) => one[time]));
    return own.length === 0
      ? []
      : [
          {
            ...{
              target,
              repetitions: own.length,
              readyMs: medianOf("readyMs"),
              firstMs: medianOf("firstMs"),
            },
            ...{ secondMs: medianOf("secondMs"), ratio: ratioIn(fit, target) },
          },
        ];
  });
}

/** What somebody sees of a page that streams: its beginning, half of it, all of it. */
export const PARTS = ["first", "half", "last"] as const;
export type Part = (typeof PARTS)[number];

/** How long a target takes until a part of a streamed body is there. */
export interface PartTime {
  readonly target: string;
  readonly part: Part;
  readonly ms: number;
  readonly ratio: RatioInterval | null;
  /** null where there is no ratio. */
  readonly verdict: Verdict | null;
}

/**
 * @param timelines of one case. "half" is the part with which half of the bytes are there.
 * @returns by part, then by target; nothing where no body came in parts.
 */
export function partTimes(timelines: readonly Timeline[], question: Question): readonly PartTime[] {
  return PARTS.flatMap((part) => {
    const series = new Map(
      [...Map.groupBy(timelines, ({ target }) => target)].map(([target, own]) => {
        const seen = own.flatMap((one) => {
          const ms = timeOf(one, part);
          return ms > 0 ? [{ ...one, ms }] : [];
        });
        const trials = [...Map.groupBy(seen, ({ trial }) => trial)];
        return [
          target,
          seriesOf(
            new Map(trials.map(([trial, rounds]) => [trial, rounds.map(({ round, ms }) => [round, ms])])),
          ),
        ] as const;
      }),
    );
    const fit = fitCells(instanceCells(series, question.targets, question.warm, 1), question);
    return question.targets.flatMap((target) => {
      const ms = shownMs(fit, target);
      if (ms === null) return [];
      const ratio = ratioIn(fit, target);
      return [{ target, part, ms, ratio, verdict: ratio === null ? null : compare(fit, target).verdict }];
    });
  });
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
