import type { InstanceUsage, WarmUp } from "@evenbench/results";
import { testSample } from "@evenbench/stats/testing";
import { expect, test } from "vitest";
import { analyseComparison } from "./compare.ts";

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
      expected: { a: { bytes: 10, sha256: "x" }, b: { bytes: 10, sha256: "x" } },
      samples,
      unmeasured: [],
      events: [],
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
  expect(analysed(1, 2).contrasts[0]).toMatchObject({
    firstByteMs: null,
    lastByteMs: null,
    cpu: null,
    notWarm: "Not warm in 2 of 3 trials: b got 2 of the 68 requests that warm it up.",
  });
});
