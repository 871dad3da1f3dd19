import { describe, expect, test } from "vitest";
import measured from "../test-data/warm-exchanges.json" with { type: "json" };
import { targetKinds } from "./kinds.ts";
import { kindsSaid, seriesOf } from "./simulation-kinds.ts";
import { ONE_MODE, saidOfOneMode } from "./simulation-shapes.ts";
import { TEST_SCENARIO } from "./test-samples.ts";

/** CPU time of exchanges of warm instances, two of each target, on one core. */
const kindsOf = (name: string) => {
  const instances = measured.find((one) => one.name === name)?.cpuMs ?? [];
  return targetKinds(name, "cpuMs", seriesOf(instances.map((ms) => Float64Array.from(ms))));
};

describe("exchanges as they were measured", () => {
  test("with a collection in every second one come in two kinds", () => {
    const { ofExchanges, ofInstances } = kindsOf("react-ssr on cloudflare");
    expect(ofExchanges?.low.level).toBeCloseTo(13, 0);
    expect(ofExchanges?.high.level).toBeCloseTo(22.8, 0);
    expect(ofExchanges?.high.count).toBe(61);
    expect(ofInstances).toBe(null);
  });

  test.each([
    ["sveltekit-page on cloudflare", 13.4, 36.5, 0.6],
    ["sveltekit-page on node", 24.4, 51.9, 0.7],
  ])("of %s come in two kinds", (name, low, high, share) => {
    const { ofExchanges } = kindsOf(name);
    expect(Math.abs((ofExchanges?.low.level ?? 0) / low - 1)).toBeLessThan(0.03);
    expect(Math.abs((ofExchanges?.high.level ?? 0) / high - 1)).toBeLessThan(0.03);
    const { low: often, high: seldom } = ofExchanges ?? { low: { count: 0 }, high: { count: 0 } };
    expect(Math.abs(often.count / (often.count + seldom.count) - share)).toBeLessThan(0.08);
  });

  test.each(["next-landing on node", "json-reviver on vercel", "trig on cloudflare"])(
    "of %s are of one kind",
    (name) => expect(kindsOf(name).ofExchanges).toBe(null),
  );

  test("shorter than the account is fine are not called kinds where their account was late", () => {
    const instances = measured.find(({ name }) => name === "next-api on vercel")?.cpuMs ?? [];
    expect(instances.flat().filter((ms) => ms < 0.1).length).toBeGreaterThan(10);
    expect(kindsOf("next-api on vercel").ofExchanges).toBe(null);
  });
});

const wide = { ...TEST_SCENARIO, drift: 0, outliers: 0, exchangeSd: 0.2 };

test.each([
  ["log-normal", wide],
  ["heavy-tailed", { ...wide, heavyTails: true }],
  ["correlated", { ...wide, autocorrelation: 0.7 }],
  ["of instances that differ by a tenth", { ...wide, exchangeSd: 0.03, instanceSd: 0.1, trials: 10 }],
])("of times of one kind, %s, at most 2 %% are called two", (_, scenario) => {
  const { ofExchanges, ofInstances } = kindsSaid(scenario, 300, 11);
  expect(ofExchanges).toBeLessThanOrEqual(0.02);
  expect(ofInstances).toBeLessThanOrEqual(0.02);
});

test.each(Object.entries(ONE_MODE).slice(0, 4))(
  "of single times, %s, at most 2 %% are called two kinds",
  (_, draw) => {
    for (const count of [6, 10, 20])
      expect(saidOfOneMode(draw, "instances", count, 400, count)).toBeLessThanOrEqual(0.02);
    for (const count of [20, 100])
      expect(saidOfOneMode(draw, "requests", count, 400, count)).toBeLessThanOrEqual(0.02);
  },
);

test("instances of two kinds are seen, and are not taken for exchanges of two kinds", () => {
  const scenario = {
    ...TEST_SCENARIO,
    trials: 10,
    drift: 0,
    instanceKinds: { share: 0.5, factor: 1.4 },
  };
  const { ofExchanges, ofInstances } = kindsSaid(scenario, 100, 12);
  expect(ofInstances).toBeGreaterThan(0.9);
  expect(ofExchanges).toBeLessThanOrEqual(0.02);
});

test("exchanges of two kinds are seen, and do not make instances of two kinds", () => {
  // 21 rounds: the median of an instance is on either level.
  const kinds = { exchangeKinds: { share: 0.5, factor: 1.75 }, roundsPerTrial: 21 };
  const { ofExchanges, ofInstances } = kindsSaid({ ...TEST_SCENARIO, ...kinds, trials: 10 }, 100, 13);
  expect(ofExchanges).toBeGreaterThan(0.95);
  expect(ofInstances).toBeLessThanOrEqual(0.02);
});

test("instances that were not warm are left out", () => {
  const levels = [10, 10.1, 9.9, 10, 10.1, 9.9, 20, 20.1, 19.9];
  const series = seriesOf(levels.map((level) => new Float64Array(10).fill(level)));
  const warm = new Map(
    levels.map((level, trial) => [trial, { warm: level < 15, reason: level < 15 ? null : "fell" }]),
  );
  expect(targetKinds("node", "cpuMs", series).ofInstances?.high).toMatchObject({ level: 20, count: 3 });
  expect(targetKinds("node", "cpuMs", series, warm).ofInstances).toBe(null);
});
