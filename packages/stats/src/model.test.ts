import { describe, expect, test } from "vitest";
import {
  type Cell,
  fitTwoWay,
  geometricInterval,
  intervalOf,
  meanInterval,
  NO_PRIOR,
  priorOfCases,
} from "./model.ts";

const cellsOf = (rows: Record<string, readonly number[]>): Cell[] =>
  Object.entries(rows).flatMap(([target, values]) =>
    values.map((value, block) => ({ target, block, value })),
  );

describe("the two-way fit", () => {
  test("of a full table is the analysis of variance", () => {
    const fit = fitTwoWay(cellsOf({ a: [1, 2, 3], b: [1.1, 2.3, 2.9], c: [2, 3.2, 4.1] }));
    // Worked by hand: squares of 0.16 / 3 are left, with 4 degrees of freedom.
    expect(fit).toMatchObject({ freedom: 4, variance: expect.closeTo(0.04 / 3, 10) });
    const difference = (estimate: number, factor: number) => ({
      estimate: expect.closeTo(estimate, 10),
      factor: expect.closeTo(factor, 10),
    });
    expect(fit.difference(["c"], ["a"])).toEqual(difference(1.1, 2 / 3));
    expect(fit.difference(["c"], ["a", "b"])).toEqual(difference(1.05, 1.5 / 3));
  });

  test("of many targets has every pair's difference of means, from one solution", () => {
    const names = Array.from({ length: 60 }, (_, index) => `t${index}`);
    const blocks = [0, 1, 2];
    const levelOf = (index: number, block: number): number => Math.sin(7 * index + 3 * block) + block;
    const cells = names.flatMap((target, index) =>
      blocks.map((block): Cell => ({ target, block, value: levelOf(index, block) })),
    );
    const fit = fitTwoWay(cells);
    const meanOf = (index: number): number =>
      blocks.reduce((sum, block) => sum + levelOf(index, block), 0) / 3;
    for (const [index, name] of names.entries()) {
      const found = fit.difference([name], ["t0", "t1"]);
      const isBase = index < 2;
      expect(found?.estimate).toBeCloseTo(meanOf(index) - (meanOf(0) + meanOf(1)) / 2, 12);
      expect(found?.factor).toBeCloseTo(isBase ? 0.5 / 3 : 1.5 / 3, 12);
    }
  });

  test("takes off what a trial has in common, also where a target is missing in it", () => {
    const slowTrial = cellsOf({ a: [1, 2, 11], b: [1.5, 2.5, 11.5], c: [3, 4, 13] });
    const fit = fitTwoWay(slowTrial.filter(({ target, block }) => target !== "a" || block !== 2));
    expect(fit.difference(["c"], ["a"])?.estimate).toBeCloseTo(2, 10);
    expect(fit.freedom).toBe(3);
    expect(fit.variance).toBeCloseTo(0, 10);
  });

  test("knows no difference of targets that no trial joins", () => {
    const fit = fitTwoWay([
      { target: "a", block: 0, value: 1 },
      { target: "b", block: 1, value: 1 },
    ]);
    expect(fit.difference(["a"], ["b"])).toBeNull();
    expect(fit.difference(["a"], ["nobody"])).toBeNull();
  });
});

describe("what cases say of each other's variance", () => {
  const alike = Array.from({ length: 8 }, (_, index) => ({
    fit: { variance: 1 + index / 1000, freedom: 6 },
  }));
  const apart = Array.from({ length: 8 }, (_, index) => ({ fit: { variance: 10 ** index, freedom: 6 } }));

  test("weighs more, the more alike they are, and no more than all others know", () => {
    expect(priorOfCases(alike).freedom).toBe(6 * (alike.length - 1));
    expect(priorOfCases(apart).freedom).toBeLessThan(1);
    const known = apart.map((one, index) => ({ ...one, scatter: 10 ** (index / 2) }));
    expect(priorOfCases(known).freedom).toBe(6 * (known.length - 1));
  });

  test("is nothing for a case alone", () => {
    expect(priorOfCases(alike.slice(0, 1))).toEqual(NO_PRIOR);
  });

  test("draws an interval towards that of the others", () => {
    const difference = { estimate: 0, factor: 1 };
    const narrow = { variance: 0.1, freedom: 6 };
    const width = (prior: typeof narrow) => intervalOf(difference, narrow, { prior })?.high as number;
    expect(width({ variance: 1, freedom: 6 })).toBeGreaterThan(width({ variance: 0.1, freedom: 6 }));
    expect(width({ variance: 0.1, freedom: 6 })).toBeLessThan(width(NO_PRIOR));
    expect(intervalOf(difference, { variance: Number.NaN, freedom: 0 })).toBeNull();
  });
});

test("the mean of a few values has Student's interval, that of logarithms is geometric, and one value has none", () => {
  // Mean 2, standard error 1 / sqrt(3), t(0.995; 2) = 9.925 (NIST/SEMATECH e-Handbook, 1.3.6.7.2).
  expect(meanInterval([1, 2, 3])).toMatchObject({
    estimate: 2,
    high: expect.closeTo(2 + 9.925 / Math.sqrt(3), 3),
  });
  expect(geometricInterval([Math.log(3.9), Math.log(4), Math.log(16 / 3.9)])?.estimate).toBeCloseTo(4, 12);
  expect(geometricInterval([0, 20])).toBeNull();
  expect(meanInterval([1])).toBeNull();
});

test("a variance that is known to be there makes an interval no narrower than itself", () => {
  const difference = { estimate: 0, factor: 1 };
  const still = { variance: 1e-6, freedom: 29 };
  expect(intervalOf(difference, still, { minimumVariance: 4 })?.high).toBeCloseTo(2 * 2.756, 2);
  expect(intervalOf(difference, { ...still, variance: 9 }, { minimumVariance: 4 })?.high).toBeCloseTo(
    3 * 2.756,
    2,
  );
});
