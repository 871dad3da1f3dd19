import type { MsByRound } from "./numbers.ts";

function isAscending(values: Float64Array): boolean {
  for (let index = 1; index < values.length; index++) {
    if ((values[index] as number) <= (values[index - 1] as number)) {
      return false;
    }
  }
  return true;
}

/** The times of an instance's rounds in two arrays of numbers: a map takes three times the memory. */
export class RoundTimes implements MsByRound {
  readonly #rounds: Float64Array;
  readonly #ms: Float64Array;

  private constructor(rounds: Float64Array, ms: Float64Array) {
    this.#rounds = rounds;
    this.#ms = ms;
  }

  /**
   * Makes them of rounds in any order; of several times of one round the last counts. An ascending `Float64Array` of
   * indexes is kept and not copied: several metrics can share one.
   *
   * @param ms the time of each, in milliseconds.
   */
  static from(rounds: readonly number[] | Float64Array, ms: ArrayLike<number>): RoundTimes {
    const indexes = rounds instanceof Float64Array ? rounds : new Float64Array(rounds);
    if (isAscending(indexes)) {
      return new RoundTimes(indexes, new Float64Array(ms));
    }
    const last = new Map<number, number>();
    indexes.forEach((round, place) => {
      last.set(round, ms[place] as number);
    });
    const ascending = [...last].sort(([a], [b]) => a - b);
    return new RoundTimes(
      Float64Array.from(ascending, ([round]) => round),
      Float64Array.from(ascending, ([, time]) => time),
    );
  }

  get size(): number {
    return this.#rounds.length;
  }

  get(round: number): number | undefined {
    const index = this.#indexOf(round);
    return index === null ? undefined : this.#ms[index];
  }

  keys(): Iterable<number> {
    return this.#rounds;
  }

  values(): Iterable<number> {
    return this.#ms;
  }

  *[Symbol.iterator](): Iterator<readonly [round: number, ms: number]> {
    for (let index = 0; index < this.#rounds.length; index++) {
      yield [this.#rounds[index] as number, this.#ms[index] as number];
    }
  }

  /** Finds the place of a round; null where there is none. */
  #indexOf(round: number): number | null {
    const rounds = this.#rounds;
    // Where no round is missing, its place is its distance from the first one.
    const guess = round - (rounds[0] ?? 0);
    if (rounds[guess] === round) {
      return guess;
    }
    let from = 0;
    let to = rounds.length;
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      if ((rounds[middle] as number) < round) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return rounds[from] === round ? from : null;
  }
}
