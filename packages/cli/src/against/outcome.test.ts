import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { keepOptions } from "@evenbench/core";
import { testFolder } from "@evenbench/host/testing/folder";
import { type Change, type Facts, type FailOn, factsOfStates, noticeAt } from "@evenbench/report";
import { testTrend } from "@evenbench/report/testing/synthetic";
import { beforeEach, expect, type MockInstance, onTestFinished, test, vi } from "vitest";
import { judge } from "../gate.ts";
import { createProgram, namesOfOptions } from "../main.ts";
import { unfinishedOf } from "./measure.ts";
import { type AgainstOutcome, type PrintOptions, printOutcome } from "./outcome.ts";

const out = testFolder();
const FAIL_ON: FailOn = { of: "time", verdict: "slower", by: 0.05 };
const ENDS = { low90: 0.99, high90: 1.01 };
const SAME = { verdict: "same", estimate: 1, low: 0.98, high: 1.02, ...ENDS } as const;
const SLOWER = { verdict: "slower", estimate: 1.1, low: 1.08, high: 1.12, ...ENDS } as const;
const UNCLEAR = { verdict: "unclear", estimate: 1.04, low: 0.9, high: 1.2, ...ENDS } as const;

const target = (name: string) => ({ name, spoken: name });
const trig = { id: "trig", title: "Trig", description: "", path: null, app: "bundle", kindOfWork: "x" };

/** Facts of two targets in one case, of which each change by time is as given. */
function factsOf(node: Partial<Change>, vercel: Partial<Change> = SAME, more: readonly Change[] = []): Facts {
  const facts = factsOfStates({
    pairs: [],
    absent: [],
    otherWork: ["node", "vercel"].map((name) => ({ target: target(name), case: trig, quote: "no" })),
    before: { id: "main", commit: null, changed: null },
    after: { id: "working copy", commit: null, changed: null },
    asked: { startedAt: "2026-11-29T00:00:00.000Z", evenbench: "0.1.0", command: null, settings: null },
  });
  const [ofNode, ofVercel] = facts.changes as [Change, Change];
  const changes = [{ ...ofNode, why: null, ...node }, { ...ofVercel, why: null, ...vercel }, ...more];
  return { ...facts, notices: [], changes };
}

let stderr: MockInstance<typeof console.error>;
let stdout: MockInstance<typeof console.log>;
beforeEach(() => {
  stderr = vi.spyOn(console, "error").mockImplementation(() => {});
  stdout = vi.spyOn(console, "log").mockImplementation(() => {});
});

type Given = Partial<AgainstOutcome & PrintOptions>;

async function printed({ facts = factsOf(SAME), unfinished = [], ...rest }: Given): Promise<number> {
  const { signal = new AbortController().signal } = rest;
  const outcome = { facts, unfinished, out: rest.out ?? out };
  return (await printOutcome(outcome, { json: true, ...rest, signal })).code;
}

test.each([
  ["what is the same", SAME, 0, []],
  ["what is slower", SLOWER, 1, [/^evenbench: node in trig is slower: .*\+10 %/]],
  [
    "what is unclear and reaches so far",
    UNCLEAR,
    3,
    [/^evenbench: node in trig may be slower by 5 %/, /--time/],
  ],
  [
    "what was not warm",
    { verdict: "none", why: "not-warm" },
    3,
    [/^evenbench: node in trig has no verdict .*not warm/, /--time/],
  ],
  [
    "runs that may not be compared",
    { verdict: "none", why: "unlike-runs" },
    3,
    [/^evenbench: 1 of 2 comparisons may not be made/, /same settings/],
  ],
] as const)("a condition on %s ends with its code and its lines", async (_, change, code, lines) => {
  expect(await printed({ facts: factsOf(change), failOn: [FAIL_ON] })).toBe(code);
  const [power, ...others] = stderr.mock.calls.flat();
  expect(power).toMatch(/would have found a slowdown/);
  expect(others).toEqual(lines.map((line) => expect.stringMatching(line)));
});

test.each([
  ["answers-differ", "failed"],
  ["no-answer", "failed"],
  ["dropped", "failed"],
  ["cached", "failed"],
  // What a change adds has nothing before it to be compared with.
  ["one-state-only", "open"],
  ["not-warm", "open"],
  ["scattered", "open"],
] as const)("of what has no verdict for the reason %s a line is said that is %s", (why, kind) => {
  const facts = factsOf({ verdict: "none", why });
  const { code, lines } = judge(facts, { failOn: [FAIL_ON] }, true);
  expect(code).toBe(3);
  expect(lines.map((line) => line.kind).filter((said) => said !== "note")).toEqual([kind]);
  const saysTime = (judged: typeof lines) => judged.some(({ text }) => text.startsWith("Measure longer"));
  expect(saysTime(lines)).toBe(kind === "open");
  const step = { options: { time: "40s" }, aboutMs: 40_000, open: 1, decides: 1 };
  const next: Facts["next"] = [{ why: "more-time", cases: ["trig"], ...step }];
  expect(saysTime(judge({ ...facts, next }, { failOn: [FAIL_ON] }, true).lines)).toBe(false);
});

/** Conditions of each quantity that a longer measurement may decide. */
const OPEN_CONDITIONS: readonly FailOn[] = [FAIL_ON, { of: "start-up", verdict: "slower", by: 0.05 }];
const { commands } = await createProgram();
const every = commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));

test.each(every.map((command) => [command.name(), namesOfOptions(command)] as const))(
  "%s advises no option that it lacks",
  (_, options) => {
    keepOptions(options);
    onTestFinished(() => keepOptions(null));
    const own = factsOf(UNCLEAR);
    const start = { ...(own.changes[0] as Change), case: null, metric: "startupCpuMs" } as Change;
    const ofPaths = { ...own, cases: own.cases.map((each) => ({ ...each, path: "/" })) };
    const said = [own, ofPaths].flatMap(
      (facts) =>
        judge({ ...facts, changes: [...facts.changes, start] }, { failOn: OPEN_CONDITIONS }, true).lines,
    );
    const advice = said.filter(({ kind, text }) => kind === "note" && text.startsWith("Measure"));
    expect(advice).toHaveLength(4);
    const named = advice.flatMap(({ text }) => text.match(/--[a-z-]+/g) ?? []);
    expect(options).toEqual(expect.arrayContaining(named));
  },
);

test.each([
  ["lies above", { low: 110, high: 130 }, "node", 1, [["met", "node in trig is above"]]],
  ["reaches across", { low: 90, high: 130 }, "node", 3, [["open", "node in trig may be above"]]],
  ["ends below", { low: 80, high: 90 }, "node", 0, []],
  ["nobody measured", { value: null }, "node", 3, [["failed", "median time was not measured"]]],
  ["that is not there has", {}, "gone", 3, [["failed", "A limit of median time has nothing to act on"]]],
] as const)("a limit that a number %s has its code and its line", (_, ends, of, code, said) => {
  const facts = factsOf(SAME);
  const after = facts.targets.find(({ column, state }) => column === "node" && state !== "before");
  const level = {
    case: "trig",
    target: after?.name,
    metric: "lastByteMs",
    load: null,
    why: null,
    value: 120,
  };
  const levels = [{ ...level, ...ends }] as unknown as Facts["levels"];
  const limits = [{ what: "median", most: "100ms", target: of }] as const;
  const found = judge({ ...facts, levels }, { limits }, true);
  expect(found.code).toBe(code);
  expect(found.lines.map(({ kind, text }) => [kind, text])).toEqual(
    said.map(([kind, text]) => [kind, expect.stringContaining(text)]),
  );
});

test("a condition on CPU time does not pass over a target without any", async () => {
  const facts = factsOf(SLOWER, { verdict: "none", why: "answers-differ" });
  const cpu: Change = { ...(facts.changes[0] as Change), ...SAME, metric: "cpuMs" };
  const failOn: readonly FailOn[] = [{ ...FAIL_ON, of: "CPU time" }];
  expect(await printed({ facts: { ...facts, changes: [...facts.changes, cpu] }, failOn })).toBe(3);
  expect(stderr.mock.calls.flat()[1]).toMatch(
    /^evenbench: vercel in trig has no CPU time \(.*answers differ\)\.$/,
  );
  expect(stderr.mock.calls.flat().join("\n")).not.toContain("Measure longer");
});

test.each([
  [
    "growth of memory that is as much as asked",
    { of: "memory", verdict: "grows", by: 1000 },
    1,
    ["evenbench: node in trig grows: heap grows by 1.50 KB"],
  ],
  [
    "memory that was not read",
    { of: "memory", verdict: "grows", by: 1_000_000 },
    3,
    ["evenbench: vercel in trig has no reading of its memory"],
  ],
  [
    "start-up that was not measured",
    { of: "start-up", verdict: "slower", by: 0.1 },
    3,
    ["evenbench: node has no start-up", "evenbench: vercel has no start-up"],
  ],
] as const)("a condition on %s ends with its code and its lines", async (_, condition, code, begins) => {
  const facts = factsOf(SAME);
  const trends = [testTrend({ baseline: "node (before)" })];
  expect(await printed({ facts: { ...facts, trends }, failOn: [condition] })).toBe(code);
  const lines = stderr.mock.calls.flat();
  expect(begins.filter((begin) => !lines.some((line) => line.startsWith(begin)))).toEqual([]);
});

test.each([
  ["one is met and one is ruled out", SLOWER, [0.5, 0.05], 1],
  ["one is open and one is met", UNCLEAR, [0.15, 0.05], 1],
  ["one is open and one is ruled out", UNCLEAR, [0.5, 0.15], 3],
  ["both are ruled out", SLOWER, [0.5, 0.2], 0],
] as const)("of two conditions %s", async (_, change, sizes, code) => {
  const failOn = sizes.map((by) => ({ ...FAIL_ON, by }));
  expect(await printed({ facts: factsOf(change, SLOWER), failOn })).toBe(code);
});

test("what measured nothing is no success, neither by its code nor as tests", async () => {
  const file = join(out, "speed.xml");
  const facts = { ...factsOf(SAME), changes: [] };
  expect(await printed({ facts, failOn: [FAIL_ON], export: [{ format: "junit", file }] })).toBe(3);
  const xml = await readFile(file, "utf8");
  expect(
    [...xml.matchAll(/<testcase classname="(\w+)" name="all"><skipped/g)].map(([, name]) => name),
  ).toEqual(["node", "vercel"]);
});

test("what was not measured to its end is a failure, and leaves a condition undecided", async () => {
  const unfinished = [{ message: "Not fully measured: node.head was dropped.", quotes: ["  | its log"] }];
  expect(await printed({ unfinished })).toBe(1);
  expect(stderr).toHaveBeenCalledExactlyOnceWith(
    "evenbench: Not fully measured: node.head was dropped.\n  | its log",
  );
  expect(await printed({ unfinished, failOn: [FAIL_ON] })).toBe(3);
});

test.each([
  ["equal-builds", 0],
  ["not-built", 3],
  ["one-state-only", 3],
  ["not-started", 3],
] as const)(
  "without a condition, a target that is absent with the code %s ends with %i",
  async (code, expected) => {
    const facts = factsOf(SAME);
    const targets = facts.targets.map((one) => ({ ...one, absent: { code, quote: "Why." } }));
    const failOn: readonly FailOn[] = [];
    expect(await printed({ facts: { ...facts, changes: [], targets }, failOn })).toBe(expected);
  },
);

test("after Ctrl-C nobody is told that there is too little to judge", async () => {
  expect(await printed({ facts: factsOf(UNCLEAR), failOn: [FAIL_ON], signal: AbortSignal.abort() })).toBe(0);
  expect(stderr).not.toHaveBeenCalled();
});

test("what was stopped before it found anything leaves the files of an earlier comparison", async () => {
  const facts = factsOf(SAME);
  await printed({ facts });
  await printed({ facts: { ...facts, changes: [], levels: [] }, signal: AbortSignal.abort() });
  expect(JSON.parse(await readFile(join(out, "facts.json"), "utf8"))).toEqual(facts);
});

test("a comparison is printed as facts, and written beside its runs", async () => {
  const facts = factsOf(SAME);
  const { signal } = new AbortController();
  await printOutcome({ facts, unfinished: [], out }, { json: true, signal });
  expect(JSON.parse(stdout.mock.calls[0]?.[0])).toEqual(facts);
  expect(JSON.parse(await readFile(join(out, "facts.json"), "utf8"))).toEqual(facts);
});

test("a gate says the smallest slowdown that it would have found; of what has no interval it says nothing", async () => {
  await printed({ facts: factsOf(UNCLEAR), failOn: [FAIL_ON] });
  const [first] = stderr.mock.calls.flat();
  // 1.75 half-widths of the interval from 0.9 to 1.2, and of that from 0.98 to 1.02, rounded up.
  expect(first).toMatch(/a slowdown of 29 % on node and 4 % on vercel: too coarse for your 5 % on node\.$/);
  stderr.mockClear();
  await printed({
    facts: factsOf({ verdict: "none", why: "not-warm" }, { verdict: "none" }),
    failOn: [FAIL_ON],
  });
  expect(stderr.mock.calls.flat().filter((line) => /would have found/.test(line))).toEqual([]);
});

const notice = (code: Parameters<typeof noticeAt>[0], quote: string | null = null) =>
  noticeAt(code, { case: "trig", quote });
const dropped = notice("target-dropped", "node.head was dropped: it died.\nThe end of its log:\nboom");

test.each([
  ["complete", [notice("restarted", "It was started again.")], []],
  ["complete", [dropped], ["node.head was dropped: it died."]],
  ["complete", [notice("memory-failed", "node.head: no inspector.")], ["node.head: no inspector."]],
  ["complete", [notice("nothing-measured")], ["No request was measured."]],
  ["failed", [notice("case-failed", "trig was ended early.")], ["trig was ended early."]],
  ["failed", [], ["The run of node is failed."]],
  ["interrupted", [dropped], []],
] as const)("what a %s run did not measure to its end is a line each: %j", (status, notices, reasons) => {
  const facts = factsOf(SAME);
  expect(unfinishedOf({ ...facts, run: { ...facts.run, status }, notices }, "node")).toEqual(
    reasons.map((reason) => `Not fully measured: ${reason} (The report of node says more.)`),
  );
});
