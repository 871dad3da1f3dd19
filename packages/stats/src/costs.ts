import type { ColdStart, InstanceUsage, Metric, Sample, Timeline } from "@evenbench/results";
import { instanceIn, instancesOf, type RoundValue } from "./cells.ts";
import { baselinesOf, type CellFit, compare, fitValues, type Question, shownMs } from "./compare.ts";
import { priorOfCases } from "./model.ts";
import { largest, mean, median, medianOf, sum } from "./numbers.ts";
import type { RatioInterval, Verdict } from "./verdict.ts";
import { warmthOf } from "./warmth.ts";

// What is measured beside times is compared as those are: by the same fit, judge and rule for warm.

export interface CostsMeasured {
  readonly usage: readonly InstanceUsage[];
  readonly samples: readonly Sample[];
  readonly coldStarts: readonly ColdStart[];
  readonly timelines: readonly Timeline[];
}

/** What somebody sees of a page that streams. */
export const PARTS = ["first", "half", "last"] as const;
export type Part = (typeof PARTS)[number];

interface Cost<Told> {
  readonly fit: CellFit;
  tell(target: string, ratio: RatioInterval | null, verdict: Verdict | null): Told | null;
}

export type CostFits = ReturnType<typeof fitCosts>;
/** Milliseconds; ratios are null where too little was measured. */
export type CaseCosts = ReturnType<typeof compareCosts>[number];
export type PartTime = CaseCosts["partTimes"][number];

export function fitCosts(measured: CostsMeasured, question: (metric: Metric) => Question, headline: Metric) {
  const { usage, samples, coldStarts, timelines } = measured;
  const partOf = (part: Part) => partCost(part, timelines, question(headline));
  return {
    cpu: cpuCost(usage, question("cpuMs")),
    compute: computeCost(samples, question("lastByteMs")),
    cold: coldCost(coldStarts, samples, question(headline)),
    first: partOf("first"),
    half: partOf("half"),
    last: partOf("last"),
  };
}

/** The second one, once all cases of a run have said how much instances scatter. */
export function compareCosts(cases: readonly CostFits[]) {
  const telling = <Told>(costOf: (fits: CostFits) => Cost<Told>) => {
    const prior = priorOfCases(cases.map((fits) => costOf(fits).fit));
    return (fits: CostFits): readonly Told[] => {
      const { fit, tell } = costOf(fits);
      const bases = baselinesOf(fit.question);
      return fit.question.targets.flatMap((target) => {
        const { ratio, verdict } = compare(fit, target, bases, prior);
        const isAlone = bases.includes(target) || fit.question.compares === false;
        return tell(target, isAlone ? null : ratio, isAlone || ratio === null ? null : verdict) ?? [];
      });
    };
  };
  const cpu = telling((fits) => fits.cpu);
  const computeTimes = telling((fits) => fits.compute);
  const cold = telling((fits) => fits.cold);
  const parts = PARTS.map((part) => telling((fits) => fits[part]));
  return cases.map((fits) => ({
    cpu: cpu(fits),
    computeTimes: computeTimes(fits),
    cold: cold(fits),
    partTimes: parts.flatMap((partTimes) => partTimes(fits)),
  }));
}

/** For one exchange, all processes and threads: the mean of each trial. */
function cpuCost(usage: readonly InstanceUsage[], question: Question) {
  const fit = fitValues(cpuValues(usage), question);
  const tell = (target: string, ratio: RatioInterval | null) => {
    const used = usage.filter((account) => account.target === target);
    const msPerExchange = shownMs(fit, target);
    if (msPerExchange === null) {
      return null;
    }
    const systemMs = allTold(used.map((account) => account.systemMs));
    const faults = allTold(used.map((account) => account.minorFaults));
    const peaks = allTold(used.map((account) => account.peakResidentBytes));
    return {
      target,
      msPerExchange,
      ratio,
      /** Part of it that the kernel worked for the process. */
      systemShare: systemMs && Math.min(1, sum(systemMs) / sum(used.map((account) => account.cpuMs))),
      /** Pages that the kernel gave it for one exchange without a disk. */
      minorFaults: faults && sum(faults) / sum(used.map((account) => account.exchanges)),
      residentBytes: largest(used.map((account) => account.residentBytes)),
      peakResidentBytes: peaks && largest(peaks),
    };
  };
  return { fit, tell };
}

export function cpuValues(usage: readonly InstanceUsage[]): readonly RoundValue[] {
  return usage.flatMap(({ target, trial, cpuMs, exchanges }) =>
    exchanges > 0 ? [{ target, trial, round: 0, ms: cpuMs / exchanges }] : [],
  );
}

function allTold(values: readonly (number | null)[]): readonly number[] | null {
  return values.every((value) => value !== null) ? values : null;
}

/** The first transfer rounds warm up what only the payload uses. */
const TRANSFER_WARMUP_ROUNDS = 3;

/** Of each instance, its last byte less its transfer time: what is spent on the way draws no ratio towards 1. */
export function computeValues(samples: readonly Sample[]) {
  const caseId = samples[0]?.caseId ?? "";
  const late = samples.filter(({ roundIndex }) => roundIndex >= TRANSFER_WARMUP_ROUNDS);
  const transfers = instancesOf(late, caseId, "lastByteMs", "transfer");
  return instancesOf(samples, caseId, "lastByteMs").flatMap((instance) => {
    const transfer = instanceIn(transfers, instance);
    if (transfer === undefined) {
      return [];
    }
    const { target, trial, rounds } = instance;
    const transferMs = medianOf(transfer.rounds);
    return [{ target, trial, round: 0, ms: medianOf(rounds) - transferMs, transferMs }];
  });
}

function computeCost(samples: readonly Sample[], question: Question) {
  const values = computeValues(samples);
  const fit = fitValues(values, question);
  const counting = values.filter(
    ({ target, trial }) => fit.cold.has(target) || warmthOf(question.warm, target, trial).warm,
  );
  const bases = counting.filter(({ target }) => baselinesOf(question).includes(target));
  const tell = (target: string, ratio: RatioInterval | null) => {
    const counted = counting.filter((value) => value.target === target);
    if (counted.length === 0) {
      return null;
    }
    return {
      target,
      transferMs: mean(counted.map(({ transferMs }) => transferMs)),
      computeMs: mean(counted.map(({ ms }) => ms)),
      ratio: [...counted, ...bases].some(({ ms }) => ms <= 0) ? null : ratio,
    };
  };
  return { fit, tell };
}

/** From the start of the processes to the first exchange's last byte. */
function coldCost(starts: readonly ColdStart[], samples: readonly Sample[], question: Question) {
  const answers = instancesOf(samples, samples[0]?.caseId ?? "", "lastByteMs", "cold");
  const whole = starts.flatMap(({ target, repetition: trial, readyMs }) => {
    const rounds = instanceIn(answers, { target, trial })?.rounds;
    const firstMs = rounds?.get(0);
    const secondMs = rounds?.get(1);
    return firstMs === undefined || secondMs === undefined
      ? []
      : [{ target, trial, round: 0, ms: readyMs + firstMs, readyMs, firstMs, secondMs }];
  });
  const fit = fitValues(whole, { ...question, warm: undefined });
  const tell = (target: string, ratio: RatioInterval | null) => {
    const started = whole.filter((start) => start.target === target);
    if (started.length === 0) {
      return null;
    }
    const medianOf = (time: "readyMs" | "firstMs" | "secondMs") => median(started.map((at) => at[time]));
    const readyMs = medianOf("readyMs");
    const firstMs = medianOf("firstMs");
    const secondMs = medianOf("secondMs");
    return { target, repetitions: started.length, readyMs, firstMs, secondMs, ratio };
  };
  return { fit, tell };
}

function partCost(part: Part, timelines: readonly Timeline[], question: Question) {
  const fit = fitValues(
    timelines.map((timeline) => ({ ...timeline, ms: timeOf(timeline, part) })),
    question,
  );
  const tell = (target: string, ratio: RatioInterval | null, verdict: Verdict | null) => {
    const ms = shownMs(fit, target);
    return ms === null ? null : { target, part, ms, ratio, verdict };
  };
  return { fit, tell };
}

/** "half" is the part with which half of the bytes are there. */
function timeOf({ arrivals }: Timeline, part: Part): number {
  const end = arrivals.at(-1) ?? [0, 0];
  const half = arrivals.find(([, bytes]) => bytes >= end[1] / 2);
  return { first: arrivals[0], half, last: end }[part]?.[0] ?? 0;
}
