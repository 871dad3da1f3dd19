// The costs of a case beside its times: CPU time and memory, compute time, cold starts, and when parts of a body are
// there. They are compared as times are: by the same fit, the same judge and the same rule for warm.
import type { ColdStart, InstanceUsage, Metric, Sample, Timeline } from "@evenbench/results";
import { type InstanceKey, instanceIn, instancesOf, type RoundValue } from "./cells.ts";
import {
  baselinesOf,
  type CellFit,
  type ComparedCells,
  compareCells,
  fitValues,
  type Question,
  ratiosByTrial,
  shownMs,
} from "./compare.ts";
import { priorOfCases } from "./model.ts";
import { largest, mean, median, medianOfRounds, sum } from "./numbers.ts";
import { warmthOf } from "./warmth.ts";

/** The measurements that one case's costs are made from; all of them are of that case. */
export interface CostsMeasured {
  readonly usage: readonly InstanceUsage[];
  readonly samples: readonly Sample[];
  readonly coldStarts: readonly ColdStart[];
  readonly timelines: readonly Timeline[];
}

/** How a target's cost compares with the baseline's. */
export interface ComparedCost extends Pick<ComparedCells, "ratio" | "equivalence" | "freedom" | "verdict"> {
  /** The ratio of each trial alone. */
  readonly byTrial: readonly number[];
}

/** A cost of one target beside how it compares. */
interface ComparedRow {
  /** null for the baselines, where nothing is compared, with too few trials, and where one took no time above 0. */
  readonly compared: ComparedCost | null;
}

/** The moments that somebody sees of a page that streams: its first part, half of its bytes, its last. */
export const BODY_PARTS = ["first", "half", "last"] as const;
/** A moment of a body's arrival, one of {@link BODY_PARTS}. */
export type BodyPart = (typeof BODY_PARTS)[number];

/** CPU time and memory of one target in one case, by its account of all processes and threads. */
export interface CpuCost extends ComparedRow {
  readonly target: string;
  /** CPU time for one exchange, in milliseconds: the level of its trials' means. */
  readonly msPerExchange: number;
  /** Share of its CPU time that the kernel worked for it, from 0 to 1; null where the account does not say. */
  readonly systemShare: number | null;
  /** Pages that the kernel gave it for one exchange without a disk; null where the account does not say. */
  readonly minorFaults: number | null;
  /** Largest memory in use at a trial's end, in bytes. */
  readonly residentBytes: number;
  /** Largest memory in use at any moment of a trial, in bytes; null where the account does not say. */
  readonly peakResidentBytes: number | null;
}

/** How long one target computes in one case: its time to the last byte less what the transfer alone takes. */
export interface ComputeCost extends ComparedRow {
  readonly target: string;
  /** Milliseconds: the mean of its trials. It can be below 0 where the clock is coarse. */
  readonly computeMs: number;
}

/** How long a target takes from nothing to its first answers: medians of its repetitions, in milliseconds. */
export interface ColdStartCost extends ComparedRow {
  readonly target: string;
  readonly repetitions: number;
  /** Time from the start of the instance's processes until it is ready. */
  readonly readyMs: number;
  /** The first exchange, to its last byte. */
  readonly firstMs: number;
  /** The second exchange, to its last byte. */
  readonly secondMs: number;
  /**
   * Time from the start of the instance's processes until the last byte of its first answer: no median, but the level
   * that its ratio is made of, so that times and ratios agree.
   */
  readonly firstAnswerMs: number;
}

/** When one part of a streamed body is there. */
export interface PartTime extends ComparedRow {
  readonly target: string;
  readonly part: BodyPart;
  /** Time since the request's write, in milliseconds: the level of its trials' medians. */
  readonly ms: number;
}

/** The costs of a case beside its times: a row for each target of which one is known, in order. */
export interface CaseCosts {
  readonly cpu: readonly CpuCost[];
  readonly computeTimes: readonly ComputeCost[];
  readonly cold: readonly ColdStartCost[];
  readonly partTimes: readonly PartTime[];
}

/** A cost of one case, fitted and not compared yet. */
export interface CostFit<Row> {
  readonly fit: CellFit;
  /** Makes the row of a target; null where the cost is not known of it. */
  rowOf(target: string, compared: ComparedCost | null): Row | null;
}

/** The costs of one case, fitted: cases of a run say how certain each other's variance is. */
export interface CostFits {
  readonly cpu: CostFit<CpuCost>;
  readonly compute: CostFit<ComputeCost>;
  readonly cold: CostFit<ColdStartCost>;
  readonly parts: Readonly<Record<BodyPart, CostFit<PartTime>>>;
}

/** Fits the costs of one case. @param question about a metric: which instances count as warm depends on that. */
export function fitCosts(measured: CostsMeasured, question: (metric: Metric) => Question): CostFits {
  const { usage, samples, coldStarts, timelines } = measured;
  return {
    cpu: cpuCost(usage, question("cpuMs")),
    compute: computeCost(samples, question("lastByteMs")),
    cold: coldStartCost(coldStarts, samples, question("lastByteMs")),
    parts: {
      first: partCost("first", timelines, question("lastByteMs")),
      half: partCost("half", timelines, question("lastByteMs")),
      last: partCost("last", timelines, question("lastByteMs")),
    },
  };
}

/** Compares the costs of all cases of a run, with what these say of each other's variance, in their order. */
export function compareCosts(cases: readonly CostFits[]): readonly CaseCosts[] {
  const cpu = compareRows(cases.map((fits) => fits.cpu));
  const compute = compareRows(cases.map((fits) => fits.compute));
  const cold = compareRows(cases.map((fits) => fits.cold));
  const parts = BODY_PARTS.map((part) => compareRows(cases.map((fits) => fits.parts[part])));
  return cases.map((_, index) => ({
    cpu: cpu[index] ?? [],
    computeTimes: compute[index] ?? [],
    cold: cold[index] ?? [],
    partTimes: parts.flatMap((rows) => rows[index] ?? []),
  }));
}

/** Compares one kind of cost in all cases. @returns for each case the rows of its targets. */
export function compareRows<Row>(costs: readonly CostFit<Row>[]): readonly (readonly Row[])[] {
  const prior = priorOfCases(costs.map(({ fit }) => fit));
  return costs.map((cost) => {
    const { question } = cost.fit;
    const bases = baselinesOf(question);
    const rows: Row[] = [];
    for (const target of question.targets) {
      const compared = compareCells(cost.fit, target, { prior });
      const isCompared = compared.ratio !== null && !bases.includes(target) && question.compares !== false;
      const row = cost.rowOf(target, isCompared ? comparedCost(compared) : null);
      if (row !== null) {
        rows.push(row);
      }
    }
    return rows;
  });
}

function comparedCost({ ratio, equivalence, freedom, verdict, pairs }: ComparedCells): ComparedCost {
  return { ratio, equivalence, freedom, verdict, byTrial: ratiosByTrial(pairs) };
}

/** Fits CPU time for one exchange, of all processes and threads: the mean of each trial. */
function cpuCost(usage: readonly InstanceUsage[], question: Question): CostFit<CpuCost> {
  const fit = fitValues(cpuValues(usage), question);
  return {
    fit,
    rowOf(target, compared) {
      const msPerExchange = shownMs(fit, target);
      if (msPerExchange === null) {
        return null;
      }
      const used = usage.filter((account) => account.target === target);
      const cpuMs = sum(used.map((account) => account.cpuMs));
      const exchanges = sum(used.map((account) => account.exchanges));
      const systemMs = allKnown(used.map((account) => account.systemMs));
      const faults = allKnown(used.map((account) => account.minorFaults));
      const peaks = allKnown(used.map((account) => account.peakResidentBytes));
      return {
        target,
        msPerExchange,
        compared,
        systemShare: systemMs && Math.min(1, sum(systemMs) / cpuMs),
        minorFaults: faults && sum(faults) / exchanges,
        residentBytes: largest(used.map((account) => account.residentBytes)),
        peakResidentBytes: peaks && largest(peaks),
      };
    },
  };
}

/** CPU time for one exchange by instance, in milliseconds, as values of one round; none without an exchange. */
export function cpuValues(usage: readonly InstanceUsage[]): readonly RoundValue[] {
  return usage
    .filter(({ exchanges }) => exchanges > 0)
    .map(({ target, trial, cpuMs, exchanges }) => ({ target, trial, round: 0, ms: cpuMs / exchanges }));
}

/** The values, if none of them is null; else null: a sum of some would be one of fewer trials. */
function allKnown(values: readonly (number | null)[]): readonly number[] | null {
  return values.every((value) => value !== null) ? values : null;
}

/** Number of an instance's first transfer rounds that are left out: they warm up what only the payload uses. */
const TRANSFER_WARMUP_ROUNDS = 3;

/**
 * Computes the compute time of each instance: the median of its last bytes less that of its transfer time, which is
 * alike for all targets and would draw ratios towards 1.
 *
 * @param samples of one case, all phases. Instances without transfer rounds are left out.
 */
export function computeValues(samples: readonly Sample[]): readonly RoundValue[] {
  const caseId = samples[0]?.caseId ?? "";
  const transferred = samples.filter(
    ({ phase, roundIndex }) => phase === "transfer" && roundIndex >= TRANSFER_WARMUP_ROUNDS,
  );
  const transfers = instancesOf(transferred, caseId, "lastByteMs", "transfer");
  const values: RoundValue[] = [];
  for (const { target, trial, rounds } of instancesOf(samples, caseId, "lastByteMs")) {
    const transfer = instanceIn(transfers, { target, trial });
    if (transfer !== undefined) {
      const ms = medianOfRounds(rounds) - medianOfRounds(transfer.rounds);
      values.push({ target, trial, round: 0, ms });
    }
  }
  return values;
}

function computeCost(samples: readonly Sample[], question: Question): CostFit<ComputeCost> {
  const values = computeValues(samples);
  const fit = fitValues(values, question);
  const isCounted = ({ target, trial }: InstanceKey): boolean =>
    fit.cold.has(target) || warmthOf(question.warm, target, trial) === null;
  const counted = values.filter(isCounted);
  const ofBaselines = counted.filter(({ target }) => baselinesOf(question).includes(target));
  return {
    fit,
    rowOf(target, compared) {
      const ofTarget = counted.filter((value) => value.target === target);
      if (ofTarget.length === 0) {
        return null;
      }
      const hasRatio = [...ofTarget, ...ofBaselines].every(({ ms }) => ms > 0);
      return {
        target,
        computeMs: mean(ofTarget.map(({ ms }) => ms)),
        compared: hasRatio ? compared : null,
      };
    },
  };
}

/** A start of an instance: from its processes to its second answer. */
interface ColdStartValue extends RoundValue {
  /** Time from the start of the processes to the first exchange's last byte, in milliseconds. */
  readonly ms: number;
  readonly readyMs: number;
  readonly firstMs: number;
  readonly secondMs: number;
}

function coldStartCost(
  starts: readonly ColdStart[],
  samples: readonly Sample[],
  question: Question,
): CostFit<ColdStartCost> {
  const values = coldStartValues(starts, samples);
  // No first answer is warm: that is no reason to leave it out here.
  const fit = fitValues(values, { ...question, warm: undefined });
  return {
    fit,
    rowOf(target, compared) {
      const ofTarget = values.filter((start) => start.target === target);
      if (ofTarget.length === 0) {
        return null;
      }
      return {
        target,
        repetitions: ofTarget.length,
        readyMs: median(ofTarget.map(({ readyMs }) => readyMs)),
        firstMs: median(ofTarget.map(({ firstMs }) => firstMs)),
        secondMs: median(ofTarget.map(({ secondMs }) => secondMs)),
        firstAnswerMs: shownMs(fit, target) ?? median(ofTarget.map(({ ms }) => ms)),
        compared,
      };
    },
  };
}

/** @returns the starts both of whose exchanges were answered. */
function coldStartValues(
  starts: readonly ColdStart[],
  samples: readonly Sample[],
): readonly ColdStartValue[] {
  const answers = instancesOf(samples, samples[0]?.caseId ?? "", "lastByteMs", "cold");
  const values: ColdStartValue[] = [];
  for (const { target, repetition, readyMs } of starts) {
    const rounds = instanceIn(answers, { target, trial: repetition })?.rounds;
    const firstMs = rounds?.get(0);
    const secondMs = rounds?.get(1);
    if (firstMs !== undefined && secondMs !== undefined) {
      values.push({ target, trial: repetition, round: 0, ms: readyMs + firstMs, readyMs, firstMs, secondMs });
    }
  }
  return values;
}

function partCost(part: BodyPart, timelines: readonly Timeline[], question: Question): CostFit<PartTime> {
  const values = timelines.map(({ target, trial, round, arrivals }): RoundValue => {
    return { target, trial, round, ms: arrivalOf(part, arrivals) };
  });
  const fit = fitValues(values, question);
  return {
    fit,
    rowOf(target, compared) {
      const ms = shownMs(fit, target);
      return ms === null ? null : { target, part, ms, compared };
    },
  };
}

/** When a part of the body was there, in milliseconds; 0 where nothing arrived. */
function arrivalOf(part: BodyPart, arrivals: Timeline["arrivals"]): number {
  const last = arrivals.at(-1);
  if (last === undefined) {
    return 0;
  }
  const [lastMs, bytes] = last;
  if (part === "last") {
    return lastMs;
  }
  const arrival = part === "first" ? arrivals[0] : arrivals.find(([, received]) => received >= bytes / 2);
  return arrival?.[0] ?? 0;
}
