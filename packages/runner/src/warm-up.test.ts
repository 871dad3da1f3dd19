import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fixtureTarget } from "../test/fixture.ts";
import { subjectsOf } from "./targets.ts";
import { reachNeed } from "./warm-up.ts";
import { type KnownNeed, WarmUpNeeds } from "./warm-up-needs.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const [node] = subjectsOf([fixtureTarget("node")], "fixture", "node") as [ReturnType<typeof subjectsOf>[0]];
const nothing: Map<string, KnownNeed> = new Map();

/** A made instance: its first 30 exchanges cost four times what later ones do. */
async function warmUp(needs: WarmUpNeeds, { endsAt = Number.POSITIVE_INFINITY, warmMs = 1 } = {}) {
  const series = { costs: [] as number[], times: [] as number[] };
  await reachNeed(needs, node, series, endsAt, async (index) => {
    const ms = index < 30 ? 4 * warmMs : warmMs;
    vi.advanceTimersByTime(ms);
    series.costs.push(ms);
    series.times.push(ms);
    return true;
  });
  return series.costs.length;
}

test("what a target needs is found on a long series, and the next instance gets that and no search", async () => {
  const needs = new WarmUpNeeds(nothing, null);
  expect(await warmUp(needs)).toBe(600);
  expect(needs.of(node).isSearch).toBe(false);
  expect(needs.warmAfter(node)).toBeGreaterThanOrEqual(30);
  expect(needs.warmAfter(node)).toBeLessThan(60);
  expect(await warmUp(needs)).toBe(needs.neededBy(node));
});

test("a search ends where slow exchanges have taken its time, and not before there are enough of them", async () => {
  expect(await warmUp(new WarmUpNeeds(nothing, null), { warmMs: 100 })).toBe(20);
  // 120 ms of the cold ones, and 4880 of warm ones.
  expect(await warmUp(new WarmUpNeeds(nothing, null), { warmMs: 10 })).toBe(30 + 380);
});

test("where the time ends a warm-up early nobody knows what is needed, and one exchange is sent in any case", async () => {
  const needs = new WarmUpNeeds(nothing, null);
  expect(await warmUp(needs, { endsAt: performance.now() + 200 })).toBe(30 + 80);
  expect(await warmUp(needs, { endsAt: 0 })).toBe(1);
  expect(needs.neededBy(node)).toBeNull();
});
