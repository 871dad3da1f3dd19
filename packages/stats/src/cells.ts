import type { Metric, Sample } from "@evenbench/results";
import type { Cell } from "./model.ts";
import { logMs, median, sum, variance } from "./numbers.ts";
import { type WarmInstances, warmthOf } from "./warm-up.ts";

/** Milliseconds; null where nothing is known. */
export interface RoundValue {
  readonly target: string;
  readonly trial: number;
  readonly round: number;
  readonly ms: number | null;
  readonly failed?: boolean;
}

export interface Rounds {
  readonly index: Float64Array;
  readonly ms: Float64Array;
}

export interface Series {
  /** By trial, ascending. */
  readonly trials: ReadonlyMap<number, Rounds>;
  readonly exchanges: number;
  readonly errors: number;
}

/** Failed samples are counted, and their times are not used. */
export function seriesByTarget(
  samples: Iterable<Sample>,
  caseId: string,
  metric: Metric,
  phase: Sample["phase"] = "measure",
): Map<string, Series> {
  return seriesOf(
    [...samples].flatMap((sample): RoundValue[] => {
      const { target, trial, roundIndex: round, error, [metric]: ms } = sample;
      const isAsked = sample.caseId === caseId && sample.phase === phase;
      return isAsked ? [{ target, trial, round, ms, failed: error !== null }] : [];
    }),
  );
}

export function seriesOf(values: readonly RoundValue[]): Map<string, Series> {
  return new Map(
    [...Map.groupBy(values, ({ target }) => target)].map(([target, own]) => {
      const good = own.filter(({ ms, failed = false }) => ms !== null && !failed);
      const trials = [...Map.groupBy(good, ({ trial }) => trial)].sort(([a], [b]) => a - b);
      const rounds = trials.map(([trial, all]) => [trial, roundsOf(all)] as const);
      const errors = own.filter(({ failed }) => failed).length;
      return [target, { trials: new Map(rounds), exchanges: good.length, errors }];
    }),
  );
}

function roundsOf(values: readonly RoundValue[]): Rounds {
  const ordered = values.toSorted((a, b) => a.round - b.round);
  return {
    index: Float64Array.from(ordered, ({ round }) => round),
    ms: Float64Array.from(ordered, ({ ms }) => ms ?? Number.NaN),
  };
}

export const LEAST_TRIALS = 2;
export const LEAST_ROUNDS = 3;

/** What one instance showed: a block is its trial, or its repetition. */
export interface InstanceCell extends Cell {
  readonly block: number;
  readonly rounds: number;
  readonly logMs: number;
  /** Why it was not warm. */
  readonly cold: string | null;
  readonly falls: boolean;
}

/**
 * Where the warm targets of a trial share rounds, all are measured from their middle in the same round, so that a trial
 * whose speed changes on the way moves none of them.
 */
export function instanceCells(
  series: ReadonlyMap<string, Series>,
  targets: Iterable<string>,
  warm?: WarmInstances,
  leastRounds = LEAST_ROUNDS,
): readonly InstanceCell[] {
  const names = [...targets];
  const trials = new Set(names.flatMap((target) => [...(series.get(target)?.trials.keys() ?? [])]));
  return [...trials].flatMap((trial) => {
    const seen = names.flatMap((target) => {
      const rounds = series.get(target)?.trials.get(trial);
      const { warm: isWarm, reason, falls = false } = warmthOf(warm, target, trial);
      const cold = isWarm ? null : (reason ?? "was not warm");
      return rounds === undefined || rounds.ms.length < leastRounds ? [] : [{ target, rounds, cold, falls }];
    });
    const middles = middleOfRounds(seen.flatMap(({ rounds, cold }) => (cold === null ? [rounds] : [])));
    const beside = seen.map(({ rounds: { index, ms } }) =>
      [...index].flatMap((round, place) => {
        const middle = middles.get(round);
        return middle === undefined ? [] : [logMs(ms[place] as number) - middle];
      }),
    );
    const areShared = beside.every(({ length }) => length >= leastRounds);
    return seen.map(({ target, rounds, cold, falls }, index): InstanceCell => {
      const own = logMs(median(rounds.ms));
      const value = areShared ? median(beside[index] as number[]) : own;
      return { target, block: trial, rounds: rounds.ms.length, logMs: own, value, cold, falls };
    });
  });
}

/**
 * How much a cell's value varies because its instance answered no more rounds: the two halves of its rounds against each
 * other, what moves all targets of a trial taken out. In units of the value, squared; null where no trial says it.
 */
export function varianceOfRounds(
  series: ReadonlyMap<string, Series>,
  targets: readonly string[],
): number | null {
  const [first = [], second = []] = [0, 1].map((half) =>
    instanceCells(
      new Map([...series].map(([name, own]) => [name, { ...own, trials: halfOf(own.trials, half) }])),
      targets,
    ),
  );
  const values = new Map(second.map(({ block, target, value }) => [`${block} ${target}`, value]));
  const differences = first.flatMap(({ block, target, value }) => {
    const other = values.get(`${block} ${target}`);
    return other === undefined ? [] : [{ block, difference: value - other }];
  });
  const trials = [...Map.groupBy(differences, ({ block }) => block).values()];
  const freedom = differences.length - trials.length;
  const squares = trials.map((own) => {
    const all = own.map(({ difference }) => difference);
    return variance(all) * (all.length - 1);
  });
  return freedom === 0 ? null : sum(squares) / freedom / 4;
}

function halfOf(trials: Series["trials"], half: number): Series["trials"] {
  return new Map(
    [...trials].map(([trial, { index, ms }]) => {
      const middle = index.length >> 1;
      const [from, to] = half === 0 ? [0, middle] : [middle, index.length];
      return [trial, { index: index.slice(from, to), ms: ms.slice(from, to) }];
    }),
  );
}

function middleOfRounds(all: readonly Rounds[]): ReadonlyMap<number, number> {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const { index, ms } of all)
    index.forEach((round, place) => {
      const { sum = 0, count = 0 } = sums.get(round) ?? {};
      sums.set(round, { sum: sum + logMs(ms[place] as number), count: count + 1 });
    });
  return new Map(
    [...sums].flatMap(([round, { sum, count }]) =>
      count === all.length ? [[round, sum / count] as const] : [],
    ),
  );
}

/** The one rule for warm: a target with fewer than two warm trials, or fewer than half, has no verdict. */
export function coldTargets(
  cells: readonly Pick<InstanceCell, "target" | "cold">[],
): ReadonlyMap<string, string> {
  return new Map(
    [...Map.groupBy(cells, ({ target }) => target)].flatMap(([target, own]) => {
      const cold = own.filter((cell) => cell.cold !== null);
      const isEnough = own.length - cold.length >= Math.max(LEAST_TRIALS, own.length / 2);
      return cold.length === 0 || isEnough
        ? []
        : [[target, `${cold.length} of ${own.length} trials: ${target} ${cold[0]?.cold}`] as const];
    }),
  );
}
