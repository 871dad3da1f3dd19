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

test("the answer names the largest differences first, with their intervals, platform by platform", () => {
  const { answer } = analysed({}).summary;
  expect(answer).toMatch(
    /^On cloudflare, arithmetic takes 2\.\d+× \([\d.–]+\) of the time on node, bare request 1\.\d+× \([\d.–]+\) and React \(react-ssr-native\) 0\.8\d+× \([\d.–]+\), same in 1 of 4; on vercel, bare request takes 1\.1\d*× /,
  );
});

test.each([
  ["inconclusive", "On cloudflare and vercel, nothing can be said: inconclusive in all 4 cases."],
  ["not warm", "On cloudflare and vercel, nothing can be said: not warm in all 4 cases."],
  ["same", "On cloudflare and vercel, no difference is seen in all 4 cases."],
] as const)("where every verdict is %s, the answer gives no number", (verdict, sentence) => {
  expect(told(data, () => verdict)).toBe(sentence);
});

test("one target alone has no answer", () => {
  const run = syntheticRun({});
  const alone = { ...run, plan: { ...run.plan, targets: run.plan.targets.slice(0, 1) } };
  const { summary } = analyseRun(alone, SampleTable.from(syntheticSamples(alone, { rounds: 10 })));
  expect(summary.answer).toBeNull();
});
