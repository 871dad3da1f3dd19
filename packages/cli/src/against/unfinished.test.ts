import type { RunEvent } from "@evenbench/results";
import { expect, test } from "vitest";
import { unfinishedOf } from "./unfinished.ts";

const event = (kind: RunEvent["kind"], caseId: string, target: string | null, detail: string): RunEvent => ({
  atMs: 1,
  kind,
  caseId,
  target,
  trial: 0,
  detail,
});
const head = event(
  "target-dropped",
  "empty",
  "node.head",
  "node.head was dropped from empty: its host died twice in one trial.\nThe end of its log:\nboom",
);
const base = event("target-dropped", "trig", "node.base", "node.base was dropped from trig: 3 errors.");
const failed = event("case-failed", "trig", null, "trig was ended early: its baseline was dropped.");

test("a whole run has nothing unfinished, whatever else happened in it", () => {
  const events = [event("host-restarted", "empty", "node.head", "It was started again.")];
  expect(unfinishedOf({ status: "complete", events }, "node")).toEqual([]);
});

test("a target that was dropped is one line with its reason, though the run is complete", () => {
  expect(unfinishedOf({ status: "complete", events: [head] }, "node")).toEqual([
    "Not measured whole: node.head was dropped from empty: its host died twice in one trial. The report of node says more.",
  ]);
});

test("a case that failed with its baseline is told once, and one that failed by itself, too", () => {
  expect(unfinishedOf({ status: "failed", events: [base, failed] }, "node")).toEqual([
    "Not measured whole: node.base was dropped from trig: 3 errors. The report of node says more.",
  ]);
  expect(unfinishedOf({ status: "failed", events: [head, failed] }, "node")).toHaveLength(2);
  expect(unfinishedOf({ status: "failed", events: [] }, "node")).toHaveLength(1);
});

test("an interrupted run is no failure: its exit code says what it is", () => {
  expect(unfinishedOf({ status: "interrupted", events: [head] }, "node")).toEqual([]);
});
