import { median } from "simple-statistics";
import { expect, test } from "vitest";
import { blockBootstrap, resampledMedian } from "./block-bootstrap.ts";
import { drawNormal, seededRandom } from "./random.ts";

test.each([1, 2, 3, 7, 20, 101])(
  "the median of resamples of %i values is the median of what was drawn",
  (length) => {
    const random = seededRandom(length);
    // Rounded, so that there are ties.
    const values = Float64Array.from({ length }, () => Math.round(drawNormal(random) * 5));
    const fast = resampledMedian(values);
    const compare = (timesDrawn: Uint32Array) => {
      const drawn = [...values].flatMap((value, index) =>
        new Array<number>(timesDrawn[index] ?? 0).fill(value),
      );
      expect(drawn).toHaveLength(length);
      expect(fast(timesDrawn)).toBeCloseTo(median(drawn), 12);
      return 0;
    };
    blockBootstrap(length, compare, 200, random);
  },
);

test("rounds are drawn with their neighbours, the last one's neighbour being the first", () => {
  const roundCount = 64;
  let withNeighbour = 0;
  let drawn = 0;
  const count = (timesDrawn: Uint32Array) => {
    timesDrawn.forEach((times, round) => {
      if (times === 0) return;
      drawn += 1;
      if (timesDrawn.at((round + 1) % roundCount) || timesDrawn.at(round - 1)) withNeighbour += 1;
    });
    return 0;
  };
  blockBootstrap(roundCount, count, 100, seededRandom(5));
  expect(withNeighbour).toBe(drawn);
});

test("every round is drawn about equally often", () => {
  const total = new Uint32Array(10);
  const count = (timesDrawn: Uint32Array) => {
    timesDrawn.forEach((times, round) => {
      total[round] = (total[round] ?? 0) + times;
    });
    return 0;
  };
  blockBootstrap(10, count, 3000, seededRandom(6));
  for (const times of total) expect(Math.abs(times - 3000)).toBeLessThan(400);
});
