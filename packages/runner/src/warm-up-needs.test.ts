import type { Identity } from "@evenbench/core";
import { WARM_UP } from "@evenbench/stats";
import { expect, test } from "vitest";
import { fixtureCase, fixtureTarget } from "../test/fixture.ts";
import type { Target } from "./options.ts";
import type { MeasuredTarget } from "./targets.ts";
import { usualNeeds, WarmUpNeeds } from "./warm-up-needs.ts";

const asMeasured = (target: Target): MeasuredTarget => ({ name: target.name, target, copyOf: null });
const node = asMeasured(fixtureTarget("node"));
const other = asMeasured(fixtureTarget("other"));
const copy = { ...node, name: "node~copy", copyOf: "node" };
const measuredTargets = [node, other, copy];

/** Time of a warm-up's exchange relative to a warm one. */
const COLD = 1.2;

const found = (exchanges: number, reached = true) => ({ exchanges, reached });
const known = (exchanges: number, ms: number) => ({ exchanges, ms, warmAfter: exchanges });
const took = (count: number, ms: number) => Array.from({ length: count }, () => ms);
const cold = { code: "still-falling" } as const;

test("what nothing is known of is searched; afterwards each instance gets what was found, the copy too", () => {
  const needs = new WarmUpNeeds();
  for (const target of measuredTargets) {
    expect(needs.warmUpFor(target)).toMatchObject({ isSearch: true });
  }
  needs.storeSearch(node, found(60), took(100, 80));
  for (const target of [node, copy]) {
    expect(needs.warmUpFor(target)).toEqual({ exchanges: 60, isSearch: false });
  }
  expect(needs.warmAfter(copy)).toBe(60);
  expect(needs.warmUpFor(other)).toMatchObject({ isSearch: true });
  expect(needs.costOf([node, copy], { exchangeMs: {}, startMs: 0 }).warmUpMs).toBeCloseTo(2 * 60 * 80 * COLD);
});

test("what searches found of targets of one platform is made equal: the largest need", () => {
  const needs = new WarmUpNeeds();
  needs.storeSearch(node, found(60), took(100, 80));
  needs.storeSearch(other, found(400), took(900, 80));
  needs.equalise([node, { ...other, target: node.target }]);
  expect(measuredTargets.map((target) => needs.neededBy(target))).toEqual([400, 400, 400]);
});

test.each([
  ["warm at once: as many as fill two seconds", found(0), took(600, 40), 50, 0],
  ["warm at once: one at least", found(0), took(600, 3000), 1, 0],
  ["warm at once: 300 at most", found(0), took(600, 0.1), 300, 0],
  ["not at its level: as many, and nobody knows when it is", found(95, false), took(100, 80), 100, null],
])("what later instances get of what a search found %s", (_, need, times, exchanges, warmAfter) => {
  const needs = new WarmUpNeeds();
  needs.storeSearch(node, need, times);
  expect([needs.neededBy(node), needs.warmAfter(node)]).toEqual([exchanges, warmAfter]);
});

test("the second instance in a row that was measured and not warm raises what the next one gets; no other does", () => {
  const needs = new WarmUpNeeds({ node: known(40, 100) });
  for (const warmth of [cold, null, cold]) {
    needs.raiseIfCold(node, warmth, 40);
  }
  needs.raiseIfCold(other, cold, 40);
  // Cut short.
  needs.raiseIfCold(node, cold, 39);
  expect([needs.neededBy(node), needs.warmAfter(node)]).toEqual([40, 40]);
  needs.raiseIfCold(copy, cold, 40);
  expect([needs.neededBy(node), needs.warmAfter(node)]).toEqual([61, null]);
  for (let again = 0; again < 20; again++) {
    needs.raiseIfCold(node, cold, 600);
  }
  expect(needs.neededBy(node)).toBe(WARM_UP.search.maxTimeMs / 100);
});

test("a number that the user gave is what every instance gets, and proves nothing", () => {
  const needs = new WarmUpNeeds({ node: known(40, 100) }, 4);
  for (let again = 0; again < 2; again++) {
    needs.raiseIfCold(node, cold, 500);
  }
  expect(needs.warmUpFor(node)).toEqual({ exchanges: 4, isSearch: false });
  expect([needs.neededBy(node), needs.neededBy(other), needs.warmAfter(node)]).toEqual([40, null, null]);
});

test("a case costs what its targets' warm-ups are known to take; what is not known costs a search besides", () => {
  const seen = { exchangeMs: { node: 10, other: 20 }, startMs: 1000 };
  const both = new WarmUpNeeds({ node: known(40, 200), other: known(8, 500) });
  expect(both.costOf(measuredTargets, seen)).toEqual({
    roundMs: 200 + 500 + 200,
    startMs: 1000,
    warmUpMs: expect.closeTo((40 * 200 * 2 + 8 * 500) * COLD),
    searchMs: 0,
  });
  const unknown = new WarmUpNeeds().costOf(measuredTargets, seen);
  expect(unknown.roundMs).toBeCloseTo(16);
  // Searches of 600 exchanges each; the copy gets what 300 take.
  expect(unknown.warmUpMs + unknown.searchMs).toBeCloseTo(600 * 4 + 600 * 8 + 300 * 4 * COLD);
});

test("what a case says of a platform is what its targets there need; with other parameters it is another case", () => {
  const side = { ...fixtureTarget("side"), parameters: {} };
  const targets = [node, asMeasured(fixtureTarget("unlike")), asMeasured(side)];
  const identity = { app: "fixture", instance: { id: "", served: 0 }, pins: {}, facts: {} };
  const on = (platform: string): Identity => ({ ...identity, schemaVersion: 1, platform });
  const identities = { node: on("node"), unlike: on("unlike"), side: on("node") };
  const manifest = { ...fixtureCase("short"), warmAfter: { node: 40 } };
  const seen = { short: { exchangeMs: { node: 250, side: 250 }, startMs: 0 } };
  const needs = usualNeeds(manifest, targets, identities, seen);
  expect(needs).toEqual({ node: { exchanges: 40, warmAfter: null, ms: 225 } });
  expect(usualNeeds(fixtureCase("short"), targets, identities, seen)).toEqual({});
  // That is enough, however short, and at least one.
  const usual = new WarmUpNeeds({ ...needs, other: known(0, 40) });
  usual.updateExchangeTime(node, [10, 11, 12]);
  expect(usual.warmUpFor(node)).toEqual({ exchanges: 40, isSearch: false });
  expect(usual.neededBy(other)).toBe(1);
});
