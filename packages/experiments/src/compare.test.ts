import type { InstanceUsage, WarmUp } from "@evenbench/results";
import { testSample } from "@evenbench/stats/testing";
import { describe, expect, test } from "vitest";
import { analyseComparison } from "./analyse-sides.ts";
import { openSides } from "./compare.ts";
import type { FigureQuestion } from "./define.ts";
import { takesMore } from "./judge.ts";

const TRIALS = [0, 1, 2] as const;
const TARGETS = ["a", "a~copy", "b"] as const;
/** "b" takes twice as long, and ten times in its last trial. */
const msOf = (target: string, trial: number) => {
  if (target !== "b") {
    return 10;
  }
  return trial === 2 ? 100 : 20;
};
const each = TRIALS.flatMap((trial) => TARGETS.map((target) => ({ target, trial })));
const samples = each.flatMap(({ target, trial }) =>
  Array.from({ length: 12 }, (_, roundIndex) => {
    const ms = msOf(target, trial) * (1 + 0.01 * ((roundIndex * 7 + trial) % 3));
    return testSample({ target, trial, roundIndex, firstByteMs: ms, lastByteMs: ms, cpuMs: ms });
  }),
);
const usage = each.map(({ target, trial }) => {
  const cpuMs = 12 * msOf(target, trial) + trial;
  const account = { caseId: "case", exchanges: 12, residentBytes: 1, peakResidentBytes: null };
  return { ...account, target, trial, cpuMs } as InstanceUsage;
});

function analysed(...short: readonly number[]) {
  const cut = { caseId: "case", target: "b", exchanges: 2, needed: 68, warmAfter: 54 };
  const sides = ["a", "b"].map((name) => ({ name, target: "node" }));
  return analyseComparison(
    { id: "pair", caseId: "case", sides },
    {
      record: { usage, warmUps: short.map((trial): WarmUp => ({ ...cut, trial })) },
      names: ["a", "b"],
      samples,
    },
  );
}

test("a trial of an instance that was not warm is in no ratio and no median", () => {
  const { contrasts, sides } = analysed(2);
  expect(contrasts[0]).toMatchObject({
    notWarm: null,
    lastByteMs: { estimate: expect.closeTo(2, 1) },
    cpu: { estimate: expect.closeTo(2, 1) },
  });
  expect(sides[1]?.lastByteMs?.estimate).toBeCloseTo(20, 0);
  expect(sides[1]?.cpuMsPerExchange?.estimate).toBeCloseTo(20, 0);
});

test("a side of which most trials were not warm has no ratio, and the reason instead", () => {
  expect(analysed(1, 2).contrasts[0]).toEqual({
    side: "b",
    against: "a",
    firstByteMs: null,
    lastByteMs: null,
    cpu: null,
    notWarm: "Not warm in 2 of 3 trials: b got 2 of the 68 requests that warm it up.",
  });
});

describe("a comparison goes on", () => {
  const sides = ["a", "b"].map((name) => ({ name, target: "node" }));
  const plan = { id: "pair", caseId: "case", sides };
  const soFar = {
    targets: TARGETS.map((name) => ({ name, copyOf: name === "a~copy" ? "a" : null })),
    samples: samples.filter(({ trial }) => trial < 2),
    usage,
    warmUps: [],
  };
  const asks = (decidesAt: number | null, comparison = "pair"): FigureQuestion => ({
    label: "b / a",
    comparison,
    side: "b",
    against: "a",
    metric: "lastByteMs",
    rule: decidesAt === null ? undefined : takesMore(decidesAt),
  });

  test.each([
    ["until the rule of the claim decides", [asks(1.05)], plan, []],
    ["while it does not", [asks(2)], plan, ["b", "a"]],
    ["while one part of several is open", [asks(1.05), asks(2)], plan, ["b", "a"]],
    ["no longer for what stands beside the claim", [asks(null), asks(2, "another")], plan, []],
    ["as long as the claim's own decision needs it", [], { ...plan, mostTrials: 68 }, ["a", "b"]],
  ] as const)("%s", (_, figures, given, open) => {
    expect(openSides(given, { figures, known: {} }, soFar)).toEqual(open);
  });

  test("until it is sure beyond a verdict, since it is looked at again and again", () => {
    const scattered = soFar.samples.map((sample) =>
      sample.target === "b" && sample.trial === 1
        ? { ...sample, lastByteMs: 1.05 * (sample.lastByteMs ?? 0) }
        : sample,
    );
    const { contrasts } = analyseComparison(plan, {
      record: soFar,
      names: ["a", "b"],
      samples: scattered,
    });
    const { low = 0 } = contrasts[0]?.lastByteMs ?? {};
    const barely = { figures: [asks(low * 0.9999)], known: {} };
    expect(openSides(plan, barely, { ...soFar, samples: scattered })).toEqual(["b", "a"]);
  });
});
