import { SampleTable } from "@evenbench/results";
import { expect, test } from "vitest";
import { syntheticRun, syntheticSamples, testTrend } from "../../test/synthetic.ts";
import { analyseRun } from "../analyse-run.ts";
import { whyNoFacts } from "../facts/consistent.ts";
import type { Facts } from "../facts/facts.ts";
import { makeFacts } from "../facts/make-facts.ts";
import { levelCell } from "../media/target-tables.ts";
import { terminal } from "../media/terminal.ts";
import { type ComparedStates, factsOfStates } from "./against.ts";
import { gate } from "./gate.ts";

const STATES = { "x.base": "before", "x.head": "after", "x.base~copy": "before" } as const;

/** The run of one target in two states, of which the later one takes so many times as long. */
function pairRun(id: string, slower: number): Facts {
  const run = syntheticRun({ trials: 5 });
  const [first] = run.plan.targets;
  const targets = Object.entries(STATES).map(([name, state]) => {
    const copyOf = name === "x.base~copy" ? "x.base" : null;
    return { ...first, name, state, copyOf } as (typeof run.plan.targets)[number];
  });
  const identity = run.identities.node as NonNullable<(typeof run.identities)["node"]>;
  const changed = {
    ...run,
    id,
    plan: { ...run.plan, targets },
    identities: { "x.base": identity, "x.head": identity },
    usage: [],
    timelines: [],
    coldStarts: [],
  };
  const samples = syntheticSamples(changed, { trials: 5, rounds: 30, slowerBy: { "x.head": slower } });
  return makeFacts(analyseRun(changed, SampleTable.from(samples)), []).facts;
}

const pairOf = (name: string, slower: number) => ({
  name,
  spoken: `spoken ${name}`,
  facts: pairRun(`run of ${name}`, slower),
});

function compared(given: Partial<ComparedStates>): Facts {
  return factsOfStates({
    pairs: [],
    absent: [],
    otherWork: [],
    before: { id: "main", commit: "a".repeat(40), changed: false },
    after: { id: "working copy", commit: "b".repeat(40), changed: true },
    asked: {
      startedAt: "2026-11-29T00:00:00.000Z",
      evenbench: "0.1.0",
      command: ["against", "main"],
      settings: null,
    },
    ...given,
  });
}

const CONDITION = { verdict: "slower", by: 0.05 } as const;

test("runs of pairs are one table of facts: each target in its column, before and after", () => {
  const facts = compared({ pairs: [pairOf("node", 1.4), pairOf("vercel", 1)] });
  expect(whyNoFacts(facts)).toBe(null);
  expect(facts.run).toMatchObject({ of: "states", command: ["against", "main"] });
  expect(facts.run.parts.map(({ id, state, changed }) => [id, state, changed])).toEqual([
    ["main", "before", false],
    ["working copy", "after", true],
  ]);
  const columnOf = (name: string) => facts.targets.find((target) => target.name === name)?.column;
  const main = facts.changes.filter(({ role, metric }) => role === "main" && metric === "lastByteMs");
  const slower = main.filter(({ verdict }) => verdict === "slower");
  expect(main).toHaveLength(4 * 2);
  expect(slower.map(({ target, baseline }) => [columnOf(target), columnOf(baseline)])).toEqual(
    Array.from({ length: 4 }, () => ["node", "node"]),
  );
  expect(facts.cases.map(({ baseline }) => baseline)).toEqual([null, null, null, null]);
  expect(gate(facts, CONDITION).met).toHaveLength(4);
});

test("a target whose builds are equal leaves nothing open, one that was not measured does", () => {
  const named = { spoken: "Node.js" };
  const equal = { ...named, name: "node", code: "equal-builds", quote: null } as const;
  const failed = { ...named, name: "vercel", code: "not-started", quote: "boom" } as const;
  const alone = compared({ absent: [equal] });
  expect(whyNoFacts(alone)).toBe(null);
  expect(gate(alone, CONDITION)).toMatchObject({ open: [], absent: [], asked: 1 });
  const both = compared({ absent: [equal, failed] });
  expect(gate(both, CONDITION).absent).toEqual(["vercel"]);
  expect(both.notices.map(({ code, weight }) => [code, weight])).toEqual([
    ["case-failed", "void"],
    ["equal-builds", "caution"],
  ]);
});

test("a case that is other work has no verdict, and its reason is quoted", () => {
  const target = { name: "node", spoken: "Node.js" };
  const ofCase = { id: "trig", title: "Trig", description: "", path: null, app: "bundle", kindOfWork: "x" };
  const facts = compared({ otherWork: [{ target, case: ofCase, quote: "The status is 404." }] });
  expect(whyNoFacts(facts)).toBe(null);
  expect(facts.changes).toMatchObject([{ case: "trig", verdict: "none", why: "answers-differ" }]);
  expect(facts.notices[0]?.found[0]?.quote).toBe("The status is 404.");
  expect(gate(facts, CONDITION).open).toHaveLength(1);
});

/** Readings of both states, of which the later one keeps so many bytes of each request more. */
function withMemory(facts: Facts, keptBytes: number): Facts {
  const [ofCase] = facts.cases;
  const trend = (target: string, estimate: number) => {
    const ends = { low: estimate - 300, high: estimate + 300, low90: estimate - 150, high90: estimate + 150 };
    return testTrend({ case: ofCase?.id ?? "", target, estimate, ...ends });
  };
  return { ...facts, trends: [trend("x.base", 2000), trend("x.head", 2000 + keptBytes)] };
}

test.each([
  ["as much as before", 0, "flat", 0],
  ["by 2,000 bytes more", 2000, "grows", 1],
] as const)(
  "memory that grows %s is judged by how it grows beyond the earlier state",
  (_, kept, verdict, met) => {
    const pair = pairOf("x", 1);
    const found = compared({ pairs: [{ ...pair, facts: withMemory(pair.facts, kept) }] });
    const beyond = found.trends.filter(({ baseline }) => baseline !== null);
    expect(beyond).toMatchObject([{ target: "x (after)", baseline: "x (before)", estimate: kept, verdict }]);
    expect(beyond[0]?.high).toBeCloseTo(kept + Math.hypot(300, 300), 9);
    expect(whyNoFacts(found)).toBeNull();
    expect(gate(found, { of: "memory", verdict: "grows", by: 1000 }).met).toHaveLength(met);
  },
);

test("a terminal has the time of the state before beside each change, whatever the number of targets", () => {
  const texts = [[pairOf("a", 1)], [pairOf("a", 1), pairOf("b", 1.3)]].map((pairs) => {
    const facts = compared({ pairs });
    const text = terminal(facts, { width: 200, color: false, report: null });
    const times = facts.changes
      .filter(({ role, metric }) => role === "main" && metric === "lastByteMs")
      .map(({ case: caseId, baseline, metric }) => levelCell(facts, caseId, baseline, metric));
    return { text, missing: times.filter((time) => !text.includes(time)) };
  });
  expect(texts.map(({ missing }) => missing)).toEqual([[], []]);
  expect(texts[1]?.text).toContain("Before each change stands the time of main.");
});

test("of states of which nothing was measured a terminal names no machine and no trials", () => {
  const text = terminal(compared({}), { width: 200, color: false, report: null });
  expect(text).toBe("Nothing was compared.");
});
