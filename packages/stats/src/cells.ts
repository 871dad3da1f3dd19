import type { Metric, Sample } from "@evenbench/results";
import { type Cell, fitTwoWay } from "./model.ts";
import { logMs, mean, median, medianOf, type Rounds } from "./numbers.ts";
import { type WarmInstances, warmthOf } from "./warm-up.ts";

/** Milliseconds; null where nothing is known. */
export interface RoundValue {
  readonly target: string;
  readonly trial: number;
  readonly round: number;
  readonly ms: number | null;
  readonly failed?: boolean;
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
  return new Map(ordered.map(({ round, ms }) => [round, ms ?? Number.NaN]));
}

export const TRIALS_FOR_INTERVAL = 2;
export const ROUNDS_FOR_TRIAL = 3;

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
  leastRounds = ROUNDS_FOR_TRIAL,
): readonly InstanceCell[] {
  const names = [...targets];
  const trials = new Set(names.flatMap((target) => [...(series.get(target)?.trials.keys() ?? [])]));
  return [...trials].flatMap((trial) => {
    const seen = names.flatMap((target) => {
      const rounds = series.get(target)?.trials.get(trial);
      const { warm: isWarm, reason, falls = false } = warmthOf(warm, target, trial);
      const cold = isWarm ? null : (reason ?? "was not warm");
      return rounds === undefined || rounds.size < leastRounds ? [] : [{ target, rounds, cold, falls }];
    });
    const middles = middleOfRounds(seen.flatMap(({ rounds, cold }) => (cold === null ? [rounds] : [])));
    const beside = seen.map(({ rounds }) =>
      [...rounds].flatMap(([round, ms]) => {
        const middle = middles.get(round);
        return middle === undefined ? [] : [logMs(ms) - middle];
      }),
    );
    const areShared = beside.every(({ length }) => length >= leastRounds);
    return seen.map(({ target, rounds, cold, falls }, index): InstanceCell => {
      const own = logMs(medianOf(rounds));
      const value = areShared ? median(beside[index] as number[]) : own;
      return { target, block: trial, rounds: rounds.size, logMs: own, value, cold, falls };
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
  const differences = first.flatMap(({ block, target, value }): readonly Cell[] => {
    const other = second.find((one) => one.block === block && one.target === target);
    return other === undefined ? [] : [{ target: "all", block, value: value - other.value }];
  });
  const { variance, freedom } = fitTwoWay(differences);
  return freedom === 0 ? null : variance / 4;
}

function halfOf(trials: Series["trials"], half: number): Series["trials"] {
  return new Map(
    [...trials].map(([trial, rounds]) => {
      const middle = rounds.size >> 1;
      return [trial, new Map(half === 0 ? [...rounds].slice(0, middle) : [...rounds].slice(middle))];
    }),
  );
}

function middleOfRounds(all: readonly Rounds[]): ReadonlyMap<number, number> {
  const shared = [...(all[0]?.keys() ?? [])].filter((round) => all.every((rounds) => rounds.has(round)));
  return new Map(
    shared.map((round) => [round, mean(all.map((rounds) => logMs(rounds.get(round) as number)))]),
  );
}

/** The one rule for warm: a target with fewer than two warm trials, or fewer than half, has no verdict. */
export function coldTargets(
  cells: readonly Pick<InstanceCell, "target" | "cold">[],
): ReadonlyMap<string, string> {
  return new Map(
    [...Map.groupBy(cells, ({ target }) => target)].flatMap(([target, own]) => {
      const cold = own.filter((cell) => cell.cold !== null);
      const isEnough = own.length - cold.length >= Math.max(TRIALS_FOR_INTERVAL, own.length / 2);
      return cold.length === 0 || isEnough
        ? []
        : [[target, `${cold.length} of ${own.length} trials: ${target} ${cold[0]?.cold}`] as const];
    }),
  );
}
