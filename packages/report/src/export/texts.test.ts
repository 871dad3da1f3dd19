import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readSummary } from "@evenbench/results";
import { expect, test } from "vitest";
import { analysed, analysedWithCpu, withVerdict } from "../../test/synthetic.ts";
import type { ReportData } from "../data.ts";
import { resultsTable, shareText } from "../index.ts";
import { summaryOf } from "../summary.ts";

const summarised = (data: ReportData) => ({ run: data.run, summary: summaryOf(data) });
const tableOf = (data: ReportData) => resultsTable(summarised(data));
const shareOf = (data: ReportData) => shareText(summarised(data));
test("has a row for each case, and time and CPU time for each platform; bold is what is a difference", () => {
  const data = analysedWithCpu({ rounds: 40 });
  const [head, , ...rows] = tableOf(data)
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const columns = ["Worker", "Vercel Function"].flatMap((name) => [`${name}, time`, `${name}, CPU time`]);
  expect(head).toEqual(["", "case", ...columns, ""]);
  const ids = ["empty", "react-ssr", "react-ssr-native \\*", "trig"];
  expect(rows.slice(0, 4).map(([, id]) => id)).toEqual(ids);
  const ratio = data.cases[3]?.headline?.comparisons[0]?.ratio;
  const [estimate, low, high] = [ratio?.estimate, ratio?.low, ratio?.high].map((value) => value?.toFixed(2));
  expect(rows[3]?.[2]).toBe(`**${estimate} (${low}–${high})**`);
  expect(rows[1]?.[2]).toMatch(/^\d\.\d\d \(/);
});

test("a run of baselines alone has no table, in one line", () => {
  const data = analysed({ rounds: 5 });
  const targets = data.run.plan.targets.filter(({ name }) => name.startsWith("node"));
  const run = { ...data.run, plan: { ...data.run.plan, targets } };
  expect(() => resultsTable({ run, summary: summaryOf(data) })).toThrow(/^This run compared nothing/);
});

test("the table in docs/findings/three-platforms.md is that of its run", async () => {
  const docs = join(import.meta.dirname, "../../../../docs/findings");
  const page = await readFile(join(docs, "three-platforms.md"), "utf8");
  const [, folder = ""] = /\]\(([\d-]+)\/summary\.json\)/.exec(page) ?? [];
  const [table = ""] = resultsTable(await readSummary(join(docs, folder))).split("\n\n");
  expect(table.split("\n").length).toBeGreaterThan(5);
  expect(page).toContain(table);
});

test("what is pasted has the answer, the picture, what it does not say, the command and the run; no line without words", () => {
  const data = analysed({ rounds: 60 });
  expect(shareOf(data).split("\n")).toEqual([
    data.summary.sentences.join(" "),
    "",
    "Picture: card.png in the run's folder",
    "Local run, not the platforms' networks or hardware: one machine, A synthetic processor, 2 cores; 5 trials a case, warm code, no network.",
    "Node.js 24.21.0 · workerd 1.20261117.1.",
    "",
    "npm run bench -- --case empty,react-ssr,trig,react-ssr-native --server-cores apart --trials 5 --time 45s --cold 3 --precision 0.02",
    "Evenbench 0.1.0, run synthetic",
  ]);
  expect(shareOf({ ...data, run: { ...data.run, identities: {} } })).not.toMatch(/^\.$/m);
  const warning = { severity: "caution" as const, title: "Requests failed", details: ["x"], remedy: "y" };
  expect(shareOf({ ...data, warnings: [warning] })).toContain("no network. Notices: Requests failed.");
});

test("what is not warm has no number to paste, and no code is called warm where no instances were", () => {
  const cold = withVerdict(analysed({ rounds: 20 }), "not warm");
  expect(tableOf(cold)).toContain("| empty               | not warm");
  expect(shareOf(cold)).toMatch(/ trials a case, no network\./);
});
