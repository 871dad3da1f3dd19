import type { MsByRound } from "./numbers.ts";

/** A round with its time. */
interface RoundMs {
  /** Index of the round within its trial, from 0. */
  readonly round: number;
  /** Time in milliseconds. */
  readonly ms: number;
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
   * Makes them of values whose rounds ascend. Of several values of one round the last one counts.
   *
   * @param msOf gives the time of a value, in milliseconds.
   */
  static from<Value extends RoundMs>(
    ascending: readonly Value[],
    msOf: (value: Value) => number = ({ ms }) => ms,
  ): RoundTimes {
    const rounds = new Float64Array(ascending.length);
    const times = new Float64Array(ascending.length);
    let size = 0;
    for (const value of ascending) {
      const { round } = value;
      if (size === 0 || rounds[size - 1] !== round) {
        size += 1;
      }
      rounds[size - 1] = round;
      times[size - 1] = msOf(value);
    }
    return new RoundTimes(rounds.subarray(0, size), times.subarray(0, size));
  }

  get size(): number {
    return this.#rounds.length;
  }

  has(round: number): boolean {
    return this.#indexOf(round) !== null;
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
