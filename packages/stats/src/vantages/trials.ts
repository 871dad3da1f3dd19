import type { Sample } from "@evenbench/results";
import { median } from "../quantile.ts";
import { pairRounds, type Series } from "../series.ts";
import type { TrialDifference } from "./difference.ts";

/** The first transfer rounds warm up what only the payload uses. */
const TRANSFER_WARMUP_ROUNDS = 3;
/** Below this a trial's median says too little. */
const LEAST_ROUNDS = 3;

/** Where the exchanges of one target in one trial came from, and through what they went. */
export interface TrialPlace {
  readonly vantage: string;
  readonly client: string;
  /** The one through which most of them went; null where none is named. */
  readonly edge: string | null;
  /** Median time to the last byte of the payload of the same length; null where that was not measured. */
  readonly transferMs: number | null;
}

/** By target, then by trial. */
export type TrialPlaces = ReadonlyMap<string, ReadonlyMap<number, TrialPlace>>;

/**
 * Where each trial of each target was seen from. A trial is one client's.
 *
 * @param samples of one case; those without `from` are left out.
 */
export function trialPlaces(samples: readonly Sample[]): TrialPlaces {
  const byTarget = Map.groupBy(
    samples.filter(({ from }) => from !== undefined),
    ({ target }) => target,
  );
  return new Map(
    [...byTarget].map(([target, own]) => {
      const byTrial = [...Map.groupBy(own, ({ trial }) => trial)];
      return [target, new Map(byTrial.flatMap(([trial, exchanges]) => placeOf(trial, exchanges)))];
    }),
  );
}

function placeOf(trial: number, exchanges: readonly Sample[]): readonly (readonly [number, TrialPlace])[] {
  const from = exchanges[0]?.from;
  if (from === undefined) return [];
  const edges = [...Map.groupBy(exchanges, (one) => one.from?.edge ?? null)].filter(
    ([edge]) => edge !== null,
  );
  const [most] = edges.toSorted(([, a], [, b]) => b.length - a.length);
  const transfer = exchanges.flatMap(({ phase, roundIndex, error, lastByteMs }) =>
    phase === "transfer" && roundIndex >= TRANSFER_WARMUP_ROUNDS && error === null ? (lastByteMs ?? []) : [],
  );
  const transferMs = transfer.length === 0 ? null : median(transfer);
  return [[trial, { vantage: from.vantage, client: from.client, edge: most?.[0] ?? null, transferMs }]];
}

/** One target against another: a value for each trial that has both. */
export interface PairedTrials {
  readonly differences: readonly TrialDifference[];
  /** The same after each side's own transfer time is taken off; trials without one are left out. */
  readonly compute: readonly TrialDifference[];
}

/**
 * Differences of medians, trial by trial, over the rounds that both sides have.
 *
 * @param isWarm says of a trial whether both sides were; those that were not are left out.
 */
export function pairedTrials(
  [target, baseline]: readonly [Series | undefined, Series | undefined],
  [places, others]: readonly [ReadonlyMap<number, TrialPlace>, ReadonlyMap<number, TrialPlace>],
  isWarm: (trial: number) => boolean,
): PairedTrials {
  const pairs = target === undefined || baseline === undefined ? [] : pairRounds(target, baseline);
  const found = pairs.flatMap((pair) => {
    const [own, other] = [places.get(pair.trial), others.get(pair.trial)];
    if (own === undefined || other === undefined || pair.target.length < LEAST_ROUNDS) return [];
    if (!isWarm(pair.trial)) return [];
    const ms = median(pair.target) - median(pair.baseline);
    const transferMs =
      own.transferMs === null || other.transferMs === null ? null : own.transferMs - other.transferMs;
    const { vantage, client } = own;
    return [{ vantage, client, trial: pair.trial, edge: wayOf(own, other), ms, transferMs }];
  });
  return {
    differences: found.map(({ transferMs: _, ...one }) => one),
    compute: found.flatMap(({ transferMs, ms, ...one }) =>
      transferMs === null ? [] : [{ ...one, ms: ms - transferMs }],
    ),
  };
}

/** Two trials went the same way if both sides answered through the same edges. */
function wayOf({ edge }: TrialPlace, { edge: other }: TrialPlace): string | null {
  return edge === null && other === null ? null : `${edge ?? "–"}, ${other ?? "–"}`;
}
