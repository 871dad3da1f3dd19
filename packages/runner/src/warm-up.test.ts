import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fixtureTarget } from "../test/fixture.ts";
import type { MeasuredTarget } from "./targets.ts";
import { reachNeed } from "./warm-up.ts";
import { WarmUpNeeds } from "./warm-up-needs.ts";
import { addExchange, emptySeries } from "./warm-up-series.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const node: MeasuredTarget = { name: "node", target: fixtureTarget("node"), copyOf: null };

/** A made instance: its first exchanges cost four times what later ones do. */
async function warmUp(needs: WarmUpNeeds, { endsAt = Number.POSITIVE_INFINITY, warmMs = 1, slow = 30 } = {}) {
  const series = emptySeries();
  await reachNeed(
    needs,
    node,
    () => series,
    endsAt,
    async (index) => {
      const ms = index < slow ? 4 * warmMs : warmMs;
      vi.advanceTimersByTime(ms);
      return addExchange(series, { cost: { cpuMs: null, minorFaults: null }, error: null, lastByteMs: ms });
    },
  );
  return series.costs.length;
}

test("what a target needs is found on a long series, and the next instance gets that and no search", async () => {
  const needs = new WarmUpNeeds();
  expect(await warmUp(needs, { warmMs: 4 })).toBe(600);
  expect(needs.warmUpFor(node).isSearch).toBe(false);
  expect(needs.warmAfter(node)).toBeGreaterThanOrEqual(30);
  expect(needs.warmAfter(node)).toBeLessThan(60);
  expect(await warmUp(needs, { warmMs: 4 })).toBe(needs.neededBy(node));
});

test("a search ends where slow exchanges have taken its time, and not before there are enough of them", async () => {
  expect(await warmUp(new WarmUpNeeds(), { warmMs: 100 })).toBe(20);
  // 120 ms of the cold ones, and 4880 of warm ones.
  expect(await warmUp(new WarmUpNeeds(), { warmMs: 10 })).toBe(30 + 380);
});

test("a fast server is asked until what it needs is proven, thousands of times where it takes so many", async () => {
  const needs = new WarmUpNeeds();
  expect(await warmUp(needs, { warmMs: 0.25, slow: 1500 })).toBeGreaterThanOrEqual(3000);
  expect(needs.warmAfter(node)).toBeGreaterThanOrEqual(1450);
  expect(needs.warmAfter(node)).toBeLessThan(1700);
  // Two seconds at least: a plateau of a second is no proof.
  expect(await warmUp(new WarmUpNeeds(), { warmMs: 0.5, slow: 0 })).toBeGreaterThanOrEqual(4000);
});

test("where the time ends a warm-up early nobody knows what is needed, and one exchange is sent in any case", async () => {
  const needs = new WarmUpNeeds();
  expect(await warmUp(needs, { endsAt: performance.now() + 200 })).toBe(30 + 80);
  expect(await warmUp(needs, { endsAt: 0 })).toBe(1);
  expect(needs.neededBy(node)).toBeNull();
});

test("an instance that is another one after each answer is not asked without end", async () => {
  const needs = new WarmUpNeeds({ node: { exchanges: 40, ms: 100, warmAfter: 40 } });
  const exchange = vi.fn(async () => true);
  await reachNeed(needs, node, emptySeries, Number.POSITIVE_INFINITY, exchange);
  expect(exchange).toHaveBeenCalledTimes(3 * 40);
});
