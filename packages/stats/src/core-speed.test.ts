import { describe, expect, test } from "vitest";
import { type GaugedTime, speedAdjustedMs, speedElasticity, usualLogGauge } from "./core-speed.ts";

/** An instance whose core is slow by each of some factors, and whose times follow it with an exponent. */
function instance(slow: readonly number[], exponent: number, levelMs = 20): readonly GaugedTime[] {
  return slow.map((factor) => ({ ms: levelMs * factor ** exponent, gaugeMs: 0.15 * factor }));
}

const SLOW = [1, 1.2, 1, 1.4, 1.1, 1.3];

describe("the elasticity of a target's times to the speed of its core", () => {
  test.each([0, 0.5, 1])("is the exponent %f with which they follow it", (exponent) => {
    expect(speedElasticity([instance(SLOW, exponent)])).toBeCloseTo(exponent, 12);
  });

  test("is that within instances: levels of instances do not matter, nor on which core each ran", () => {
    const fastCore = instance(SLOW, 0.7, 100);
    const slowCore = instance(
      SLOW.map((factor) => 3 * factor),
      0.7,
      10,
    );
    expect(speedElasticity([fastCore, slowCore])).toBeCloseTo(0.7, 12);
  });

  test("lies between not at all and one and a half: what is beyond is chance", () => {
    expect(speedElasticity([instance(SLOW, -1)])).toBe(0);
    expect(speedElasticity([instance(SLOW, 3)])).toBe(1.5);
  });

  test("is hardly moved by one time that has another cause", () => {
    const [first, ...others] = instance([...SLOW, ...SLOW, ...SLOW, ...SLOW], 1);
    const odd = [{ ...(first as GaugedTime), ms: 20_000 }, ...others];
    expect(speedElasticity([odd])).toBeGreaterThan(0.5);
  });

  test("is 0 without a gauge, with one that never changes, and of nothing", () => {
    expect(speedElasticity([[{ ms: 1 }, { ms: 2 }]])).toBe(0);
    expect(speedElasticity([instance([1, 1, 1], 1)])).toBe(0);
    expect(speedElasticity([])).toBe(0);
  });
});

describe("a time at the usual speed of cores", () => {
  const usual = usualLogGauge([{ ms: 1, gaugeMs: 0.1 }, { ms: 1, gaugeMs: 0.4 }, { ms: 1 }]);

  test("is measured from the geometric mean of all gauges", () => {
    expect(Math.exp(usual)).toBeCloseTo(0.2, 12);
    expect(usualLogGauge([{ ms: 1 }])).toBeNaN();
  });

  test("is shorter where its core was slow, as far as the target follows it", () => {
    expect(speedAdjustedMs({ ms: 30, gaugeMs: 0.4 }, 1, usual)).toBeCloseTo(15, 12);
    expect(speedAdjustedMs({ ms: 30, gaugeMs: 0.4 }, 0.5, usual)).toBeCloseTo(30 / Math.SQRT2, 12);
    expect(speedAdjustedMs({ ms: 30, gaugeMs: 0.4 }, 0, usual)).toBe(30);
  });

  test("is the time itself where no gauge was measured", () => {
    expect(speedAdjustedMs({ ms: 30 }, 1, usual)).toBe(30);
    expect(speedAdjustedMs({ ms: 30 }, 0, Number.NaN)).toBe(30);
  });
});
