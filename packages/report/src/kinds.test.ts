import { describe, expect, test } from "vitest";
import measured from "../test-data/warm-exchanges.json" with { type: "json" };
import { kindsOf } from "./kinds.ts";

/** CPU time of exchanges of warm instances, two of each target, on one core. */
const measuredKinds = (name: string) =>
  kindsOf(measured.find((one) => one.name === name)?.cpuMs ?? [], "cpuMs");

describe("exchanges as they were measured", () => {
  test("with a collection in every second one come in two kinds", () => {
    const { ofExchanges, ofInstances } = measuredKinds("react-ssr on cloudflare");
    expect(ofExchanges?.lowMs).toBeCloseTo(13, 0);
    expect(ofExchanges?.highMs).toBeCloseTo(22.8, 0);
    expect(ofExchanges?.highCount).toBe(61);
    expect(ofInstances).toBe(null);
  });

  test.each([
    ["sveltekit-page on cloudflare", 13.4, 36.5, 0.6],
    ["sveltekit-page on node", 24.4, 51.9, 0.7],
  ])("of %s come in two kinds", (name, low, high, share) => {
    const { ofExchanges } = measuredKinds(name);
    expect(Math.abs((ofExchanges?.lowMs ?? 0) / low - 1)).toBeLessThan(0.03);
    expect(Math.abs((ofExchanges?.highMs ?? 0) / high - 1)).toBeLessThan(0.03);
    const { lowCount: often = 0, highCount: seldom = 0 } = ofExchanges ?? {};
    expect(Math.abs(often / (often + seldom) - share)).toBeLessThan(0.08);
  });

  test.each(["next-landing on node", "json-reviver on vercel", "trig on cloudflare"])(
    "of %s are of one kind",
    (name) => expect(measuredKinds(name).ofExchanges).toBe(null),
  );

  test("shorter than the account is fine are not called kinds where their account was late", () => {
    const instances = measured.find(({ name }) => name === "next-api on vercel")?.cpuMs ?? [];
    expect(instances.flat().filter((ms) => ms < 0.1).length).toBeGreaterThan(10);
    expect(measuredKinds("next-api on vercel").ofExchanges).toBe(null);
  });
});

test("instances on two levels come in two kinds, and on one level in one", () => {
  const levels = [10, 10.1, 9.9, 10, 10.1, 9.9, 20, 20.1, 19.9];
  const instances = levels.map((level) => new Array<number>(10).fill(level));
  expect(kindsOf(instances, "cpuMs").ofInstances).toMatchObject({ highMs: 20, highCount: 3 });
  expect(kindsOf(instances.slice(0, 6), "cpuMs").ofInstances).toBe(null);
});
