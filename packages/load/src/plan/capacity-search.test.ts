import { describe, expect, test } from "vitest";
import { bracketOf, nextRate, type SearchBounds, type SearchStep } from "./capacity-search.ts";
import { formatCondition, parseCondition } from "./condition.ts";

function search(bounds: SearchBounds, held: (perSecond: number) => boolean): SearchStep[] {
  const steps: SearchStep[] = [];
  for (let rate = nextRate(steps, bounds); rate !== null; rate = nextRate(steps, bounds))
    steps.push({ perSecond: rate, held: held(rate) });
  return steps;
}

describe("the search for the highest rate that holds", () => {
  test.each([3, 101, 5000])("brackets a capacity of %d from 70 on", (capacity) => {
    const steps = search({ first: 70, factor: 1.05, mostSteps: 40 }, (rate) => rate <= capacity);
    const { held, failed } = bracketOf(steps);
    expect(held).toBeLessThanOrEqual(capacity);
    expect(failed).toBeGreaterThan(capacity);
    expect((failed ?? 0) / (held ?? 1)).toBeLessThanOrEqual(1.05);
  });

  test("is bounded in steps, also where nothing ever holds or fails", () => {
    for (const always of [true, false])
      expect(search({ first: 10, factor: 1.05, mostSteps: 8 }, () => always)).toHaveLength(8);
  });

  test("what held above a rate that failed does not count", () => {
    const steps = [
      { perSecond: 10, held: true },
      { perSecond: 20, held: false },
      { perSecond: 30, held: true },
    ];
    expect(bracketOf(steps)).toEqual({ held: 10, failed: 20 });
  });
});

test("conditions are read and written", () => {
  expect(parseCondition("p99 <= 250ms")).toEqual({ quantile: 0.99, limitMs: 250 });
  expect(parseCondition("p99.9<1s")).toEqual({ quantile: 0.999, limitMs: 1000 });
  expect(formatCondition({ quantile: 0.999, limitMs: 1000 })).toBe("p99.9 <= 1000 ms");
  for (const wrong of ["", "p99", "p100 <= 5ms", "p0 <= 5ms", "99 <= 5ms", "p99 <= 0ms", "p99 >= 5ms"])
    expect(parseCondition(wrong)).toBeNull();
});
