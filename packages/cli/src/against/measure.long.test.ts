// Its modules are replaced: no real pair passes the first preflight and fails at the second one.
import type { CaseManifest } from "@evenbench/core";
import { createReport } from "@evenbench/report";
import type { RunEvent } from "@evenbench/results";
import { RunError, type RunResult, run } from "@evenbench/runner";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Finding, findingsOf } from "./findings.ts";
import { measurePairs, unfinishedOf } from "./measure.ts";
import { comparableCases, type Pair } from "./pairs.ts";

vi.mock("@evenbench/runner", async (original) => ({ ...(await original<object>()), run: vi.fn() }));
vi.mock("@evenbench/report", () => ({ createReport: vi.fn() }));
vi.mock("./pairs.ts", async (original) => ({ ...(await original<object>()), comparableCases: vi.fn() }));
vi.mock("./findings.ts", () => ({ findingsOf: vi.fn() }));

const cases = [{ id: "empty", golden: { status: 204 } }] as unknown as CaseManifest[];
const pairOf = (name: string) => {
  const base = { name: `${name}.base`, app: { id: "bundle" } };
  return { name, base, head: { name: `${name}.head` }, cases } as unknown as Pair;
};
const pairs = ["first", "second", "third"].map(pairOf);

beforeEach(() => {
  const result = { folder: "run", run: { status: "complete", events: [] } } as unknown as RunResult;
  vi.mocked(run).mockResolvedValue(result);
  vi.mocked(comparableCases).mockImplementation(async ({ name }) => ({ cases, left: [`left of ${name}`] }));
  vi.mocked(createReport).mockResolvedValue({} as Awaited<ReturnType<typeof createReport>>);
  vi.mocked(findingsOf).mockImplementation((_report, target) => [{ target } as Finding]);
});
afterEach(() => {
  vi.resetAllMocks();
});

async function measured(interruption = new AbortController()) {
  const options = { out: "results", otherCaseIds: [], signal: interruption.signal };
  const { findings, ...others } = await measurePairs(pairs, options);
  return { targets: findings.map(({ target }) => target), ...others };
}

function failSecond(fail: () => Error): void {
  vi.mocked(run).mockImplementation(async ({ targets }) => {
    if (targets[0]?.name === "second.base") throw fail();
    return { folder: "run", run: { status: "complete", events: [] } } as unknown as RunResult;
  });
}

test("a pair whose run cannot begin is named with the whole reason, and the others are measured", async () => {
  failSecond(() => new RunError("Problem: it is other work.\nNothing was measured."));
  expect(await measured()).toEqual({
    targets: ["first", "third"],
    left: ["left of first", "left of second", "left of third"],
    unfinished: ["Not measured: second. Problem: it is other work.\nNothing was measured."],
  });
});

test("what was found before an interruption is kept, and what it cut off is no failure", async () => {
  const interruption = new AbortController();
  failSecond(() => {
    interruption.abort();
    return new RunError("It was cut off.");
  });
  expect(await measured(interruption)).toMatchObject({ targets: ["first"], unfinished: [] });
});

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

test.each([
  ["complete", [event("host-restarted", "empty", "node.head", "It was started again.")], []],
  ["complete", [head], ["node.head was dropped from empty: its host died twice in one trial."]],
  // A case that failed with its baseline is told once, and one that failed by itself, too.
  ["failed", [base, failed], ["node.base was dropped from trig: 3 errors."]],
  ["failed", [head, failed], [/^node\.head/, "trig was ended early: its baseline was dropped."]],
  ["failed", [], ["the run of node is failed."]],
  ["interrupted", [head], []],
] as const)("what a %s run did not measure to its end is a line each: %j", (status, events, reasons) => {
  expect(unfinishedOf({ status, events }, "node")).toEqual(
    reasons.map((reason) =>
      typeof reason === "string"
        ? `Not fully measured: ${reason} The report of node says more.`
        : expect.stringMatching(/^Not fully measured: node\.head/),
    ),
  );
});
