import { expect, test } from "vitest";
import { analysed } from "../../test/synthetic.ts";
import { expectedMs, nextSteps } from "./next.ts";

const [CASE = ""] = analysed({ rounds: 5 }).run.plan.cases.map(({ id }) => id);

type LogInterval = readonly [centre: number, halfWidth: number];

/** Gives the step for one case of a run of ten trials, whose comparisons have these intervals of logarithms. */
function stepFor(...logs: readonly LogInterval[]) {
  return stepForCases({ [CASE]: logs });
}

/** Gives the step for cases of a run of ten trials, by id, whose comparisons have these intervals of logarithms. */
function stepForCases(logsOf: Readonly<Record<string, readonly LogInterval[]>>) {
  const { run, cases } = analysed({ rounds: 5 });
  const [report] = cases;
  const comparison = report?.lastByte?.comparisons[0];
  if (report?.lastByte == null || comparison === undefined) {
    throw new Error("The synthetic run compares nothing.");
  }
  const { lastByte } = report;
  const summaries = lastByte.summaries.map((summary) => ({ ...summary, trials: 10 }));
  const asked = Object.entries(logsOf).map(([id, logs]) => {
    const comparisons = logs.map(([centre, halfWidth]) => ({
      ...comparison,
      verdict: "unclear" as const,
      ratio: {
        estimate: Math.exp(centre),
        low: Math.exp(centre - halfWidth),
        high: Math.exp(centre + halfWidth),
      },
      trials: 10,
      freedom: { own: 27, prior: 6 },
    }));
    const manifest = { ...report.manifest, id };
    return { ...report, manifest, lastByte: { ...lastByte, summaries, comparisons } };
  });
  return nextSteps({ run, cases: asked })[0];
}

test("twice as many trials are suggested, and twice as many again where these would decide all that is open", () => {
  // Near 0, and narrow enough for "same" once it has twice as many trials.
  expect(stepFor([0, 0.06])).toMatchObject({
    why: "more-trials",
    options: { trials: "20" },
    open: 1,
    decides: 1,
  });
  expect(stepFor([0.01, 0.08])).toMatchObject({ options: { trials: "40" }, open: 1, decides: 1 });
  expect(stepFor([0.03, 0.25])).toMatchObject({ options: { trials: "20" }, open: 1, decides: 0 });
  expect(stepFor([0, 0.06], [0.03, 0.25])).toMatchObject({ options: { trials: "20" }, open: 2, decides: 1 });
});

test("only cases are named of which more trials would probably decide something, or all where they would decide nothing", () => {
  const near: LogInterval = [0, 0.06];
  const noisy: LogInterval = [0.03, 0.25];
  expect(stepForCases({ near: [near], noisy: [noisy] })).toMatchObject({
    cases: ["near"],
    open: 2,
    decides: 1,
  });
  expect(stepForCases({ noisy: [noisy], other: [noisy] })?.cases).toEqual(["noisy", "other"]);
});

test("each trial keeps the time that it had", () => {
  const { run } = analysed({ rounds: 5 });
  const [limitMs] = Object.values(run.plan.caseLimitMs);
  expect(stepFor([0, 0.06])?.options.time).toBe(`${((limitMs ?? 0) * 2) / 1000}s`);
});

test("how long a longer run takes is read off the run: its checks, its first trials, its later ones, and its starts", () => {
  const spentOf = (...trials: readonly (readonly [fromMs: number, untilMs: number])[]) => ({
    spent: {
      warmUpMs: 0,
      measuringMs: 0,
      trials: trials.map(([fromMs, untilMs]) => ({ fromMs, untilMs })),
    },
  });
  // Checks of 30 s, trials of 20 and then 10 s, 2 s between them.
  const quick = spentOf([30_000, 50_000], [64_000, 74_000]);
  const other = spentOf([52_000, 62_000], [76_000, 86_000]);
  expect(expectedMs([quick, other], [quick], 5)).toBe(30_000 + 20_000 + 4 * 10_000 + 5 * 2000);
  expect(expectedMs([quick, other], [quick, other], 2)).toBe(86_000 + 2000);
  expect(expectedMs([quick], [quick], 2)).toBeGreaterThan(74_000);
  expect(expectedMs([], [], 5)).toBe(0);
});
