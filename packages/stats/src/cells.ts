import type { Metric, Sample } from "@evenbench/results";
import { type Cell, fitTwoWay } from "./model.ts";
import { interquartileMean, logMs, mean, median, medianOf, type Rounds, sum } from "./numbers.ts";
import { type WarmInstances, warmthOf } from "./warmth.ts";

export interface RoundValue {
  readonly target: string;
  readonly trial: number;
  readonly round: number;
  readonly ms: number;
  /** What a fixed loop took on the same core. */
  readonly gaugeMs?: number | undefined;
}

/** What one process of a target answered. */
export interface InstanceTimes {
  readonly target: string;
  readonly trial: number;
  readonly rounds: Rounds;
  /** The same on cores of the usual speed. */
  readonly speedAdjusted: Rounds;
}

/**
 * Times of failed samples are not used. Nor are those of a process that was replaced within its trial: the one after it
 * was warmed up anew, so that they stand before the trial's last warm-up.
 */
export function instancesOf(
  samples: readonly Sample[],
  caseId: string,
  metric: Metric,
  phase: Sample["phase"] = "measure",
): readonly InstanceTimes[] {
  const ofCase = samples.filter((sample) => sample.caseId === caseId);
  const warmSince = phase === "measure" ? lastWarmUps(ofCase) : new Map<string, number>();
  const values: RoundValue[] = [];
  for (const sample of ofCase) {
    const { target, trial, roundIndex: round, [metric]: ms, gaugeMs } = sample;
    if (sample.phase !== phase || sample.error !== null || ms === null) {
      continue;
    }
    if (sample.startedAtMs < (warmSince.get(placeOf(sample)) ?? 0)) {
      continue;
    }
    values.push({ target, trial, round, ms, gaugeMs });
  }
  return byInstance(values);
}

/** When the last request of a warm-up was sent, by target and trial; in milliseconds, as samples have them. */
function lastWarmUps(samples: readonly Sample[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const sample of samples) {
    if (sample.phase !== "warmup") {
      continue;
    }
    const place = placeOf(sample);
    last.set(place, Math.max(last.get(place) ?? 0, sample.startedAtMs));
  }
  return last;
}

function placeOf({ target, trial }: Pick<Sample, "target" | "trial">): string {
  return `${trial} ${target}`;
}

/** Target by target, trials and rounds ascending. */
export function byInstance(values: readonly RoundValue[]): readonly InstanceTimes[] {
  const usual = mean(values.flatMap(({ gaugeMs }) => (gaugeMs === undefined ? [] : Math.log(gaugeMs))));
  return [...Map.groupBy(values, ({ target }) => target)].flatMap(([target, targetValues]) => {
    const byTrial = [...Map.groupBy(targetValues, ({ trial }) => trial)].sort(([a], [b]) => a - b);
    const slope = speedElasticity(byTrial.map(([, all]) => all));
    const steadyMs = ({ ms, gaugeMs }: RoundValue) =>
      gaugeMs === undefined ? ms : ms * Math.exp(slope * (usual - Math.log(gaugeMs)));
    return byTrial.map(([trial, all]) => {
      const ordered = all.toSorted((a, b) => a.round - b.round);
      const rounds = new Map(ordered.map(({ round, ms }) => [round, ms]));
      return {
        target,
        trial,
        rounds,
        speedAdjusted: new Map(ordered.map((value) => [value.round, steadyMs(value)])),
      };
    });
  });
}

/** Code cannot follow its core's speed much more than the loop does. */
const MAX_SPEED_ELASTICITY = 1.5;
/** Of logarithms from their median: what lies further out has another cause. */
const MAX_RESIDUAL = 0.5;

/** How far a target's times follow the speed of its core, within its instances: analysis of covariance (Fisher, 1932). */
function speedElasticity(instances: readonly (readonly RoundValue[])[]): number {
  const pairs = instances.flatMap((values) => {
    const gauged = values.flatMap(({ ms, gaugeMs }) =>
      gaugeMs === undefined ? [] : [[logMs(ms), Math.log(gaugeMs)] as const],
    );
    const times = centred(gauged.map(([time]) => time));
    const gauges = centred(gauged.map(([, gauge]) => gauge));
    return gauges.map((gauge, index) => [gauge * gauge, gauge * (times[index] as number)] as const);
  });
  const squares = sum(pairs.map(([square]) => square));
  if (squares === 0) {
    return 0;
  }
  return Math.min(Math.max(sum(pairs.map(([, product]) => product)) / squares, 0), MAX_SPEED_ELASTICITY);
}

function centred(values: readonly number[]): readonly number[] {
  if (values.length === 0) {
    return [];
  }
  const middle = median(values);
  const kept = values.map((value) => Math.min(Math.max(value - middle, -MAX_RESIDUAL), MAX_RESIDUAL));
  const centre = mean(kept);
  return kept.map((value) => value - centre);
}

export function instanceIn<Found extends Pick<InstanceTimes, "target" | "trial">>(
  all: readonly Found[],
  { target, trial }: Pick<InstanceTimes, "target" | "trial">,
): Found | undefined {
  return all.find((instance) => instance.target === target && instance.trial === trial);
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
 * Of times at the usual speed. Where the warm targets of a trial share rounds, all are measured from their middle in the same round, so that a trial
 * whose speed changes on the way moves none of them. A value is then the mean of the middle half of these.
 */
export function instanceCells(
  instances: readonly InstanceTimes[],
  targets: readonly string[],
  warm?: WarmInstances,
  leastRounds = ROUNDS_FOR_TRIAL,
): readonly InstanceCell[] {
  const asked = targets.flatMap((name) => instances.filter(({ target }) => target === name));
  return [...Map.groupBy(asked, ({ trial }) => trial)].flatMap(([trial, all]) => {
    const seen = all.flatMap(({ target, rounds, speedAdjusted }) => {
      const { warm: isWarm, reason, falls = false } = warmthOf(warm, target, trial);
      const cold = isWarm ? null : (reason ?? "was not warm");
      return rounds.size < leastRounds ? [] : [{ target, rounds, speedAdjusted: speedAdjusted, cold, falls }];
    });
    const middles = middleOfRounds(
      seen.flatMap(({ speedAdjusted, cold }) => (cold === null ? [speedAdjusted] : [])),
    );
    const beside = seen.map(({ speedAdjusted }) =>
      [...speedAdjusted].flatMap(([round, ms]) => {
        const middle = middles.get(round);
        return middle === undefined ? [] : [logMs(ms) - middle];
      }),
    );
    const areShared = beside.every(({ length }) => length >= leastRounds);
    return seen.map(({ target, rounds, speedAdjusted, cold, falls }, index): InstanceCell => {
      const typical = logMs(medianOf(rounds));
      const value = areShared ? interquartileMean(beside[index] as number[]) : logMs(medianOf(speedAdjusted));
      return { target, block: trial, rounds: rounds.size, logMs: typical, value, cold, falls };
    });
  });
}

/**
 * How much a cell's value varies because its instance answered no more rounds: the two halves of its rounds against each
 * other, what moves all targets of a trial taken out. In units of the value, squared; null where no trial says it.
 */
export function varianceOfRounds(
  instances: readonly InstanceTimes[],
  targets: readonly string[],
): number | null {
  const [first = [], second = []] = [0, 1].map((half) => {
    const ownOf = (rounds: Rounds) =>
      new Map([...rounds].filter((_, index) => index < rounds.size >> 1 === (half === 0)));
    const halves = instances.map(({ rounds, speedAdjusted, ...instance }) => {
      return { ...instance, rounds: ownOf(rounds), speedAdjusted: ownOf(speedAdjusted) };
    });
    return instanceCells(halves, targets);
  });
  const differences = first.flatMap(({ block, target, value }): readonly Cell[] => {
    const other = second.find((cell) => cell.block === block && cell.target === target);
    return other === undefined ? [] : [{ target: "all", block, value: value - other.value }];
  });
  const { variance, freedom } = fitTwoWay(differences);
  return freedom === 0 ? null : variance / 4;
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
    [...Map.groupBy(cells, ({ target }) => target)].flatMap(([target, all]) => {
      const cold = all.filter((cell) => cell.cold !== null);
      const isEnough = all.length - cold.length >= Math.max(TRIALS_FOR_INTERVAL, all.length / 2);
      return cold.length === 0 || isEnough
        ? []
        : [[target, `${cold.length} of ${all.length} trials: ${target} ${cold[0]?.cold}`] as const];
    }),
  );
}
