import { describe, expect, test } from "vitest";
import measured from "../test-data/warm-exchanges.json" with { type: "json" };
import type { Series } from "./cells.ts";
import { targetKinds } from "./kinds.ts";

/** CPU time of exchanges of warm instances, two of each target, on one core. */
const kindsOf = (name: string) => {
  const instances = measured.find((one) => one.name === name)?.cpuMs ?? [];
  return targetKinds(name, "cpuMs", seriesOf(instances));
};

function seriesOf(instances: readonly (readonly number[])[]): Series {
  const trials = instances.map((ms, trial) => [trial, new Map(ms.entries())] as const);
  return { trials: new Map(trials), exchanges: instances.flat().length, errors: 0 };
}

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

test("instances that were not warm are left out", () => {
  const levels = [10, 10.1, 9.9, 10, 10.1, 9.9, 20, 20.1, 19.9];
  const series = seriesOf(levels.map((level) => new Array<number>(10).fill(level)));
  const warm = new Map(
    levels.map((level, trial) => [trial, { warm: level < 15, reason: level < 15 ? null : "fell" }]),
  );
  expect(targetKinds("node", "cpuMs", series).ofInstances?.high).toMatchObject({ level: 20, count: 3 });
  expect(targetKinds("node", "cpuMs", series, warm).ofInstances).toBe(null);
});
