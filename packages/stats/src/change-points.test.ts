import { expect, test } from "vitest";
import { segments } from "./change-points.ts";
import { drawNormal, seededRandom } from "./random.ts";

/** Levels of so many values each, with normal noise. */
function steps(noise: number, ...levels: readonly (readonly [count: number, level: number])[]): number[] {
  const random = seededRandom(5);
  return levels.flatMap(([count, level]) =>
    Array.from({ length: count }, () => level + noise * drawNormal(random)),
  );
}

const startsOf = (values: readonly number[], least?: number) =>
  segments(values, least).map(({ start }) => start);

test("a series is cut where its level changes, and each segment has its median", () => {
  const found = segments(steps(0.02, [40, 3], [60, 2.5], [100, 2]));
  expect(found.map(({ start, end }) => [start, end])).toEqual([
    [0, 40],
    [40, 100],
    [100, 200],
  ]);
  for (const [index, level] of [3, 2.5, 2].entries()) expect(found[index]?.level).toBeCloseTo(level, 1);
});

test("noise alone is one segment in nearly all series", () => {
  const random = seededRandom(11);
  const several = Array.from({ length: 200 }, () =>
    startsOf(Array.from({ length: 100 }, () => drawNormal(random))),
  ).filter((starts) => starts.length > 1);
  expect(several.length).toBeLessThanOrEqual(4);
});

test("single high values, as of a collection, are no change", () => {
  const values = steps(0.02, [120, 2]).map((value, index) => (index % 17 === 3 ? value + 2 : value));
  expect(startsOf(values)).toEqual([0]);
});

test("no segment is shorter than asked, and a series shorter than that is one segment", () => {
  const values = steps(0, [3, 5], [30, 1]);
  expect(segments(values, 5).every(({ start, end }) => end - start >= 5)).toBe(true);
  expect(startsOf([1, 2, 3], 5)).toEqual([0]);
  expect(segments([])).toEqual([]);
});

test("a series of many thousand values is thinned, and a change is still found near its place", () => {
  const starts = startsOf(steps(0.1, [20_000, 2], [30_000, 1]));
  expect(starts).toHaveLength(2);
  expect(Math.abs((starts[1] ?? 0) - 20_000)).toBeLessThan(200);
});

test("the same cut costs least of all that an exhaustive search finds", () => {
  const random = seededRandom(3);
  for (let trial = 0; trial < 30; trial++) {
    const change = 3 + Math.floor(random() * 8);
    const values = Array.from(
      { length: 14 },
      (_, index) => (index < change ? 0 : 4) + 0.3 * drawNormal(random),
    );
    expect(startsOf(values, 2)).toEqual([0, change]);
  }
});
