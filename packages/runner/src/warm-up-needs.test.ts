import { expect, test } from "vitest";
import { fixtureTarget } from "../test/fixture.ts";
import { expectCost } from "./expected-cost.ts";
import { subjectsOf } from "./targets.ts";
import { reachNeed } from "./warm-up.ts";
import { LONGEST_SEARCH, WarmUpNeeds } from "./warm-up-needs.ts";

const subjects = subjectsOf([fixtureTarget("node"), fixtureTarget("other")], "fixture", "node");
const [node, other, copy] = subjects as [
  (typeof subjects)[number],
  (typeof subjects)[number],
  (typeof subjects)[number],
];

const found = (exchanges: number, reached = true) => ({ exchanges, reached });
const known = (exchanges: number, ms: number) => ({
  ...{ exchanges, ms, raised: 0, quiet: true },
  warmAfter: exchanges,
});
const took = (count: number, ms: number) => ({ times: Array.from({ length: count }, () => ms) });

test("what nothing is known of is searched; afterwards each instance gets a quarter more than was found, the copy too", () => {
  const needs = new WarmUpNeeds(new Map(), null);
  expect(needs.of(node)).toEqual({ exchanges: LONGEST_SEARCH.exchanges, isSearch: true });
  expect(needs.of(copy)).toMatchObject({ isSearch: true });
  needs.learn(node, found(60), took(100, 80), true);
  expect(needs.of(node)).toEqual({ exchanges: 75, isSearch: false });
  expect(needs.of(copy)).toEqual({ exchanges: 75, isSearch: false });
  expect(needs.of(other)).toMatchObject({ isSearch: true });
  expect(needs.expectedMs([node, copy])).toBe(2 * 75 * 80);
});

test("where a series did not come to its level, later instances get as many exchanges", () => {
  const needs = new WarmUpNeeds(new Map(), null);
  needs.learn(node, found(95, false), took(100, 80), true);
  expect(needs.neededBy(node)).toBe(100);
});

test("after how many exchanges a target was found to be warm is without what instances get beyond that", () => {
  const needs = new WarmUpNeeds(new Map(), null);
  expect(needs.warmAfter(node)).toBeNull();
  needs.learn(node, found(0), took(600, 5), true);
  expect([needs.neededBy(node), needs.warmAfter(node), needs.warmAfter(copy)]).toEqual([300, 0, 0]);
  needs.learn(other, found(60), took(100, 80), true);
  expect([needs.neededBy(other), needs.warmAfter(other)]).toEqual([75, 60]);
});

test("nobody knows from when on a target is warm whose search did not end, or whose later instances were not warm", () => {
  const needs = new WarmUpNeeds(new Map([["other", known(5, 40)]]), null);
  needs.learn(node, found(95, false), took(100, 80), true);
  expect(needs.warmAfter(node)).toBeNull();
  needs.learnFromRounds(other, { warm: true, reason: null }, 50);
  expect(needs.warmAfter(other)).toBe(5);
  needs.learnFromRounds(other, { warm: false, reason: "fell by 25 % at round 3" }, 50);
  expect(needs.warmAfter(other)).toBeNull();
  expect(new WarmUpNeeds(new Map([["node", known(5, 40)]]), 4).warmAfter(node)).toBeNull();
});

test.each([
  ["as many as warm ones fill two seconds with", 40, 50],
  ["one at least", 3000, 1],
  ["300 at most", 0.1, 300],
])("what is warm at once gets %s", (_, ms, exchanges) => {
  expect(new WarmUpNeeds(new Map([["node", known(0, ms)]]), null).neededBy(node)).toBe(exchanges);
});

test("what had more than it was found to need, and was not warm, gets more than it had", () => {
  const needs = new WarmUpNeeds(new Map([["node", known(5, 40)]]), null);
  needs.learnFromRounds(node, { warm: false, reason: "fell by 25 % at round 3" }, 50);
  expect(needs.neededBy(node)).toBe(77);
});

test("an instance that was measured and not warm yet raises what the next one gets; a warm one does not", () => {
  const needs = new WarmUpNeeds(new Map([["node", known(40, 100)]]), null);
  needs.learnFromRounds(node, { warm: true, reason: null }, 50);
  expect(needs.neededBy(node)).toBe(50);
  needs.learnFromRounds(copy, { warm: false, reason: "fell by 25 % at round 3" }, 50);
  expect(needs.neededBy(node)).toBe(77);
  for (let again = 0; again < 20; again++) needs.learnFromRounds(node, { warm: false, reason: "" }, 600);
  expect(needs.neededBy(node)).toBe(LONGEST_SEARCH.exchanges);
});

test("an instance whose warm-up was fixed or cut short says nothing of what is needed", () => {
  const cold = { warm: false, reason: "fell by 25 % at round 3" };
  const cut = new WarmUpNeeds(new Map([["node", known(40, 100)]]), null);
  cut.learnFromRounds(node, cold, 49);
  expect(cut.known.get("node")).toEqual(known(40, 100));
  const fixed = new WarmUpNeeds(new Map([["node", known(40, 100)]]), 500);
  fixed.learnFromRounds(node, cold, 500);
  expect(fixed.known.get("node")).toEqual(known(40, 100));
});

test("an instance that is another one after each answer is not asked without end", async () => {
  const needs = new WarmUpNeeds(new Map([["node", known(40, 100)]]), null);
  let asked = 0;
  await reachNeed(needs, node, { costs: [], times: [] }, Number.POSITIVE_INFINITY, async () => {
    asked += 1;
    return true;
  });
  expect(asked).toBe(3 * 50);
});

test("a number that the user gave is what every instance gets, and proves nothing", () => {
  const needs = new WarmUpNeeds(new Map(), 4);
  expect(needs.of(node)).toEqual({ exchanges: 4, isSearch: false });
  expect(needs.neededBy(node)).toBeNull();
});

test("a case costs what its targets' warm-ups are known to take; what is not known costs a search besides", () => {
  const seen = { exchangeMs: { node: 10, other: 20 }, startMs: 1000 };
  const both = new WarmUpNeeds(
    new Map([
      ["node", known(40, 200)],
      ["other", known(8, 500)],
    ]),
    null,
  );
  expect(expectCost(subjects, both, seen)).toEqual({
    roundMs: 200 + 500 + 200,
    startMs: 1000,
    warmUpMs: 50 * 200 * 2 + 10 * 500,
    searchMs: 0,
  });
  const unknown = expectCost(subjects, new WarmUpNeeds(new Map(), null), seen);
  expect(unknown.roundMs).toBeCloseTo(16);
  expect(unknown.warmUpMs + unknown.searchMs).toBeCloseTo(600 * 4 + 0.3 * 600 * 4 + 4800);
});
