import { SampleTable } from "@evenbench/results";
import { expect, test } from "vitest";
import { marksIn, marksOf, PLATFORM_MARKS } from "../test/colours.ts";
import { analysedApps } from "../test/several-apps.ts";
import { syntheticRun, syntheticSamples } from "../test/synthetic.ts";
import { analyseRun, renderHtml } from "./index.ts";

test("the page of a run marks each platform with its colour, and in the one order, whatever the plan's", () => {
  const full = syntheticRun({});
  const targets = full.plan.targets.toReversed();
  const run = { ...full, plan: { ...full.plan, targets } };
  const page = renderHtml(analyseRun(run, SampleTable.from(syntheticSamples(run, { rounds: 5 }))));
  const [, table = ""] = page.split('<table role="table" data-sortable');
  expect(marksIn(table).filter(([name]) => name in PLATFORM_MARKS)).toEqual(
    marksOf(["node", "cloudflare", "vercel"]),
  );
});

test("a platform's colour is the same in every app, its A/A copy's too", () => {
  const marks = marksIn(renderHtml(analysedApps(["bundle", "next"], { rounds: 5 })));
  for (const [name, mark] of marks.filter(([name]) => !/^[A-Z]/.test(name))) {
    const platform = name.replace(/^\w+-/, "").replace("~copy", "");
    expect([name, mark]).toEqual([name, PLATFORM_MARKS[platform]]);
  }
});
