import type { Sample, WarmUp } from "@evenbench/results";
import { testSample } from "@evenbench/stats/testing";
import { expect, test } from "vitest";
import { warmUpCurves } from "./warm-up-curve.ts";

const ALL_WARM = new Map();

/**
 * An instance whose first `slow` exchanges take 50 ms and 80 ms of CPU, the others 20 and 15; the last
 * `measured` of `count` are measured.
 */
function instance(trial: number, slow: number, count: number, measured = 50): Sample[] {
  return Array.from({ length: count }, (_, index) => {
    const isMeasured = index >= count - measured;
    return testSample({
      trial,
      phase: isMeasured ? "measure" : "warmup",
      roundIndex: isMeasured ? index - (count - measured) : index,
      lastByteMs: index < slow ? 50 : 20,
      cpuMs: index < slow ? 80 : 15,
      instanceId: `instance ${trial}`,
    });
  });
}

const warmUps = (needed: number | null, warmAfter = needed): WarmUp[] =>
  [0, 1, 2].map((trial) => ({ caseId: "case", target: "node", trial, exchanges: 100, needed, warmAfter }));

const trials = [instance(0, 40, 150), instance(1, 40, 150), instance(2, 60, 150)].flat();

test("a warm-up curve is the median over the instances of every exchange, warm-up first, and of means of neighbours further on", () => {
  const [curve] = warmUpCurves(trials.toReversed(), warmUps(40), ["node", "vercel"], ALL_WARM);
  expect(curve).toMatchObject({ target: "node", warmFrom: 41 });
  const exchanges = curve?.points.map(({ request }) => request) ?? [];
  expect(exchanges.slice(0, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(exchanges).toEqual([...new Set(exchanges)].sort((a, b) => a - b));
  expect(curve?.points[0]).toEqual({ request: 1, lastByteMs: 50, cpuMs: 80 });
  expect(curve?.points.at(-1)).toMatchObject({ lastByteMs: 20, cpuMs: 15 });
  expect(warmUpCurves(instance(0, 10, 20_000), [], ["node"], ALL_WARM)[0]?.points.length).toBeLessThan(60);
  const slow = curve?.points.filter(({ lastByteMs }) => lastByteMs === 50) ?? [];
  expect(slow.at(-1)?.request).toBeLessThanOrEqual(40);
});

/** An instance whose first two exchanges take 40 ms, the others 5; fewer than a search of what is needed can see. */
const quick = (count = 700) =>
  instance(0, 0, count, 350).map((sample, index) => {
    return { ...sample, lastByteMs: index < 2 ? 40 : 5, cpuMs: null };
  });

test("a curve is warm where that was found, not after what instances get, and not before exchanges are as fast as warm ones", () => {
  const [curve] = warmUpCurves(quick(), warmUps(300, 0), ["node"], ALL_WARM);
  expect(curve).toMatchObject({ warmFrom: 3, first: [{ lastByteMs: 70 }, { lastByteMs: 70 }] });
  expect(warmUpCurves(trials, warmUps(100, 40), ["node"], ALL_WARM)[0]?.warmFrom).toBe(41);
  expect(warmUpCurves(instance(0, 0, 700, 350), warmUps(300, 0), ["node"], ALL_WARM)[0]?.warmFrom).toBe(1);
});

test("where it was not found, or later instances showed otherwise, nobody knows from when on it is warm", () => {
  const [unknown] = warmUpCurves(quick(), warmUps(300, null), ["node"], ALL_WARM);
  expect(unknown).toMatchObject({ warmFrom: null, first: [{ lastByteMs: 70 }, { lastByteMs: 70 }] });
  const changed = (change: Partial<WarmUp>) =>
    warmUps(40).map((warmUp) => (warmUp.trial === 2 ? { ...warmUp, ...change } : warmUp));
  expect(
    warmUpCurves(trials, changed({ needed: 61, warmAfter: null }), ["node"], ALL_WARM)[0]?.warmFrom,
  ).toBe(null);
  const cold = new Map([["node", new Map([[2, { code: "still-falling" } as const]])]]);
  expect(warmUpCurves(trials, warmUps(40), ["node"], cold)[0]?.warmFrom).toBe(null);
  // Forty slow exchanges belie a search that saw none.
  expect(warmUpCurves(trials, warmUps(40, 0), ["node"], ALL_WARM)[0]?.warmFrom).toBe(null);
  // Whose warm-up was cut short says nothing of that.
  expect(warmUpCurves(trials, changed({ exchanges: 39 }), ["node"], cold)[0]?.warmFrom).toBe(41);
});

test("a curve says what the first exchanges cost beyond warm ones, in time and in CPU time; more of them never cost less", () => {
  const [curve] = warmUpCurves(trials, warmUps(40), ["node"], ALL_WARM);
  expect(curve?.warm).toEqual({ lastByteMs: 20, cpuMs: 15 });
  expect(curve?.first).toEqual([
    { requests: 10, lastByteMs: 300, cpuMs: 650 },
    { requests: 100, lastByteMs: 1200, cpuMs: 2600 },
  ]);
  // Slow in the first three, and then faster than what was measured as warm.
  const dippingMs = [...Array(3).fill(90), ...Array(97).fill(18), ...Array(50).fill(20)];
  const dipping = instance(0, 0, 150).map((sample, index) => ({ ...sample, lastByteMs: dippingMs[index] }));
  const [dips] = warmUpCurves(dipping, warmUps(120), ["node"], ALL_WARM);
  expect(dips?.first.map(({ lastByteMs }) => lastByteMs)).toEqual([196, 196]);
});

test("a curve says no such cost where it is not known from when on the target was warm, or no instance was", () => {
  const nothing = [0, 1].map(() => ({ lastByteMs: null, cpuMs: null }));
  const [unknown] = warmUpCurves(trials, warmUps(null), ["node"], ALL_WARM);
  expect(unknown).toMatchObject({ warmFrom: null, first: nothing });
  const cold = new Map([0, 1, 2].map((trial) => [trial, { code: "still-falling" } as const]));
  const [moving] = warmUpCurves(trials, warmUps(40), ["node"], new Map([["node", cold]]));
  expect(moving).toMatchObject({ warmFrom: null, warm: { lastByteMs: null, cpuMs: null }, first: nothing });
});

test("failed exchanges have no time and keep their place, and a host that was started again is another instance", () => {
  const later = instance(0, 40, 150).map((sample, index): Sample => {
    if (index === 0) {
      return { ...sample, error: { kind: "timeout", detail: "" }, instanceId: null };
    }
    return index < 100 ? sample : { ...sample, instanceId: "its successor", lastByteMs: 900 };
  });
  const [curve] = warmUpCurves(later, [], ["node"], ALL_WARM);
  expect(curve?.points[0]).toEqual({ request: 1, lastByteMs: null, cpuMs: null });
  expect(curve?.points[1]).toEqual({ request: 2, lastByteMs: 50, cpuMs: 80 });
  expect(curve?.points.some(({ lastByteMs }) => lastByteMs === 900)).toBe(false);
});
