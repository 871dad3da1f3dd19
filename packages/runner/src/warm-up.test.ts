import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fixtureTarget } from "../test/fixture.ts";
import { measuredTargetsOf } from "./targets.ts";
import { reachNeed } from "./warm-up.ts";
import { LONGEST_SEARCH, WarmUpNeeds } from "./warm-up-needs.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const measuredTargets = measuredTargetsOf([fixtureTarget("node"), fixtureTarget("other")], "fixture", "node");
const [node, other, copy] = measuredTargets as [
  (typeof measuredTargets)[number],
  (typeof measuredTargets)[number],
  (typeof measuredTargets)[number],
];

/** What warm-up takes beyond as many warm exchanges. */
const COLD = 1.2;

const found = (exchanges: number, reached = true) => ({ exchanges, reached });
const known = (exchanges: number, ms: number) => ({
  ...{ exchanges, ms, raised: 0, quiet: true },
  warmAfter: exchanges,
});
const took = (count: number, ms: number) => Array.from({ length: count }, () => ms);

test("what nothing is known of is searched; afterwards each instance gets a quarter more than was found, the copy too", () => {
  const needs = new WarmUpNeeds();
  expect(needs.orderFor(node)).toMatchObject({ isSearch: true });
  expect(needs.orderFor(copy)).toMatchObject({ isSearch: true });
  needs.learn(node, found(60), took(100, 80), true);
  expect(needs.orderFor(node)).toEqual({ exchanges: 75, isSearch: false });
  expect(needs.orderFor(copy)).toEqual({ exchanges: 75, isSearch: false });
  expect(needs.orderFor(other)).toMatchObject({ isSearch: true });
  const seen = { exchangeMs: {}, startMs: 0 };
  expect(needs.costOf([node, copy], seen).warmUpMs).toBeCloseTo(2 * 75 * 80 * COLD);
});

test("where a series did not come to its level, later instances get as many exchanges", () => {
  const needs = new WarmUpNeeds();
  needs.learn(node, found(95, false), took(100, 80), true);
  expect(needs.neededBy(node)).toBe(100);
});

test("after how many exchanges a target was found to be warm is without what instances get beyond that", () => {
  const needs = new WarmUpNeeds();
  expect(needs.warmAfter(node)).toBeNull();
  needs.learn(node, found(0), took(600, 5), true);
  expect([needs.neededBy(node), needs.warmAfter(node), needs.warmAfter(copy)]).toEqual([300, 0, 0]);
  needs.learn(other, found(60), took(100, 80), true);
  expect([needs.neededBy(other), needs.warmAfter(other)]).toEqual([75, 60]);
});

test("nobody knows from when on a target is warm whose search did not end, or whose later instances were not warm", () => {
  const needs = new WarmUpNeeds(new Map([["other", known(5, 40)]]));
  needs.learn(node, found(95, false), took(100, 80), true);
  expect(needs.warmAfter(node)).toBeNull();
  needs.learnFromRounds(other, { warm: true, reason: null }, 50);
  expect(needs.warmAfter(other)).toBe(5);
  for (let instance = 0; instance < 2; instance++)
    needs.learnFromRounds(other, { warm: false, reason: "fell by 25 % at round 3" }, 50);
  expect(needs.warmAfter(other)).toBeNull();
  expect(new WarmUpNeeds(new Map([["node", known(5, 40)]]), 4).warmAfter(node)).toBeNull();
});

test.each([
  ["as many as warm ones fill two seconds with", 40, 50],
  ["one at least", 3000, 1],
  ["300 at most", 0.1, 300],
])("what a search finds warm at once gets %s", (_, ms, exchanges) => {
  const needs = new WarmUpNeeds();
  needs.learn(node, found(0), took(600, ms), true);
  expect(needs.neededBy(node)).toBe(exchanges);
});

test("what is known of a case is enough, however short", () => {
  const needs = new WarmUpNeeds(
    new Map([
      ["node", known(5, 40)],
      ["other", known(0, 40)],
    ]),
  );
  expect([needs.neededBy(node), needs.neededBy(other)]).toEqual([7, 1]);
});

test("the second instance of a target that was measured and not warm raises what the next one gets; no other does", () => {
  const needs = new WarmUpNeeds(new Map([["node", known(40, 100)]]));
  needs.learnFromRounds(node, { warm: false, reason: "fell by 25 % at round 3" }, 50);
  needs.learnFromRounds(node, { warm: true, reason: null }, 50);
  needs.learnFromRounds(other, { warm: false, reason: "fell by 25 % at round 3" }, 50);
  expect(needs.neededBy(node)).toBe(50);
  needs.learnFromRounds(copy, { warm: false, reason: "fell by 25 % at round 3" }, 50);
  expect(needs.neededBy(node)).toBe(77);
  for (let again = 0; again < 20; again++) needs.learnFromRounds(node, { warm: false, reason: "" }, 600);
  expect(needs.neededBy(node)).toBeCloseTo((LONGEST_SEARCH.timeMs / 100) * 1.25, -1);
});

test("an instance whose warm-up was fixed or cut short says nothing of what is needed", () => {
  const cold = { warm: false, reason: "fell by 25 % at round 3" };
  const cut = new WarmUpNeeds(new Map([["node", known(40, 100)]]));
  cut.learnFromRounds(node, cold, 49);
  expect(cut.known.get("node")).toEqual(known(40, 100));
  const fixed = new WarmUpNeeds(new Map([["node", known(40, 100)]]), 500);
  fixed.learnFromRounds(node, cold, 500);
  expect(fixed.known.get("node")).toEqual(known(40, 100));
});

test("an instance that is another one after each answer is not asked without end", async () => {
  const needs = new WarmUpNeeds(new Map([["node", known(40, 100)]]));
  let asked = 0;
  await reachNeed(needs, node, { costs: [], times: [] }, Number.POSITIVE_INFINITY, async () => {
    asked += 1;
    return true;
  });
  expect(asked).toBe(3 * 50);
});

test("a number that the user gave is what every instance gets, and proves nothing", () => {
  const needs = new WarmUpNeeds(new Map(), 4);
  expect(needs.orderFor(node)).toEqual({ exchanges: 4, isSearch: false });
  expect(needs.neededBy(node)).toBeNull();
});

test("a case costs what its targets' warm-ups are known to take; what is not known costs a search besides", () => {
  const seen = { exchangeMs: { node: 10, other: 20 }, startMs: 1000 };
  const both = new WarmUpNeeds(
    new Map([
      ["node", known(40, 200)],
      ["other", known(8, 500)],
    ]),
  );
  expect(both.costOf(measuredTargets, seen)).toEqual({
    roundMs: 200 + 500 + 200,
    startMs: 1000,
    warmUpMs: expect.closeTo((50 * 200 * 2 + 10 * 500) * COLD),
    searchMs: 0,
  });
  const unknown = new WarmUpNeeds().costOf(measuredTargets, seen);
  expect(unknown.roundMs).toBeCloseTo(16);
  // Searches of 600 exchanges each; the copy gets what 300 take.
  expect(unknown.warmUpMs + unknown.searchMs).toBeCloseTo(600 * 4 + 600 * 8 + 300 * 4 * COLD);
});

/** A made instance: its first exchanges cost four times what later ones do. */
async function warmUp(needs: WarmUpNeeds, { endsAt = Number.POSITIVE_INFINITY, warmMs = 1, cold = 30 } = {}) {
  const series = { costs: [] as number[], times: [] as number[] };
  await reachNeed(needs, node, series, endsAt, async (index) => {
    const ms = index < cold ? 4 * warmMs : warmMs;
    vi.advanceTimersByTime(ms);
    series.costs.push(ms);
    series.times.push(ms);
    return true;
  });
  return series.costs.length;
}

test("what a target needs is found on a long series, and the next instance gets that and no search", async () => {
  const needs = new WarmUpNeeds();
  expect(await warmUp(needs, { warmMs: 4 })).toBe(600);
  expect(needs.orderFor(node).isSearch).toBe(false);
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
  expect(await warmUp(needs, { warmMs: 0.25, cold: 1500 })).toBeGreaterThanOrEqual(3000);
  expect(needs.warmAfter(node)).toBeGreaterThanOrEqual(1450);
  expect(needs.warmAfter(node)).toBeLessThan(1700);
  // Two seconds at least: a plateau of a second is no proof.
  expect(await warmUp(new WarmUpNeeds(), { warmMs: 0.5, cold: 0 })).toBeGreaterThanOrEqual(4000);
});

test("where the time ends a warm-up early nobody knows what is needed, and one exchange is sent in any case", async () => {
  const needs = new WarmUpNeeds();
  expect(await warmUp(needs, { endsAt: performance.now() + 200 })).toBe(30 + 80);
  expect(await warmUp(needs, { endsAt: 0 })).toBe(1);
  expect(needs.neededBy(node)).toBeNull();
});
