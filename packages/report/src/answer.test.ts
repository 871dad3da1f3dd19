import { SampleTable } from "@evenbench/results";
import type { Comparison, Verdict } from "@evenbench/stats";
import { expect, test } from "vitest";
import { analysed, syntheticRun, syntheticSamples } from "../test/synthetic.ts";
import { answerOf } from "./answer.ts";
import { analyseRun, type ReportData } from "./index.ts";

/** The same data, with other verdicts on time: by case, then by target. */
function told(data: ReportData, verdictOf: (caseId: string, target: string) => Verdict): string | null {
  const changed = (one: Comparison, id: string) => ({ ...one, verdict: verdictOf(id, one.target) });
  const cases = data.cases.map((report) => ({
    ...report,
    headline: report.headline && {
      ...report.headline,
      comparisons: report.headline.comparisons.map((one) => changed(one, report.manifest.id)),
    },
  }));
  return answerOf(data.targets, cases);
}

const data = analysed({ rounds: 20 });

test("each platform has a sentence, whose counts add up, with the range of its differences", () => {
  const { answer } = analysed({}).summary;
  expect(answer).toMatch(
    /^cloudflare: faster than node in 1 of 4 cases \(\d+ % less time\), slower in \d .*% more time\).*\. vercel: slower than node in \d of 4 cases/,
  );
});

test.each([
  ["inconclusive", "cloudflare: inconclusive in 4 of 4 cases. vercel: inconclusive in 4 of 4 cases."],
  ["not warm", "cloudflare: not warm in 4 of 4 cases. vercel: not warm in 4 of 4 cases."],
  ["same", "cloudflare: the same as node in 4 of 4 cases. vercel: the same as node in 4 of 4 cases."],
] as const)("where every verdict is %s, the answer gives no number", (verdict, sentence) => {
  expect(told(data, () => verdict)).toBe(sentence);
});

test("one target alone has no answer", () => {
  const run = syntheticRun({});
  const alone = { ...run, plan: { ...run.plan, targets: run.plan.targets.slice(0, 1) } };
  const { summary } = analyseRun(alone, SampleTable.from(syntheticSamples(alone, { rounds: 10 })));
  expect(summary.answer).toBeNull();
});
