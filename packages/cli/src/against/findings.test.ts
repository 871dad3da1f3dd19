import type { RunEvent } from "@evenbench/results";
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import {
  type AgainstOutcome,
  type Finding,
  findingsOf,
  type PrintOptions,
  printFindings,
  renderFindings,
} from "./findings.ts";
import { unfinishedOf } from "./measure.ts";

/** Wide enough for each sentence to be one line. */
const WIDE = { width: 1000, color: false };

const found = (target: string, changes: Partial<Finding> = {}): Finding => ({
  caseId: "trig",
  target,
  verdict: "same",
  ratio: { estimate: 1, low: 1, high: 1 },
  equivalence: null,
  cpu: null,
  ...changes,
});

test("the first line is the answer, the table follows, and what was not compared stands below", () => {
  const ratio = { estimate: 1.05, low: 1.03, high: 1.07 };
  const slower = { caseId: "math", verdict: "slower", ratio } as const;
  const text = renderFindings({
    findings: [found("node", slower), found("node", { ratio })],
    equal: ["vercel"],
    casesOfOneState: ["The case word-count is not in the base."],
  });
  const [first, , ...rest] = text.split("\n");
  expect(first).toBe("node: slower than before in 1 of 2 cases (5 % more time), same in 1.");
  expect(rest).toContainEqual(expect.stringMatching(/^math +node +\+5 % \(\+3 to \+7\) +slower/));
  expect(rest).toContain("In every case the run would have found a slowdown of 3 % on node.");
  expect(rest.slice(-2)).toEqual([
    "Not measured, because equal byte for byte: vercel.",
    "The case word-count is not in the base.",
  ]);
});

const coarse = found("node", {
  verdict: "unclear",
  ratio: { estimate: 1.04, low: 0.88, high: 1.23 },
  cpu: { verdict: "slower", ratio: { estimate: 1.12, low: 1.09, high: 1.16 }, equivalence: null },
});

test("CPU time answers where time cannot, and what is too coarse for the condition is said to be so", () => {
  const text = renderFindings({ findings: [coarse], equal: [], casesOfOneState: [], failOn }, WIDE);
  expect(text).toContain("node against before: time: unclear, −12 to +23 %; CPU time: 12 % more, 9 to 16 %.");
  expect(text).toContain(
    "In every case the run would have found a slowdown of 34 % on node: too coarse for your 5 %. More trials or --time narrow it.",
  );
  const asked = {
    findings: [
      coarse,
      found("vercel", { cpu: { verdict: "same", ratio: found("x").ratio, equivalence: null } }),
    ],
    equal: [],
    casesOfOneState: [],
    failOn: { of: "CPU time", verdict: "slower", by: 0.05 },
  } as const;
  const ofCpu = renderFindings(asked, WIDE);
  expect(ofCpu).toContain(
    "In every case the run would have found a rise of CPU time of 6 % on node and 0 % on vercel: too coarse for your 5 % on node.",
  );
});

test("a condition on CPU time looks at CPU time alone", async () => {
  const ofCpu = { of: "CPU time", verdict: "slower", by: 0.05 } as const;
  expect(await printed({ findings: [coarse, found("vercel", { cpu: coarse.cpu })], failOn: ofCpu })).toBe(1);
  expect(stderr.mock.calls.flat()).toContain(
    "evenbench: node is slower in trig: CPU time 12 % more, 9 to 16 %.",
  );
  const open = found("node", { cpu: { ...coarse, ratio: { estimate: 1.02, low: 0.97, high: 1.08 } } });
  expect(await printed({ findings: [open, found("vercel")], failOn: ofCpu })).toBe(3);
  expect(stderr.mock.calls.flat()).toEqual(
    expect.arrayContaining([
      "evenbench: node may be slower by 5 % in CPU time in trig, or not: −3 to +8 %. More trials or --time can tell.",
      "evenbench: No CPU time is known of vercel in trig, so nothing can be said of it.",
    ]),
  );
});

test("where nothing was measured there is no table", () => {
  const text = renderFindings({ findings: [], equal: ["node", "vercel"], casesOfOneState: [] }, WIDE);
  expect(text).toBe("Nothing was compared.\n\nNot measured, because equal byte for byte: node and vercel.");
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

const failOn = { of: "time", verdict: "slower", by: 0.05 } as const;
type Given = Partial<AgainstOutcome & PrintOptions>;

function printed({ findings = [], casesOfOneState = [], unfinished = [], ...rest }: Given) {
  const { signal = new AbortController().signal } = rest;
  const outcome = { findings, changed: ["node", "vercel"], equal: [], casesOfOneState, unfinished };
  return printFindings(outcome, { out: ".", json: true, ...rest, signal });
}

const both = [found("node"), found("vercel")];

test("what was measured whole, and without a condition that is met, is no failure", async () => {
  expect(await printed({ findings: both, failOn })).toBe(0);
  expect(await printed({})).toBe(0);
  expect(stderr).not.toHaveBeenCalled();
});

test("what was not measured to its end is a failure, and leaves a condition undecided", async () => {
  const unfinished = ["Not fully measured: node.head was dropped."];
  expect(await printed({ findings: both, unfinished })).toBe(1);
  expect(stderr).toHaveBeenCalledExactlyOnceWith("evenbench: Not fully measured: node.head was dropped.");
  expect(JSON.parse(stdout.mock.calls[0]?.[0])).toMatchObject({ unfinished });
  expect(await printed({ findings: both, unfinished, failOn })).toBe(3);
});

test.each([
  ["slower", 1.03, 1.02, 1.04, 1],
  ["slower", 1.03, 0.995, 1.045, 3],
  ["slower", 1.015, 1.005, 1.025, 3],
  ["slower", 1.01, 1.005, 1.015, 0],
  ["faster", 0.97, 0.96, 0.98, 1],
  ["faster", 0.99, 0.97, 1.01, 3],
  ["faster", 1.03, 1.02, 1.04, 0],
] as const)(
  "a condition of 2 % %s is not passed by what is the same within 5 %: %d (%d to %d) ends with %i",
  async (verdict, estimate, low, high, code) => {
    const ratio = { estimate, low, high };
    const findings = [found("node", { ratio }), found("vercel")];
    expect(await printed({ findings, failOn: { of: "time", verdict, by: 0.02 } })).toBe(code);
  },
);

test.each([
  ["slower", 1.1, 1.08, 1.12, 1, "node is slower in trig: 10 % more, 8 to 12 %."],
  ["slower", 1.03, 1.02, 1.04, 0, null],
  ["unclear", 1.04, 0.99, 1.08, 3, "node may be slower by 5 % in trig, or not: −1 to +8 %."],
  ["unclear", 1.01, 0.98, 1.04, 0, null],
  [
    "withheld",
    1.4,
    1.3,
    1.5,
    3,
    "The verdict on node in trig is withheld, since its CPU time differs between two",
  ],
  ["not warm", 1.4, 1.3, 1.5, 3, "node was not warm in trig, so there is no verdict on it."],
] as const)(
  "a condition on %s %d (%d to %d) ends with %i",
  async (verdict, estimate, low, high, code, line) => {
    const ratio = { estimate, low, high };
    const findings = [found("node", { verdict, ratio }), found("vercel")];
    expect(await printed({ findings, failOn })).toBe(code);
    expect(stderr.mock.calls.flat()).toEqual(line === null ? [] : [expect.stringContaining(line)]);
  },
);

test("a condition does not pass over a case or a target that was not compared", async () => {
  const casesOfOneState = ["trig on node is not compared: it sends another body."];
  expect(await printed({ findings: both, casesOfOneState: casesOfOneState })).toBe(0);
  expect(stderr).not.toHaveBeenCalled();
  expect(await printed({ findings: both, casesOfOneState: casesOfOneState, failOn })).toBe(3);
  expect(stderr).toHaveBeenCalledExactlyOnceWith(
    "evenbench: --fail-on has nothing to act on here: trig on node is not compared: it sends another body.",
  );
});

test("a condition does not pass over what has no result", async () => {
  const findings = [found("node"), found("vercel", { verdict: "no result", ratio: null })];
  expect(await printed({ findings, failOn })).toBe(3);
  expect(stderr).toHaveBeenCalledExactlyOnceWith(
    "evenbench: vercel has no result in trig, so nothing can be said of it.",
  );
});

test("a case without any measured answer is a finding without a result", () => {
  const cases = [{ manifest: { id: "trig" }, headline: null, cpuTime: null }];
  expect(findingsOf(cases, "node")).toEqual([found("node", { verdict: "no result", ratio: null })]);
});

test("a condition neither passes nor fails on a changed target of which nothing was found out", async () => {
  expect(await printed({ failOn })).toBe(3);
  expect(stderr).toHaveBeenLastCalledWith(
    expect.stringMatching(/^evenbench: --fail-on has nothing to act on for node and vercel, for the reasons/),
  );
  const open = found("node", { verdict: "unclear", ratio: null });
  expect(await printed({ findings: [open, found("vercel")], failOn })).toBe(3);
});

test("after Ctrl-C nobody is told that there is too little to judge", async () => {
  expect(await printed({ failOn, signal: AbortSignal.abort() })).toBe(0);
  expect(stderr).not.toHaveBeenCalled();
});

const event = (kind: RunEvent["kind"], detail: string): RunEvent => ({
  atMs: 1,
  kind,
  caseId: "empty",
  target: "node.head",
  trial: 0,
  detail,
});
const dropped = event("target-dropped", "node.head was dropped: it died.\nThe end of its log:\nboom");

test.each([
  ["complete", [event("host-restarted", "It was started again.")], []],
  ["complete", [dropped], ["node.head was dropped: it died."]],
  ["failed", [event("case-failed", "trig was ended early.")], ["trig was ended early."]],
  ["failed", [], ["The run of node is failed."]],
  ["interrupted", [dropped], []],
] as const)("what a %s run did not measure to its end is a line each: %j", (status, events, reasons) => {
  expect(unfinishedOf({ status, events }, "node")).toEqual(
    reasons.map((reason) => `Not fully measured: ${reason} (The report of node says more.)`),
  );
});

test("a condition is passed by what two one-sided tests call the same, though its 99 % interval reaches further", async () => {
  const ratio = { estimate: 1.01, low: 0.96, high: 1.06 };
  const same = found("node", { ratio, equivalence: { low: 0.98, high: 1.04 } });
  expect(await printed({ findings: [same, found("vercel")], failOn })).toBe(0);
  expect(await printed({ findings: [same, found("vercel")], failOn: { ...failOn, by: 0.03 } })).toBe(3);
});
