import type { InstanceUsage, Sample, WarmUp } from "@evenbench/results";
import { expect, test } from "vitest";
import { analyseComparison } from "./compare.ts";

const SIDES = ["a", "b"];
const TRIALS = [0, 1, 2];
/** "b" takes twice as long, and ten times in its last trial. */
const samples = TRIALS.flatMap((trial) =>
  Array.from({ length: 12 }, (_, roundIndex) => roundIndex).flatMap((roundIndex) =>
    ["a", "a~copy", "b"].map((target): Sample => {
      const ms =
        (target === "b" ? (trial === 2 ? 100 : 20) : 10) * (1 + 0.01 * ((roundIndex * 7 + trial) % 3));
      return {
        ...{ caseId: "case", target, trial, phase: "measure", roundIndex, position: 0, startedAtMs: 0 },
        ...{ connectMs: null, firstByteMs: ms, lastByteMs: ms, cpuMs: ms, minorFaults: null, status: 200 },
        ...{ bodyBytes: 10, instanceId: null, served: null, inFlight: null, error: null },
      };
    }),
  ),
);
const usage = TRIALS.flatMap((trial) =>
  ["a", "a~copy", "b"].map(
    (target) =>
      ({
        ...{ caseId: "case", target, trial, exchanges: 12, residentBytes: 1, peakResidentBytes: null },
        ...{ cpuMs: target === "b" ? (trial === 2 ? 1200 : 240 + trial) : 120 + trial },
      }) as InstanceUsage,
  ),
);
const short = (...trials: readonly number[]): WarmUp[] =>
  trials.map((trial) => ({ caseId: "case", target: "b", trial, exchanges: 2, needed: 68, warmAfter: 54 }));

const analysed = (warmUps: readonly WarmUp[]) =>
  analyseComparison({
    plan: { id: "pair", caseId: "case", sides: SIDES.map((name) => ({ name, target: "node" })) },
    expected: { a: { bytes: 10, sha256: "x" }, b: { bytes: 10, sha256: "x" } },
    unmeasured: [],
    ...{ samples, usage, warmUps, events: [] },
  });

test("a trial of an instance that was not warm is in no ratio and no median", () => {
  const { contrasts, sides } = analysed(short(2));
  expect(contrasts[0]?.notWarm).toBeNull();
  expect(contrasts[0]?.lastByteMs?.estimate).toBeCloseTo(2, 1);
  expect(contrasts[0]?.cpu?.estimate).toBeCloseTo(2, 1);
  expect(sides[1]?.lastByteMs?.estimate).toBeCloseTo(20, 0);
  expect(sides[1]?.cpuMsPerExchange?.estimate).toBeCloseTo(20, 0);
});

test("a side of which most trials were not warm has no ratio, and the reason instead", () => {
  const [contrast] = analysed(short(1, 2)).contrasts;
  expect(contrast).toMatchObject({ firstByteMs: null, lastByteMs: null, cpu: null });
  expect(contrast?.notWarm).toBe("Not warm in 2 of 3 trials: b got 2 of the 68 requests that warm it up.");
});
