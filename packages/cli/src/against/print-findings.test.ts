import type { LocalTarget } from "@evenbench/runner";
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import type { Finding } from "./findings.ts";
import type { Pair } from "./pairs.ts";
import { printFindings } from "./print-findings.ts";

const target = {} as LocalTarget;
const pair = (name: string): Pair => ({ name, base: target, head: target, cases: [] });
const finding = (name: string, estimate: number | null): Finding => ({
  caseId: "trig",
  target: name,
  verdict: estimate === null ? "inconclusive" : "same",
  ratio: estimate === null ? null : { estimate, low: estimate, high: estimate, level: 0.95 },
  cpuVerdict: null,
  cpuRatio: null,
});

let stderr: MockInstance<typeof console.error>;
let stdout: MockInstance<typeof console.log>;
beforeEach(() => {
  stderr = vi.spyOn(console, "error").mockImplementation(() => {});
  stdout = vi.spyOn(console, "log").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

const failOn = { verdict: "slower", by: 0.05 } as const;
interface Given {
  readonly findings?: readonly Finding[];
  readonly unfinished?: readonly string[];
  readonly failOn?: typeof failOn;
  readonly signal?: AbortSignal;
}

/** Of the targets node and vercel, which both changed. */
function printed({ findings = [], unfinished = [], signal = new AbortController().signal, ...rest }: Given) {
  const pairs = { changed: [pair("node"), pair("vercel")], equal: [], oneSided: [] };
  const left = ["trig on node is not compared: it sends another body."];
  return printFindings({ findings, left, unfinished }, pairs, { out: ".", json: true, signal, ...rest });
}

const both = [finding("node", 1), finding("vercel", 1)];

test("what was measured whole, and without a condition that is met, is no failure", async () => {
  expect(await printed({ findings: both, failOn })).toBe(false);
  expect(await printed({})).toBe(false);
  expect(stderr).not.toHaveBeenCalled();
});

test("what was not measured to its end is a failure, with a condition and without", async () => {
  const unfinished = ["Not measured whole: node.head was dropped."];
  expect(await printed({ findings: both, unfinished })).toBe(true);
  expect(stderr).toHaveBeenCalledExactlyOnceWith("evenbench: Not measured whole: node.head was dropped.");
  expect(JSON.parse(stdout.mock.calls[0]?.[0])).toMatchObject({ unfinished });
});

test("a condition fails on a changed target of which nothing was found out", async () => {
  expect(await printed({ findings: [finding("node", null), finding("vercel", 1)], failOn })).toBe(true);
  expect(stderr.mock.calls).toEqual([
    [
      expect.stringMatching(
        /^evenbench: --fail-on has no verdict to act on for node, for the reasons above\./,
      ),
    ],
  ]);
  expect(await printed({ failOn })).toBe(true);
  expect(stderr).toHaveBeenLastCalledWith(expect.stringContaining("for node and vercel,"));
});

test("after Ctrl-C nobody is told that there is too little to judge", async () => {
  expect(await printed({ failOn, signal: AbortSignal.abort() })).toBe(false);
  expect(stderr).not.toHaveBeenCalled();
});
