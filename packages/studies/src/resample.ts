// What the studies of drawn and of simulated runs have in common.
import { markdownTable } from "@evenbench/page";
import {
  answeredByCpuTime,
  type CaseFit,
  type IntervalEnds,
  median,
  nonBaselinesOf,
  openTargets,
  type RatioInterval,
  type Verdict,
  verdictOf,
} from "@evenbench/stats";

/** Number of trials of each case before a run that ends cases early is looked at for the first time. */
const TRIALS_BEFORE_FIRST_LOOK = 3;

/**
 * Tells whether a target is measured in a trial.
 *
 * @param index the trial's place among those of the case, from 0.
 */
type IsMeasured = (index: number, target: string) => boolean;

/** The result of a case of a drawn run. */
export interface DrawnResult {
  /** The fit of its times, by which it is decided whether the case ends. */
  readonly time: CaseFit;
  /** The fit of its CPU times, which may answer what the times cannot. Default: these are not known. */
  readonly cpuTime?: CaseFit;
}

/** A case of a drawn run, which can be measured with any number of trials. */
export interface RedrawnCase<Result extends DrawnResult> {
  /**
   * Analyses its first trials.
   *
   * @param isMeasured tells which targets were measured in which of them. Default: all.
   */
  analyse(trials: number, isMeasured?: IsMeasured): Result;
}

/** A case while its run goes on. */
interface OngoingCase<Result extends DrawnResult> {
  readonly redrawn: RedrawnCase<Result>;
  result: Result;
  isOpen: boolean;
  /** Trials in which a target was not measured, since it was decided: "3 other". */
  readonly rested: Set<string>;
}

/**
 * Plays a run whose targets rest, and whose cases end, once they are decided: it is looked at after each
 * turn, as a real run is.
 *
 * @param maxTrials largest number of trials of a case.
 * @returns the result of each case with the trials that it then has, in the order of `cases`.
 */
export function untilDecided<Result extends DrawnResult>(
  cases: readonly RedrawnCase<Result>[],
  maxTrials: number,
): readonly Result[] {
  const ongoing = cases.map((redrawn): OngoingCase<Result> => {
    return { redrawn, result: redrawn.analyse(TRIALS_BEFORE_FIRST_LOOK), isOpen: true, rested: new Set() };
  });
  for (let trials = TRIALS_BEFORE_FIRST_LOOK + 1; trials <= maxTrials; trials++) {
    const open = openTargets(ongoing.map(({ result }) => result.time));
    const answered = answeredByCpuTime(
      ongoing.map(({ result }) => ({
        time: result.time,
        cpuTime: result.cpuTime ?? null,
        trialsLeft: maxTrials - trials + 1,
      })),
    );
    for (const [index, each] of ongoing.entries()) {
      const names = open[index] ?? [];
      takeTrial(
        each,
        trials,
        names.filter((name) => !answered[index]?.includes(name)),
      );
    }
  }
  return ongoing.map(({ result }) => result);
}

/** Measures another trial of the targets of a case that are not decided yet; a case without any ends for good. */
function takeTrial<Result extends DrawnResult>(
  ongoing: OngoingCase<Result>,
  trials: number,
  openNames: readonly string[],
): void {
  if (!ongoing.isOpen || openNames.length === 0) {
    ongoing.isOpen = false;
    return;
  }
  for (const target of nonBaselinesOf(ongoing.result.time.question)) {
    if (!openNames.includes(target)) {
      ongoing.rested.add(`${trials - 1} ${target}`);
    }
  }
  const isMeasured: IsMeasured = (index, target) => !ongoing.rested.has(`${index} ${target}`);
  ongoing.result = ongoing.redrawn.analyse(trials, isMeasured);
}

/** The results of many drawn runs. */
export interface Many<Value> {
  /** All of them. */
  readonly all: readonly Value[];
  /** Gives the share of those that a condition holds for, in percent: "97.3 %". A dash where there is none at all. */
  share(counts: (value: Value) => boolean): string;
}

/** Collects results, so that shares of them can be computed. */
export function many<Value>(all: readonly Value[]): Many<Value> {
  return {
    all,
    share: (counts) => (all.length === 0 ? "-" : percentOf(all.filter(counts).length / all.length)),
  };
}

/** Draws a number of runs, and collects the results of all. */
export function manyOf<Value>(runs: number, draw: () => readonly Value[]): Many<Value> {
  return many(Array.from({ length: runs }, draw).flat());
}

/** Writes a fraction in percent, with one decimal: "97.3 %". */
export function percentOf(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`;
}

/** The two intervals of a ratio that a verdict is read off. */
export interface JudgedRatio {
  readonly ratio: RatioInterval;
  /** Interval by which sameness is judged. */
  readonly equivalence: IntervalEnds;
}

/** Gives the verdict of a ratio, had the target taken `factor` times as long. */
export function verdictIf({ ratio, equivalence }: JudgedRatio, factor = 1): Verdict {
  return verdictOf(scaled(ratio, factor), scaled(equivalence, factor));
}

function scaled({ low, high }: IntervalEnds, factor: number): IntervalEnds {
  return { low: low * factor, high: high * factor };
}

/** An interval beside the truth. */
export interface Checked {
  /** The interval; null where there is none. */
  readonly ratio: RatioInterval | null;
  /** The true ratio. */
  readonly truth: number;
}

/** Tells whether an interval has the truth in it; where there is no interval, it has not. */
export function coversTruth({ ratio, truth }: Checked): boolean {
  return ratio !== null && ratio.low <= truth && truth <= ratio.high;
}

/** Computes the median half-width of intervals of ratios, in percent; a dash where there is none. */
export function halfWidthWords(comparisons: readonly { readonly ratio: RatioInterval }[]): string {
  const widths = comparisons.map(({ ratio: { low, high } }) => Math.sqrt(high / low) - 1);
  return widths.length === 0 ? "-" : percentOf(median(widths));
}

/** Writes the lines of a Markdown table whose first column names the row, and whose others are numbers. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return markdownTable({ head, rows, numeric: head.map((_, column) => column).slice(1) });
}
