import { expect, test } from "vitest";
import { testSample } from "../test/samples.ts";
import { instancesOf } from "./cells.ts";

test("where a process is replaced within a trial, the trial is that of the last one, which was warmed up anew", () => {
  const at = (startedAtMs: number, lastByteMs: number) => ({ startedAtMs, lastByteMs, caseId: "a" });
  const samples = [
    testSample({ ...at(1, 30), target: "other", phase: "warmup", roundIndex: 0 }),
    testSample({ ...at(2, 10), target: "other", roundIndex: 0 }),
    testSample({ ...at(3, 10), target: "other", roundIndex: 1 }),
    testSample({ ...at(4, 30), target: "other", phase: "warmup", roundIndex: 1 }),
    testSample({ ...at(5, 20), target: "other", roundIndex: 2 }),
    testSample({ ...at(6, 20), target: "other", roundIndex: 3 }),
    // Another trial, and another target, keep what they have.
    testSample({ ...at(7, 10), target: "other", trial: 1, roundIndex: 0 }),
    testSample({ ...at(3, 10), target: "node", roundIndex: 0 }),
  ];
  const seen = instancesOf(samples, "a", "lastByteMs").map(({ target, trial, rounds }) => {
    return [target, trial, [...rounds]];
  });
  expect(seen).toEqual([
    [
      "other",
      0,
      [
        [2, 20],
        [3, 20],
      ],
    ],
    ["other", 1, [[0, 10]]],
    ["node", 0, [[0, 10]]],
  ]);
});
