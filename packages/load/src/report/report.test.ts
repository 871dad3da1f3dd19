import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { type Facts, loadTerminal } from "@evenbench/report";
import { FACTS_FILE, type LoadSample, SAMPLES_FILE } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { type SyntheticLoad, writeSyntheticLoad } from "../../test/synthetic-load.ts";
import { createLoadReport } from "./create-report.ts";
import { readLoadFacts } from "./read.ts";

let folder: string;
folderOfEachTest((made) => {
  folder = made;
});

const terminalOf = (facts: Facts) => loadTerminal(facts, { width: 80, color: false, report: null });

async function reported(options: SyntheticLoad) {
  // Another load's file of facts would say otherwise.
  await rm(join(folder, FACTS_FILE), { force: true });
  const run = await writeSyntheticLoad(folder, options);
  const report = await createLoadReport(folder);
  return { ...report, run, html: await readFile(report.htmlFile, "utf8") };
}

/** Gives the values of a metric, by target. */
function valuesOf({ levels }: Facts, metric: string, value: number | null) {
  return levels
    .filter((level) => level.metric === metric && (level.load?.value ?? null) === value)
    .map((level) => [level.target, level.value]);
}

test("the facts of a sweep have each target's levels under each load, and from where on requests wait", async () => {
  const { facts, stages } = await reported({ levels: "concurrency" });
  expect(valuesOf(facts, "queuesFrom", null)).toEqual([
    ["single", 2],
    ["fourfold", 8],
  ]);
  const single = stages.filter(({ stage }) => stage.target === "single");
  const most = Math.max(
    ...[1, 2, 8].map((connections) => {
      const at = single.filter(({ stage }) => stage.load.connections === connections);
      return at.reduce((sum, { perSecond }) => sum + perSecond, 0) / at.length;
    }),
  );
  expect(valuesOf(facts, "answersPerSecond", null)[0]).toEqual(["single", expect.closeTo(most, 9)]);
  const medians = single
    .filter(({ stage }) => stage.load.connections === 8)
    .map(({ latency }) => latency?.p50);
  const level = facts.levels.find(
    ({ target, metric, load }) => target === "single" && metric === "lastByteMs" && load?.value === 8,
  );
  expect(level).toMatchObject({ byTrial: medians, p99: null, load: { kind: "concurrency", value: 8 } });
  expect(facts.changes).toEqual([]);
  expect(facts.notices).toEqual([]);
});

test("a stage that was cut is no trial of a mean, and a notice says so", async () => {
  const { run, facts } = await reported({ levels: "concurrency" });
  const [first, ...others] = run.stages;
  if (first === undefined) {
    throw new Error("no stages");
  }
  const cut = { ...first, ended: "the run was interrupted" };
  const again = await reported({ levels: "concurrency", changes: { stages: [cut, ...others] } });
  const { target, load } = first;
  const trialsOf = ({ levels }: Facts) =>
    levels.find((level) => level.target === target && level.load?.value === load.connections)?.byTrial;
  expect(trialsOf(again.facts)).toEqual(trialsOf(facts)?.slice(1));
  expect(again.facts.notices.map(({ code, weight }) => [code, weight])).toEqual([["stage-ended", "void"]]);
});

test("memory that was read under a load has a trend of each kind, in facts, terminal and page", async () => {
  const memory = [0, 1, 2, 3, 4].map((block) => ({
    caseId: "short",
    target: "single",
    block,
    requests: 201,
    heapBytes: 6_000_000,
    bufferBytes: 8_040_000 * block,
    residentBytes: null,
  }));
  const { facts, html } = await reported({ levels: "concurrency", changes: { memory } });
  expect(facts.trends.map(({ metric, verdict, estimate }) => [metric, verdict, estimate])).toEqual([
    ["heapBytes", "flat", 0],
    ["bufferBytes", "grows", 40_000],
  ]);
  for (const text of [terminalOf(facts), html]) {
    expect(text).toContain("buffer memory a request");
  }
});

test("the page of a load draws its quantities, each with a text in its place, and has its tables", async () => {
  const { html, facts } = await reported({ levels: "concurrency" });
  expect(html.match(/<svg [^>]*role="img" aria-label="[^"]*single: /g)).toHaveLength(4);
  expect(html).toMatch(/aria-label="Time, [^"]*single: 10\.\d ms at 1 at a time/);
  expect(html.match(/<table/g)?.length).toBeGreaterThanOrEqual(2);
  const lines = terminalOf(facts).split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.filter((line) => / at a time /.test(line) && /^(single|fourfold) /.test(line))).toHaveLength(
    6,
  );
});

test.each([
  ["in a sweep have no result, and no part in a limit", "concurrency", [["fourfold", 8]], "void"],
  ["at a rate of a search are a rate that did not hold", "rates", [], "caution"],
] as const)("loads of which one request in five fails %s", async (_, levels, limits, weight) => {
  const { stages } = await writeSyntheticLoad(folder, { levels });
  const file = join(folder, SAMPLES_FILE);
  const samples = (await readFile(file, "utf8")).trim().split("\n");
  const error = { kind: "status", detail: "HTTP 500 instead of 200" };
  const failing = samples.map((line, index) => {
    const sample: LoadSample = JSON.parse(line);
    const fails = index % 5 === 0 && stages[sample.stage]?.target === "single";
    return `${JSON.stringify(fails ? { ...sample, error } : sample)}\n`;
  });
  await writeFile(file, failing.join(""));
  const { facts } = await createLoadReport(folder);
  expect(valuesOf(facts, "queuesFrom", null)).toEqual(limits);
  const [notice] = facts.notices;
  expect(notice?.weight).toBe(weight);
  expect(notice?.found.map(({ target, quote }) => [target, quote])).toEqual(
    Array(9).fill(["single", "status: HTTP 500 instead of 200"]),
  );
  const failed = facts.levels.filter(({ target, load }) => target === "single" && load !== null);
  expect(failed.length === 0).toBe(weight === "void");
});

test("the facts of a search have the highest rate that held in each trial, and whether more may hold", async () => {
  const { facts } = await reported({ levels: "rates" });
  const capacities = facts.levels.filter(({ load }) => load?.kind === "capacity");
  expect(capacities).toMatchObject([
    { target: "single", value: 80, byTrial: [80, 80, 80], why: null },
    { target: "fourfold", value: 160, byTrial: [160, 160, 160], why: "all-held" },
  ]);
  expect(capacities[0]?.load?.condition).toEqual({ quantile: 0.9, limitMs: 30 });
  expect(terminalOf(facts)).toContain("160 or more");
});

test("the closed loop with which a search begins has no level, also where it was cut", async () => {
  const { run } = await reported({ levels: "rates" });
  const load = { kind: "closed", connections: 8 } as const;
  const stages = run.stages.map((stage, index) => (index === 2 ? { ...stage, load, ended: "cut" } : stage));
  const { facts } = await reported({ levels: "rates", changes: { stages } });
  expect(new Set(facts.levels.map((level) => level.load?.kind))).toEqual(new Set(["rate", "capacity"]));
});

test.each([
  [30, ["cached", "cached"]],
  [0.001, ["none-held", "none-held"]],
])("of a file the facts of a search say so, within %f ms by the reasons %j", async (limitMs, whys) => {
  await writeSyntheticLoad(folder, { levels: "rates" });
  const file = join(folder, "load.json");
  const load = JSON.parse(await readFile(file, "utf8"));
  const cases = load.plan.cases.map((each: object) => ({ ...each, cached: "A file.", answeredBy: "file" }));
  const plan = { ...load.plan, cases, condition: { ...load.plan.condition, limitMs } };
  await writeFile(file, JSON.stringify({ ...load, plan }));
  const { facts } = await createLoadReport(folder);
  const capacities = facts.levels.filter(({ load: offered }) => offered?.kind === "capacity");
  expect(capacities.map(({ why }) => why)).toEqual(whys);
  expect(new Set(facts.answers.map(({ from }) => from))).toEqual(new Set(["file"]));
});

describe("what a reader must know", () => {
  test("events and what stages say against themselves become notices, the gravest first", async () => {
    const { run } = await reported({ levels: "concurrency" });
    const [first, second, third, ...others] = run.stages;
    if (first === undefined || second === undefined || third === undefined) {
      throw new Error("no stages");
    }
    const changed = [
      { ...first, late: 50 },
      { ...second, meanInFlight: second.meanInFlight * 2 },
      { ...third, ended: "nothing but errors for 3 s" },
      ...others,
    ];
    const event = { atMs: 1, caseId: null, target: null, trial: null };
    const events = [{ ...event, kind: "pin-allowed", detail: "React differs." }] as const;
    const machine = run.machine && { ...run.machine, coresApart: null };
    const { facts } = await reported({
      levels: "concurrency",
      changes: { stages: changed, events, machine },
    });
    const codes = facts.notices.map(({ code }) => code);
    expect(codes.toSorted()).toEqual([
      "client-late",
      "cores-shared",
      "more-waited",
      "settings-allowed",
      "stage-ended",
    ]);
    const late = facts.notices.find(({ code }) => code === "client-late")?.found;
    expect(late).toMatchObject([
      { target: "single", load: { value: 1 }, numbers: { count: 50, of: first.sent } },
    ]);
  });

  test("a load of which nothing was measured, or that failed, says so", async () => {
    const { html } = await reported({
      levels: "concurrency",
      changes: { status: "interrupted", stages: [] },
    });
    expect(html).toMatch(/<h1>[^<]+Nothing was measured\.<\/h1>/);
    const { facts } = await reported({ levels: "concurrency", changes: { status: "failed" } });
    expect([facts.run.status, facts.notices]).toEqual(["failed", []]);
  });
});

test("who sent the requests, and on how many processes, are settings", async () => {
  const client = { nonce: "0", startedAt: "2026-11-22T10:00:00.000Z", logged: 1, lacks: null };
  const clients = ["a 1/2", "b 2/2"].map((name) => ({ ...client, name }));
  const { run } = await reported({ levels: "concurrency" });
  const plan = { ...run.plan, engine: { name: "k6", version: "2.2.0" } };
  const { facts } = await reported({ levels: "concurrency", changes: { plan, clients } });
  const setting = (key: string) =>
    facts.settings.find((each) => each.key === key)?.byTarget.map(({ value }) => value);
  expect(setting("client")).toEqual(["k6 2.2.0 on a 1/2, b 2/2", "k6 2.2.0 on a 1/2, b 2/2"]);
  expect(setting("workers")).toEqual(["1", "4"]);
});

describe("the facts of a load are those of its samples", () => {
  test("whatever facts.json says, and a notice says so", async () => {
    const { facts } = await reported({ levels: "concurrency" });
    const forged = facts.levels.map((level) => ({ ...level, value: 1 }));
    await writeFile(join(folder, FACTS_FILE), JSON.stringify({ ...facts, levels: forged }));
    const again = await readLoadFacts(folder);
    expect(again.facts.levels).toEqual(facts.levels);
    expect(again.facts.notices.map(({ code }) => code)).toEqual(["judged-otherwise"]);
  });

  test("samples that were changed or lost since are damaged", async () => {
    const { run } = await reported({ levels: "concurrency" });
    const samples = { count: 1, sha256: "0" };
    const { facts } = await reported({ levels: "concurrency", changes: { ...run, samples } });
    expect(facts.notices.map(({ code }) => code)).toEqual(["samples-damaged"]);
  });

  test("and without samples those of the file, which says that it was judged without them", async () => {
    const { facts } = await reported({ levels: "concurrency" });
    await rm(join(folder, SAMPLES_FILE));
    const { facts: read } = await createLoadReport(folder);
    expect(read.levels).toEqual(facts.levels);
    expect(read.run.judgedFrom).toBe("ends");
  });
});
