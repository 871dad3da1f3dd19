import type { Sample } from "@evenbench/results";
import { expect, test } from "vitest";
import { type TestVantage, testVantages } from "../test/vantages.ts";
import { analyseFit, fitCase } from "./analyse-case.ts";
import { analyseVantages, type VantageAnalysis } from "./vantages.ts";

const question = {
  caseId: "case",
  metric: "lastByteMs",
  baseline: "node",
  copy: "node~copy",
  targets: ["node", "node~copy", "other"],
  warm: new Map(),
} as const;

const analysed = (samples: readonly Sample[]) => analyseVantages(samples, question);
const otherIn = ({ comparisons: [other] }: VantageAnalysis) => {
  if (other === undefined) throw new Error("nothing was compared");
  return other;
};
const place = (name: string, otherMs: number, edges?: readonly (string | null)[]): TestVantage => ({
  name,
  routeMs: 10,
  otherMs,
  ...(edges === undefined ? {} : { edges }),
});

/** What a prototype called "slower 1.16 (1.04-1.28)": the routes differ, and nine trials were taken as independent. */
const BY_ROUTE = [0, 4, 12].map((otherMs, index) => ({
  name: ["eu", "us", "asia"][index] ?? "",
  routeMs: 0,
  otherMs,
}));

test("an effect that comes from the routes is no difference: the vantages disagree, where trials alone say slower", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const samples = testVantages(BY_ROUTE, { seed });
    const pooled = analyseFit(fitCase(samples, { ...question, copy: null }));
    const asIfIndependent = pooled.comparisons.find(({ target }) => target === "other");
    expect(asIfIndependent?.verdict).toBe("slower");
    expect(asIfIndependent?.ratio?.low).toBeGreaterThan(1);
    const { time } = otherIn(analysed(samples));
    expect(time.verdict).toBe("inconclusive");
    expect(time.reason).toMatch(/^The vantages disagree: eu .* ms \(.*\), us .*, asia /);
  }
  const opposite = otherIn(analysed(testVantages([place("a", 6), place("b", -6)]))).time;
  expect(opposite.reason).toMatch(/^The vantages disagree: a 5\.\d+ ms .*, b −/);
});

test("the same difference from everywhere is found, whatever the routes take", () => {
  const vantages = [1, 30, 80].map((routeMs, index) => ({ name: `v${index}`, routeMs, otherMs: 5 }));
  const { time, compute } = otherIn(analysed(testVantages(vantages)));
  expect(time.verdict).toBe("slower");
  expect(time.difference.mean?.low).toBeLessThan(5);
  expect(time.difference.mean?.high).toBeGreaterThan(5);
  expect(time.reason).toContain("5 vantages or more are advised");
  expect(compute?.verdict).toBe("slower");
});

test("what a target's own transfer takes is no compute time", () => {
  const vantages = [1, 30, 80, 40, 5].map((routeMs, index) => ({ name: `v${index}`, routeMs, otherMs: 6 }));
  const { time, compute } = otherIn(analysed(testVantages(vantages, { transferToo: 6 })));
  expect(time.verdict).toBe("slower");
  expect(time.reason).not.toContain("advised");
  expect(compute?.difference.mean?.estimate).toBeCloseTo(0, 0);
  expect(compute?.verdict).not.toBe("slower");
});

test("one vantage says nothing of other routes, however sure it is", () => {
  const { time } = otherIn(analysed(testVantages([place("here", 12)])));
  expect(time.difference.vantages[0]?.interval?.low).toBeGreaterThan(4);
  expect([time.verdict, time.difference.mean]).toEqual(["inconclusive", null]);
  expect(time.reason).toContain("Only one vantage, here");
});

test("vantages behind the same edge are one unit, and so are clients", () => {
  const samples = testVantages([
    place("a", 5, ["FRA"]),
    place("b", 5, ["FRA", "FRA"]),
    place("c", 5, ["IAD"]),
  ]);
  const { difference, reason } = otherIn(analysed(samples)).time;
  expect(difference.units).toEqual([["a", "b"], ["c"]]);
  expect(reason).toContain("2 units (vantages behind the same edges are one)");
  const one = otherIn(analysed(testVantages([place("a", 5, ["FRA"]), place("b", 5, ["FRA"])]))).time;
  expect([one.verdict, one.difference.mean]).toEqual(["inconclusive", null]);
  expect(one.reason).toContain("behind the same edges");
});

test("a vantage's value is the mean of its edges, however many clients stand behind one", () => {
  const slow = testVantages([place("a", 9, ["FRA"])], { instanceSd: 0 });
  const fast = testVantages([place("a", 1, ["AMS", "AMS", "AMS"])], { instanceSd: 0 });
  const moved = fast.map((one) => ({ ...one, trial: one.trial + 3 }));
  const [vantage] = otherIn(analysed([...slow, ...moved])).time.difference.vantages;
  expect(vantage?.estimate).toBeCloseTo(5, 0);
  expect(vantage?.edges).toEqual(["FRA, FRA", "AMS, AMS"]);
});

test("trials that were not warm are left out, and vantages where most were not, by name", () => {
  const coldIn = (trials: readonly number[], vantages = [place("a", 5), place("b", 5)]) => {
    const samples = testVantages(vantages);
    const warmth = trials.map((trial) => [trial, { warm: false, reason: "fell" }] as const);
    return otherIn(analyseVantages(samples, { ...question, warm: new Map([["other", new Map(warmth)]]) }));
  };
  expect(coldIn([0]).time.difference.vantages.map(({ trials }) => trials)).toEqual([2, 3]);
  expect(coldIn([0, 1, 2, 3]).time).toMatchObject({
    verdict: "not warm",
    reason: "Not warm at a (3 of 3 trials: other fell).",
  });
  const five = ["a", "b", "c", "d", "e"].map((name) => place(name, 5));
  const { time } = coldIn([0, 1, 2], [place("far", -40), ...five]);
  expect(time.verdict).toBe("slower");
  expect(time.reason).toContain("Not warm at far (3 of 3 trials: other fell)");
});

test("vantages that agree to the last digit are as sure as their trials, and no more", () => {
  const own = testVantages([place("a", 5)]);
  const again = own.map((one) => ({
    ...one,
    trial: one.trial + 3,
    from: { ...one.from, vantage: "b", client: "1", edge: null, httpVersion: null },
  }));
  const { difference } = otherIn(analysed([...own, ...again])).time;
  const [first] = difference.vantages;
  expect(difference.mean?.estimate).toBe(first?.estimate);
  expect(difference.mean?.low).toBeLessThan(first?.interval?.low ?? Number.NaN);
});
