import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { createReport, type ReadFacts, readFacts, type WrittenReport } from "@evenbench/report";
import { written } from "@evenbench/report/testing/synthetic";
import { beforeAll, describe, expect, test } from "vitest";
import { type SyntheticVantage, syntheticVantages } from "../test/synthetic-run.ts";

const folder = testFolder();
const plain = { width: 100, color: false };

/** Writes a synthetic run into a folder of the test's own, and its reports. */
async function reportOf(results: string, places?: readonly SyntheticVantage[]): Promise<WrittenReport> {
  const { run, samples } = syntheticVantages(places);
  return createReport(await written(join(folder, results), run, samples), plain);
}

/** Reads what a synthetic run found. */
async function foundIn(results: string, places: readonly SyntheticVantage[]): Promise<ReadFacts> {
  const { run, samples } = syntheticVantages(places);
  return readFacts(await written(join(folder, results), run, samples));
}

let report: WrittenReport;
let page: string;
let five: ReadFacts;
beforeAll(async () => {
  report = await reportOf("five");
  five = await readFacts(dirname(report.htmlFile));
  page = await readFile(report.htmlFile, "utf8");
});

describe("a run of several vantages", () => {
  test("answers in milliseconds where all agree, and says where they disagree", () => {
    const main = report.facts.changes.filter(({ role }) => role === "main");
    expect(new Set(main.map(({ unit }) => unit))).toEqual(new Set(["ms"]));
    const found = main.map((change) => [change.case, change.target, change.verdict, change.why]);
    expect(found).toContainEqual(["react-ssr", "cloudflare", "slower", null]);
    expect(found).toContainEqual(["react-ssr", "vercel", "same", null]);
    expect(report.terminal).toMatch(/^React page .* ▶ \+[45]\.\d+ ms \(\+4\.\d+ to \+5/m);
    expect(report.terminal).toMatch(/^Trigonometry .* places disagree /m);
  });

  test("has no ratio, no interval and no figure that takes all trials together", () => {
    for (const text of [report.terminal, page]) {
      expect(text.match(/\d×/g) ?? []).toEqual([]);
    }
    for (const { lastByte, computeTimes, against, distributions } of report.data.cases) {
      expect([computeTimes, against, distributions]).toEqual([[], [], []]);
      expect(lastByte?.comparisons).toEqual([]);
      expect(lastByte?.summaries.map(({ medianLowMs }) => medianLowMs)).toEqual([null, null, null, null]);
    }
  });

  test("tells requests of others from each vantage, by what instances counted", async () => {
    const eu = { name: "eu", routeMs: 5, strangers: 7 };
    const { facts } = await reportOf("strangers", [eu, { name: "us", routeMs: 50 }]);
    const [notice] = facts.notices;
    expect(notice?.code).toBe("not-alone");
    const ofNode = notice?.found.find(({ case: of, target }) => of === "react-ssr" && target === "node");
    expect(ofNode?.numbers).toEqual({ count: 28 });
    expect(new Set(notice?.found.map(({ place }) => place))).toEqual(new Set(["eu"]));
  });

  test("of one vantage alone has no verdict, though each of its trials is sure", async () => {
    const { facts, details } = await foundIn("alone", [{ name: "here", routeMs: 2 }]);
    expect(facts.changes[0]).toMatchObject({ verdict: "unclear", why: "few-places", estimate: null });
    expect(details?.cases[0]?.places.find(({ target }) => target === "cloudflare")).toMatchObject({
      place: "here",
      difference: { estimateMs: expect.closeTo(4.8, 0) },
    });
  });

  test("has what each target took from each place, the nearest first", () => {
    const { levels } = report.facts;
    const places = levels.filter((level) => level.case === "react-ssr" && level.place !== null);
    expect(places[0]?.place).toBe("here");
    expect(places.find(({ place, target }) => place === "asia" && target === "cloudflare")).toMatchObject({
      metric: "lastByteMs",
      value: expect.closeTo(135, 0),
    });
  });
});

test("no two parts of the page have one id", () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test("each place has an answer of each target, with the edges and the times of connecting to it", () => {
  const { facts, details } = five;
  const targets = facts.targets.map(({ name }) => name);
  const answers = facts.answers.filter((answer) => answer.case === "react-ssr" && answer.place !== null);
  const names = ["here", "us", "brazil", "asia", "oceania"];
  expect(answers.map(({ place, target }) => `${place} ${target}`).toSorted()).toEqual(
    names.flatMap((name) => targets.map((target) => `${name} ${target}`)).toSorted(),
  );
  const fromAsia = { place: "asia", target: "cloudflare" };
  expect(answers.find(({ place, target }) => place === "asia" && target === "cloudflare")).toMatchObject({
    ...fromAsia,
    requests: 80,
    failed: 0,
  });
  const ofCase = details?.cases.find((each) => each.case === "react-ssr");
  expect(ofCase?.places).toContainEqual(
    expect.objectContaining({ ...fromAsia, connectMs: 110, edges: ["NRT"], instances: 1 }),
  );
  const compute = facts.levels.find(
    ({ place, target, metric }) => place === "asia" && target === "cloudflare" && metric === "computeMs",
  );
  expect(compute?.value).toBeCloseTo(24, 0);
});
