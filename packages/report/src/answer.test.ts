import { SampleTable } from "@evenbench/results";
import type { Comparison, Verdict } from "@evenbench/stats";
import { expect, test } from "vitest";
import { analysed, syntheticRun, syntheticSamples } from "../test/synthetic.ts";
import { answersOf } from "./answer.ts";
import { analyseRun, type ReportData } from "./index.ts";

/** The same data, with other verdicts on time: by case, then by target. */
function told(data: ReportData, verdictOf: (caseId: string, target: string) => Verdict): string {
  const changed = (one: Comparison, id: string) => ({ ...one, verdict: verdictOf(id, one.target) });
  const cases = data.cases.map((report) => ({
    ...report,
    headline: report.headline && {
      ...report.headline,
      comparisons: report.headline.comparisons.map((one) => changed(one, report.manifest.id)),
    },
  }));
  return answersOf(data.targets, cases).join(" ");
}

const data = analysed({ rounds: 20 });

test("each platform has a sentence, whose counts add up, with the range of its differences", () => {
  const { answer } = analysed({}).summary;
  expect(answer).toMatch(
    /^Cloudflare's workerd: faster than Node\.js in 1 of 4 cases \(\d+ % less time\), slower in \d .*% more time\).*\. Vercel's host: slower than Node\.js in \d of 4 cases/,
  );
});

test.each([
  [
    "inconclusive",
    "Cloudflare's workerd: inconclusive in 4 of 4 cases. Vercel's host: inconclusive in 4 of 4 cases.",
  ],
  ["not warm", "Cloudflare's workerd: not warm in 4 of 4 cases. Vercel's host: not warm in 4 of 4 cases."],
  [
    "same",
    "Cloudflare's workerd: the same as Node.js in 4 of 4 cases. Vercel's host: the same as Node.js in 4 of 4 cases.",
  ],
] as const)("where every verdict is %s, the answer gives no number", (verdict, sentence) => {
  expect(told(data, () => verdict)).toBe(sentence);
});

test("one target alone has no answer", () => {
  const run = syntheticRun({});
  const alone = { ...run, plan: { ...run.plan, targets: run.plan.targets.slice(0, 1) } };
  const { summary } = analyseRun(alone, SampleTable.from(syntheticSamples(alone, { rounds: 10 })));
  expect(summary.answer).toBeNull();
});
