import { expect, test } from "vitest";
import { analysed, analysedWithCpu } from "../test/synthetic.ts";
import { summaryOf } from "./summary.ts";
import { answerOfSummary, verdictOfRow } from "./summary-answer.ts";

const data = analysed({ rounds: 20 });
const summary = summaryOf(data);

test("a run of an earlier day has its answer by today's rules: what is open has its bound", () => {
  const rows = summary.rows.map(({ equivalence: _, ...row }) => {
    const isCompared = row.verdict !== null && row.ratio !== null;
    return isCompared ? { ...row, verdict: "unclear", ratio: { estimate: 1.02, low: 0.9, high: 1.15 } } : row;
  });
  const kept = { ...summary, answer: "Vercel's host: 4 unclear.", rows };
  const answer = answerOfSummary({ run: data.run, summary: kept });
  expect(answer).toContain("unclear against Node.js in all 4 cases (at most 15 % less or more)");
  expect(answer).not.toContain("Vercel's host");
});

test.each([
  ["with CPU time", analysedWithCpu({ rounds: 20 })],
  ["of few rounds", analysed({ rounds: 6 })],
])("the answer of a summary of today is the one that was recorded: %s", (_, known) => {
  const ofToday = summaryOf(known);
  expect(answerOfSummary({ run: known.run, summary: ofToday })).toBe(ofToday.answer);
});

test("what was unclear by the 99 % interval alone may be the same; nothing else changes", () => {
  const [compared] = summary.rows.filter(({ ratio }) => ratio !== null);
  if (compared === undefined) {
    throw new Error("The synthetic run compares nothing.");
  }
  const { equivalence: _, ...row } = compared;
  const judged = (verdict: string, low: number, high: number) =>
    verdictOfRow({ ...row, verdict, ratio: { estimate: 1, low, high } });
  expect(judged("unclear", 0.94, 1.06)).toBe("same");
  expect(judged("unclear", 0.91, 1.09)).toBe("unclear");
  expect(judged("not warm", 0.99, 1.01)).toBe("not warm");
  const known = { ...row, verdict: "unclear", equivalence: { low: 0.9, high: 1.1 } };
  expect(verdictOfRow({ ...known, ratio: { estimate: 1, low: 0.94, high: 1.06 } })).toBe("unclear");
});
