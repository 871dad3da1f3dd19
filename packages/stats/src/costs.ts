import type { ColdStart, InstanceUsage, Metric, Sample, Timeline } from "@evenbench/results";
import { type RoundValue, type Series, seriesByTarget } from "./cells.ts";
import {
  basesOf,
  type CellFit,
  compare,
  fitValues,
  priorOfCases,
  type Question,
  ratioIn,
  shownMs,
} from "./compare.ts";
import type { Prior } from "./model.ts";
import { mean, median, sum } from "./numbers.ts";
import type { RatioInterval, Verdict } from "./verdict.ts";
import { warmthOf } from "./warm-up.ts";

// What is measured beside a case's own times: compared as those are, by the same fit, judge and rule for warm.

/** CPU time for one exchange of a target in a case, all its processes and threads. */
export interface CpuSummary {
  readonly target: string;
  readonly msPerExchange: number;
  readonly ratio: RatioInterval | null;
  /** Part of it that the kernel worked for the process, as a fraction; null where the two were not reported apart. */
  readonly systemShare: number | null;
  /** Pages that the kernel gave it for one exchange without a disk; null where that was not reported. */
  readonly minorFaults: number | null;
  /** Largest of all instances; the peak is null where it was not reported. */
  readonly residentBytes: number;
  readonly peakResidentBytes: number | null;
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

/** What the first answers of a fresh instance take: medians over repetitions, in milliseconds. */
export interface ColdSummary {
  readonly target: string;
  readonly repetitions: number;
  /** From the start of its processes until it answered at all. */
  readonly readyMs: number;
  /** Last byte of the first and of the second exchange of the case. */
  readonly firstMs: number;
  readonly secondMs: number;
  /** From the start to the first exchange's last byte. */
  readonly ratio: RatioInterval | null;
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

export interface CaseCosts {
  readonly cpu: readonly CpuSummary[];
  /** Of targets with a transfer time. */
  readonly computeTimes: readonly ComputeTime[];
  readonly cold: readonly ColdSummary[];
  /** By part, then by target; nothing where no body came in parts. */
  readonly partTimes: readonly PartTime[];
}

/** What was measured of one case. */
export interface CostsMeasured {
  readonly usage: readonly InstanceUsage[];
  readonly samples: readonly Sample[];
  readonly coldStarts: readonly ColdStart[];
  readonly timelines: readonly Timeline[];
}

/** A case alone, and what is told of it once all cases of the run have said how much instances scatter. */
interface Cost<Told> {
  readonly fit: CellFit;
  told(target: string, prior: Prior): Told | null;
}

export type CostFits = ReturnType<typeof fitCosts>;

/** The first of two steps. @param question in each metric. @param headline of the case. */
export function fitCosts(measured: CostsMeasured, question: (metric: Metric) => Question, headline: Metric) {
  const { usage, samples, coldStarts, timelines } = measured;
  return {
    targets: question(headline).targets,
    cpu: cpuCost(usage, question("cpuMs")),
    compute: computeCost(samples, question("lastByteMs")),
    cold: coldCost(coldStarts, samples, question(headline)),
    ...partCosts(timelines, question(headline)),
  };
}

/** The second one: of each case, in order. */
export function tellCosts(cases: readonly CostFits[]): readonly CaseCosts[] {
  const telling = <Told>(costOf: (own: CostFits) => Cost<Told>) => {
    const prior = priorOfCases(cases.map((own) => costOf(own).fit));
    return (own: CostFits) => own.targets.flatMap((target) => costOf(own).told(target, prior) ?? []);
  };
  const cpu = telling((own) => own.cpu);
  const computeTimes = telling((own) => own.compute);
  const cold = telling((own) => own.cold);
  const parts = PARTS.map((part) => telling((own) => own[part]));
  return cases.map((own) => ({
    ...{ cpu: cpu(own), computeTimes: computeTimes(own), cold: cold(own) },
    partTimes: parts.flatMap((partTimes) => partTimes(own)),
  }));
}

/** Each trial gives one mean, which all its blocks of exchanges make up. */
function cpuCost(usage: readonly InstanceUsage[], question: Question): Cost<CpuSummary> {
  const fit = fitValues(cpuValues(usage), question);
  return {
    fit,
    told(target, prior) {
      const used = usage.filter((one) => one.target === target);
      const msPerExchange = shownMs(fit, target);
      if (msPerExchange === null) return null;
      const systemMs = allTold(used.map((one) => one.systemMs));
      const faults = allTold(used.map((one) => one.minorFaults));
      const peaks = allTold(used.map((one) => one.peakResidentBytes));
      return {
        ...{ target, msPerExchange, ratio: ratioIn(fit, target, prior) },
        systemShare: systemMs && Math.min(1, sum(systemMs) / sum(used.map((one) => one.cpuMs))),
        minorFaults: faults && sum(faults) / sum(used.map((one) => one.exchanges)),
        residentBytes: Math.max(...used.map((one) => one.residentBytes)),
        peakResidentBytes: peaks && Math.max(...peaks),
      };
    },
  };
}

/** CPU time for one exchange of each instance. */
export function cpuValues(usage: readonly InstanceUsage[]): readonly RoundValue[] {
  return usage.flatMap(({ target, trial, cpuMs, exchanges }) =>
    exchanges > 0 ? [{ target, trial, round: 0, ms: cpuMs / exchanges }] : [],
  );
}

/** null where one is missing. */
function allTold(values: readonly (number | null)[]): readonly number[] | null {
  return values.every((value) => value !== null) ? values : null;
}

/** The first transfer rounds warm up what only the payload uses. */
const TRANSFER_WARMUP_ROUNDS = 3;

/**
 * Last byte less transfer time, in each trial. The transfer time is taken off before the ratio is made, so what both sides
 * spend on the way does not draw the ratio towards 1.
 */
function computeCost(samples: readonly Sample[], question: Question): Cost<ComputeTime> {
  const transfers = transferTimes(samples);
  const measured = [...seriesByTarget(samples, samples[0]?.caseId ?? "", "lastByteMs")];
  const values = measured.flatMap(([target, { trials }]) =>
    [...trials].flatMap(([trial, rounds]) => {
      const transferMs = medianIn(transfers, target, trial);
      return transferMs === null
        ? []
        : [{ target, trial, round: 0, ms: median(rounds.ms) - transferMs, transferMs }];
    }),
  );
  const fit = fitValues(values, question);
  const counting = values.filter(
    ({ target, trial }) => fit.cold.has(target) || warmthOf(question.warm, target, trial).warm,
  );
  const bases = counting.filter(({ target }) => basesOf(question).includes(target));
  return {
    fit,
    told(target, prior) {
      const own = counting.filter((one) => one.target === target);
      if (own.length === 0) return null;
      return {
        target,
        transferMs: mean(own.map(({ transferMs }) => transferMs)),
        computeMs: mean(own.map(({ ms }) => ms)),
        ratio: [...own, ...bases].some(({ ms }) => ms <= 0) ? null : ratioIn(fit, target, prior),
      };
    },
  };
}

/** What the payload of the same length took. */
export function transferTimes(samples: readonly Sample[]): ReadonlyMap<string, Series> {
  const late = samples.filter(({ roundIndex }) => roundIndex >= TRANSFER_WARMUP_ROUNDS);
  return seriesByTarget(late, late[0]?.caseId ?? "", "lastByteMs", "transfer");
}

/** null where nothing was measured. */
export function medianIn(series: ReadonlyMap<string, Series>, target: string, trial: number): number | null {
  const rounds = series.get(target)?.trials.get(trial);
  return rounds === undefined ? null : median(rounds.ms);
}

/** Repetitions of which both exchanges were answered. */
function coldCost(
  starts: readonly ColdStart[],
  samples: readonly Sample[],
  question: Question,
): Cost<ColdSummary> {
  const times = seriesByTarget(samples, samples[0]?.caseId ?? "", "lastByteMs", "cold");
  const whole = starts.flatMap(({ target, repetition: trial, readyMs }) => {
    const rounds = times.get(target)?.trials.get(trial);
    const [firstMs, secondMs] = [0, 1].map((round) => rounds?.ms[rounds.index.indexOf(round)]);
    return firstMs === undefined || secondMs === undefined
      ? []
      : [{ target, trial, round: 0, ms: readyMs + firstMs, readyMs, firstMs, secondMs }];
  });
  const fit = fitValues(whole, { ...question, warm: undefined });
  return {
    fit,
    told(target, prior) {
      const own = whole.filter((one) => one.target === target);
      if (own.length === 0) return null;
      const medianOf = (time: "readyMs" | "firstMs" | "secondMs") => median(own.map((one) => one[time]));
      return {
        ...{ target, repetitions: own.length, ratio: ratioIn(fit, target, prior) },
        ...{ readyMs: medianOf("readyMs"), firstMs: medianOf("firstMs"), secondMs: medianOf("secondMs") },
      };
    },
  };
}

function partCosts(timelines: readonly Timeline[], question: Question): Record<Part, Cost<PartTime>> {
  const costOf = (part: Part): Cost<PartTime> => {
    const fit = fitValues(
      timelines.map((one) => ({ ...one, ms: timeOf(one, part) })),
      question,
    );
    return {
      fit,
      told(target, prior) {
        const ms = shownMs(fit, target);
        const ratio = ratioIn(fit, target, prior);
        const verdict = ratio === null ? null : compare(fit, target, undefined, prior).verdict;
        return ms === null ? null : { target, part, ms, ratio, verdict };
      },
    };
  };
  return { first: costOf("first"), half: costOf("half"), last: costOf("last") };
}

/** "half" is the part with which half of the bytes are there. */
function timeOf({ arrivals }: Timeline, part: Part): number {
  const end = arrivals.at(-1) ?? [0, 0];
  const found = {
    first: arrivals[0],
    half: arrivals.find(([, bytes]) => bytes >= end[1] / 2),
    last: end,
  }[part];
  return found?.[0] ?? 0;
}
