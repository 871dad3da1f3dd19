import { describe, expect, test } from "vitest";
import { RoundTimes } from "./round-times.ts";

/** The rounds, each ten times as long as its index says. */
const timesOf = (...rounds: readonly number[]) =>
  RoundTimes.from(
    rounds,
    rounds.map((round) => 10 * round),
  );

describe("the times of rounds", () => {
  test.each([
    ["of all rounds", [0, 1, 2, 3]],
    ["of rounds that begin late", [5, 6, 7]],
    ["of rounds with gaps", [0, 1, 4, 9, 10, 4000]],
    ["of one round", [3]],
    ["of none", []],
  ])("%s are those of a map", (_, rounds) => {
    const times = timesOf(...rounds);
    const map = new Map(rounds.map((round) => [round, 10 * round]));
    expect([...times]).toEqual([...map]);
    expect([...times.keys()]).toEqual([...map.keys()]);
    expect([...times.values()]).toEqual([...map.values()]);
    expect(times.size).toBe(map.size);
    for (const round of [-1, 0, 0.5, 1, 2, 3, 4, 5, 7, 8, 9, 11, 3999, 4000, 4001, Number.NaN]) {
      expect(times.get(round), String(round)).toBe(map.get(round));
    }
  });

  test("come in the order of the rounds, and of one round twice the last one counts", () => {
    expect([...RoundTimes.from([3, 1, 0, 1], [5, 6, 7, 8])]).toEqual([
      [0, 7],
      [1, 8],
      [3, 5],
    ]);
  });
});
