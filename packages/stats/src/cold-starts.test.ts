import type { ColdStart, Sample } from "@evenbench/results";
import { expect, test } from "vitest";
import { testSample } from "../test/samples.ts";
import { coldSummaries } from "./cold-starts.ts";

/** Repetitions on a machine that is slower each time. */
function repeated(target: string, readyMs: number, firstMs: number) {
  const slow = [1, 1.1, 1.2, 1.3, 1.4];
  const starts = slow.map(
    (factor, repetition): ColdStart => ({ caseId: "case", target, repetition, readyMs: readyMs * factor }),
  );
  const samples = slow.flatMap((factor, trial): Sample[] =>
    [firstMs * factor, 1].map((lastByteMs, roundIndex) =>
      testSample({ target, trial, roundIndex, phase: "cold", lastByteMs }),
    ),
  );
  return { starts, samples };
}

const node = repeated("node", 100, 20);
const other = repeated("other", 200, 40);

test("medians of each part, and the ratio of start and first exchange within repetitions", () => {
  const [first, second] = coldSummaries(
    [...node.starts, ...other.starts],
    [...node.samples, ...other.samples],
    ["node", "other"],
    "node",
  );
  expect(first).toEqual({
    target: "node",
    repetitions: 5,
    readyMs: 120,
    firstMs: 24,
    secondMs: 1,
    ratio: null,
  });
  expect(second?.ratio?.estimate).toBeCloseTo(2, 9);
  expect(second?.ratio?.low).toBeCloseTo(2, 6);
});

test("a start whose exchange failed does not count", () => {
  const failed = other.samples.map((sample, index) =>
    index === 0 ? { ...sample, error: { kind: "timeout", detail: "" } as const } : sample,
  );
  const [summary] = coldSummaries(other.starts, failed, ["other"], "node");
  expect(summary).toMatchObject({ repetitions: 4, ratio: null });
  expect(coldSummaries(other.starts, [], ["other"], "node")).toEqual([]);
});
