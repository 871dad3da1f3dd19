import { expect, test } from "vitest";
import { measured } from "../test/measured.ts";
import { judgeAnswers } from "./judge-answers.ts";

const sides = [
  { name: "node", target: "node" },
  { name: "cloudflare", target: "cloudflare" },
];
const saying = (id: string, ratio: number) => measured({ id, caseId: "c", sides }, () => ratio);
const answer = (ratio: number) =>
  ({ comparison: saying(`ratio-${ratio}`, ratio), side: "cloudflare", against: "node" }) as const;
const judge = (one: number, other: number, within = 0.1) =>
  judgeAnswers({ label: "l", metric: "cpu", one: answer(one), other: answer(other), within });

test.each([
  [0.8, 0.8, "reproduced"],
  [0.8, 0.6, "not reproduced"],
  [0.6, 0.8, "not reproduced"],
  [0.8, 0.73, "cannot tell"],
])("%d beside %d is %s", (one, other, verdict) => {
  expect(judge(one, other).verdict).toBe(verdict);
});

test("the interval is that of a quotient of independent estimates", () => {
  const { value } = judge(0.9, 0.6);
  expect(value?.estimate).toBeCloseTo(1.5);
  // 2 % each way, in quadrature.
  expect(Math.log((value?.high ?? 0) / 1.5)).toBeCloseTo(0.02 * Math.SQRT2, 3);
});

test("without one of the two nothing is said", () => {
  const missing = { comparison: undefined, side: "cloudflare", against: "node" };
  const question = { label: "l", metric: "cpu", within: 0.1, one: missing, other: answer(1) } as const;
  expect(judgeAnswers(question)).toMatchObject({ verdict: "cannot tell", value: null });
});
