import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import type { RunMachine } from "@evenbench/results";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fixtureTarget } from "../test/fixture.ts";
import { measuredTargetsOf } from "./targets.ts";
import { reachNeed } from "./warm-up.ts";
import { LONGEST_SEARCH, type WarmUpKey, WarmUpNeeds, WarmUpStore } from "./warm-up-needs.ts";

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
const cold = { warm: false, reason: "fell by 25 % at round 3" };

test("what nothing is known of is searched; afterwards each instance gets a quarter more than was found, the copy too", () => {
  const needs = new WarmUpNeeds();
  for (const target of measuredTargets) expect(needs.orderFor(target)).toMatchObject({ isSearch: true });
  needs.learn(node, found(60), took(100, 80), true);
  for (const target of [node, copy])
    expect(needs.orderFor(target)).toEqual({ exchanges: 75, isSearch: false });
  expect(needs.warmAfter(copy)).toBe(60);
  expect(needs.orderFor(other)).toMatchObject({ isSearch: true });
  expect(needs.costOf([node, copy], { exchangeMs: {}, startMs: 0 }).warmUpMs).toBeCloseTo(2 * 75 * 80 * COLD);
});

test.each([
  ["as many as warm ones fill two seconds with", 40, 50],
  ["one at least", 3000, 1],
  ["300 at most", 0.1, 300],
])("what a search finds warm at once gets %s, and is warm after none", (_, ms, exchanges) => {
  const needs = new WarmUpNeeds();
  needs.learn(node, found(0), took(600, ms), true);
  expect([needs.neededBy(node), needs.warmAfter(node)]).toEqual([exchanges, 0]);
});

test("where a series did not come to its level, later instances get as many, and nobody knows when they are warm", () => {
  const needs = new WarmUpNeeds();
  needs.learn(node, found(95, false), took(100, 80), true);
  expect([needs.neededBy(node), needs.warmAfter(node)]).toEqual([100, null]);
});

test("what is known of a case is enough, however short", () => {
  const needs = new WarmUpNeeds(new Map(Object.entries({ node: known(5, 40), other: known(0, 40) })));
  expect([needs.neededBy(node), needs.neededBy(other)]).toEqual([7, 1]);
});

test("the second instance of a target that was measured and not warm raises what the next one gets; no other does", () => {
  const needs = new WarmUpNeeds(new Map([["node", known(40, 100)]]));
  needs.learnFromRounds(node, cold, 50);
  needs.learnFromRounds(node, { warm: true, reason: null }, 50);
  needs.learnFromRounds(other, cold, 50);
  // Cut short.
  needs.learnFromRounds(node, cold, 49);
  expect([needs.neededBy(node), needs.warmAfter(node)]).toEqual([50, 40]);
  needs.learnFromRounds(copy, cold, 50);
  expect([needs.neededBy(node), needs.warmAfter(node)]).toEqual([77, null]);
  for (let again = 0; again < 20; again++) needs.learnFromRounds(node, cold, 600);
  expect(needs.neededBy(node)).toBeCloseTo((LONGEST_SEARCH.timeMs / 100) * 1.25, -1);
});

test("a number that the user gave is what every instance gets, and proves nothing", () => {
  const needs = new WarmUpNeeds(new Map([["node", known(40, 100)]]), 4);
  for (let again = 0; again < 2; again++) needs.learnFromRounds(node, cold, 500);
  expect(needs.orderFor(node)).toEqual({ exchanges: 4, isSearch: false });
  expect([needs.neededBy(node), needs.neededBy(other), needs.warmAfter(node)]).toEqual([50, null, null]);
});

test("a case costs what its targets' warm-ups are known to take; what is not known costs a search besides", () => {
  const seen = { exchangeMs: { node: 10, other: 20 }, startMs: 1000 };
  const both = new WarmUpNeeds(new Map(Object.entries({ node: known(40, 200), other: known(8, 500) })));
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
async function warmUp(needs: WarmUpNeeds, { endsAt = Number.POSITIVE_INFINITY, warmMs = 1, slow = 30 } = {}) {
  const series = { costs: [] as number[], times: [] as number[] };
  await reachNeed(needs, node, series, endsAt, async (index) => {
    const ms = index < slow ? 4 * warmMs : warmMs;
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
  const needs = new WarmUpNeeds(new Map([["node", known(40, 100)]]));
  const exchange = vi.fn(async () => true);
  await reachNeed(needs, node, { costs: [], times: [] }, Number.POSITIVE_INFINITY, exchange);
  expect(exchange).toHaveBeenCalledTimes(3 * 50);
});

const machine: RunMachine = {
  ...{ system: "Linux", cpuModel: "A processor", cores: 2, memoryBytes: 1, clientNode: "v24" },
  ...{ coresApart: null, cpuAccount: { source: "/proc", resolutionMs: 20 } },
};
const identity: WarmUpKey["identity"] = {
  ...{ schemaVersion: 1, app: "bundle", platform: "node", instance: { id: "0123456789abcdef", served: 0 } },
  ...{ pins: { artifact: "aa" }, facts: { runtime: "Node.js 24.21.0" } },
};
const key: WarmUpKey = { caseId: "math", path: "/math", identity, build: null };
const withPins = (pins: Record<string, string>) => ({ identity: { ...identity, pins } });
const need = known(12, 250);

let file: string;
folderOfEachTest((folder) => {
  file = join(folder, "cache", "warm-up.json");
});

test.each<[string, Partial<WarmUpKey & { machine: RunMachine }>]>([
  ["another case", { caseId: "trig" }],
  ["other parameters", { path: "/math?rounds=2" }],
  ["a side of an experiment with flags of its own", withPins({ artifact: "aa", experiment: "x: --jitless" })],
  ["what is asked under a profiler", { under: "profiler" }],
  ["another artifact", withPins({ artifact: "bb" })],
  ["another runtime", { identity: { ...identity, facts: { runtime: "Node.js 26.0.0" } } }],
  ["another machine", { machine: { ...machine, cpuModel: "Another" } }],
  ["other cores", { machine: { ...machine, coresApart: { client: "0", servers: "1" } } }],
])(
  "what was found is found by a later run, whichever instance asks; %s has a need of its own",
  async (_, { machine: on = machine, ...odd }) => {
    new WarmUpStore(file, machine).keep([[key, need]]);
    const later = new WarmUpStore(file, machine);
    const instance = { id: "fedcba9876543210", served: 9 };
    expect(later.find({ ...key, identity: { ...identity, instance } })).toEqual(need);
    expect(new WarmUpStore(file, on).find({ ...key, ...odd })).toBeNull();
  },
);

test("what a busy machine found is searched again, and so is what was raised again and again", async () => {
  const store = new WarmUpStore(file, machine);
  const kept = (change: Partial<typeof need>) => {
    store.keep([[key, { ...need, ...change }]]);
    return store.find(key) !== null;
  };
  expect([{ quiet: false }, { raised: 2 }, { raised: 3 }].map(kept)).toEqual([false, true, false]);
});

test("a file that is damaged, foreign or cannot be written is one that knows nothing", async () => {
  const store = new WarmUpStore(file, machine);
  store.keep([[key, need]]);
  for (const text of ["{", "[]", "null", '{"x":{"exchanges":"12"}}', '{"x":{"exchanges":12}}']) {
    writeFileSync(file, text);
    expect(store.find(key)).toBeNull();
  }
  store.keep([[key, need]]);
  expect(store.find(key)).toEqual(need);
  const below = new WarmUpStore(join(file, "is-a-file", "warm-up.json"), machine);
  below.keep([[key, need]]);
  expect([below.find(key), new WarmUpStore(null, machine).find(key)]).toEqual([null, null]);
});

test("two stores of one file lose nothing to one another, and what was found last is forgotten last", async () => {
  const [one, second] = [new WarmUpStore(file, machine), new WarmUpStore(file, machine)];
  const keyOf = (index: number): WarmUpKey => ({ ...key, caseId: `case-${index}` });
  one.keep(Array.from({ length: 1999 }, (_, index) => [keyOf(index), need] as const));
  second.keep([[key, need]]);
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")))).toHaveLength(2000);
  one.keep([[keyOf(0), { ...need, exchanges: 13 }]]);
  one.keep([[keyOf(2000), need]]);
  expect(one.find(keyOf(0))).toMatchObject({ exchanges: 13 });
  expect(one.find(keyOf(1))).toBeNull();
});

test("a machine without findings begins with what the repository says of a case, which gives way to what is found", async () => {
  const asked = { caseId: "math", path: "/math", identity, build: null };
  const measured = { ...asked, name: "node", usual: { ...need, exchanges: 40, ms: 100 } };
  const usual = new WarmUpStore(null, machine).needsOf([measured]);
  expect(usual.orderFor(node)).toEqual({ exchanges: 50, isSearch: false });
  usual.learnTime(node, [10, 11, 12]);
  expect(usual.neededBy(node)).toBe(50);
  new WarmUpStore(file, machine).keep([[key, { ...need, exchanges: 80 }]]);
  expect(new WarmUpStore(file, machine).needsOf([measured]).neededBy(node)).toBe(100);
});
