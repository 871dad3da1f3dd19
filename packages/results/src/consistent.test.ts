import { expect, test } from "vitest";
import {
  exampleExperiments,
  exampleLoad,
  exampleLoadSample,
  exampleResult,
  exampleRun,
  exampleSample,
  exampleStage,
} from "../test/example.ts";
import { loadSampleCheck, sampleCheck, whyNoExperiments, whyNoLoad, whyNoRun } from "./consistent.ts";
import { type Run, type RunPlan, type RunTarget, runSchema } from "./schema/run.ts";
import type { Sample } from "./schema/sample.ts";

const [node, copy] = exampleRun.plan.targets as [RunTarget, RunTarget];
const { cases } = exampleRun.plan;
const withPlan = (changes: Partial<RunPlan>): Run => ({
  ...exampleRun,
  plan: { ...exampleRun.plan, ...changes },
});
const withTargets = (...targets: RunTarget[]): Run => withPlan({ targets });
const strayUsage = {
  caseId: "empty",
  target: "node",
  trial: 0,
  exchanges: 1,
  cpuMs: 1,
  userMs: 1,
  systemMs: 0,
};
const memory = { minorFaults: null, residentBytes: 1, peakResidentBytes: null };

test("a run whose parts belong together is one", () => {
  expect(whyNoRun(exampleRun)).toBeNull();
  expect(whyNoRun({ ...exampleRun, usage: [{ ...strayUsage, ...memory }] })).toBeNull();
});

test.each([
  ["a target twice", withTargets(node, copy, node), 'its plan has the target "node" twice'],
  ["a case twice", withPlan({ cases: [...cases, ...cases] }), 'its plan has the case "empty" twice'],
  ["no target", withTargets(), "its plan has no target"],
  ["no case", withPlan({ cases: [] }), "its plan has no case"],
  [
    "copies of each other",
    withTargets({ ...node, copyOf: "node~copy" }, copy),
    'its target "node" is a copy of "node~copy", which is no other target, or a copy itself',
  ],
  [
    "nobody that measured",
    { ...exampleRun, machine: null },
    "neither the machine that measured nor vantages",
  ],
  [
    "no vantages in their list",
    { ...exampleRun, machine: null, vantages: [] },
    "neither the machine that measured nor vantages",
  ],
  [
    "a vantage twice",
    { ...exampleRun, vantages: ["eu", "eu"].map((name) => ({ name, clients: [] })) },
    'it has the vantage "eu" twice',
  ],
  ["fewer trials than at least", withPlan({ trials: { minimum: 3, maximum: 2 } }), "more trials at least"],
  [
    "the identity of a stranger",
    withTargets({ ...node, name: "other" }),
    'an identity of "node", which is no target',
  ],
  [
    "CPU time of a stranger",
    { ...exampleRun, usage: [{ ...strayUsage, ...memory, target: "x".repeat(500) }] },
    /^usage\[0\] is of the target "x{80}…", which its plan does not have$/,
  ],
  [
    "a warm-up of another case",
    {
      ...exampleRun,
      warmUps: [{ caseId: "no", target: "node", trial: 0, exchanges: 1, needed: 1, warmAfter: 0 }],
    },
    'warmUps[0] is of the case "no"',
  ],
  [
    "a client's load of a trial beyond the plan",
    {
      ...exampleRun,
      clientLoad: [
        { caseId: "empty", trial: 2, wallMs: 1, cpuMs: 1, eventLoopDelayP90Ms: 1, othersCpuMs: null },
      ],
    },
    "clientLoad[0] is of trial 3, and its plan has 2 at most",
  ],
  [
    "a cold start that nobody planned",
    { ...exampleRun, coldStarts: [{ caseId: "empty", target: "node", repetition: 0, readyMs: 1 }] },
    "coldStarts[0] is of trial 1, and its plan has 0 at most",
  ],
] as const)("a run with %s is none", (_, run, why) => {
  expect(whyNoRun(run)).toMatch(why);
});

test.each([
  ["a case that was not planned", { caseId: "trig" }, 'is of the case "trig", which the plan does not have'],
  ["a target that was not planned", { target: "vercel" }, 'is of the target "vercel"'],
  ["a cold start that was not planned", { phase: "cold" }, "and the plan has 0 cold starts of 2 exchanges"],
  [
    "a round that was not planned",
    { phase: "measure", roundIndex: 8 },
    "has round 9, and the plan has 8 in a trial",
  ],
] as const)("a sample of %s is none of the run", (_, changes, why) => {
  const check = sampleCheck(withPlan({ roundsPerTrial: 7, spacing: 2 }));
  expect(check({ ...exampleSample(1), phase: "measure", roundIndex: 7 })).toBeNull();
  expect(check({ ...exampleSample(1), ...changes } as Sample)).toContain(why);
});

test("samples of several vantages have the trials of their clients", () => {
  const client = {
    client: "1",
    nonce: "0",
    startedAt: exampleRun.startedAt,
    elapsedMs: 1,
    planned: 1,
    logged: 1,
  };
  const clients = [{ ...client, lacks: null, firstTrial: 4, trials: 2 }];
  const check = sampleCheck({ ...exampleRun, machine: null, vantages: [{ name: "eu", clients }] });
  expect(check({ ...exampleSample(1), trial: 5 })).toBeNull();
  expect(check({ ...exampleSample(1), trial: 6 })).toBe("has trial 7, and the plan has 6 at most");
});

test("stages of a load are of its plan, and its samples of its stages, once it has ended", () => {
  expect(whyNoLoad(exampleLoad)).toBeNull();
  expect(whyNoLoad({ ...exampleLoad, machine: null })).toMatch(/nor clients/);
  const strays = [{ ...exampleStage, target: "x" }];
  expect(whyNoLoad({ ...exampleLoad, stages: strays })).toMatch(/^stages\[0\] is of the target "x"/);
  expect(loadSampleCheck(exampleLoad)(exampleLoadSample(0))).toBeNull();
  expect(loadSampleCheck(exampleLoad)(exampleLoadSample(1))).toBe("is of stage 2, and load.json has 1");
  expect(loadSampleCheck({ ...exampleLoad, status: "running" })(exampleLoadSample(1))).toBeNull();
});

test("the samples of a load come stage after stage", () => {
  const check = loadSampleCheck({ ...exampleLoad, stages: [exampleStage, exampleStage, exampleStage] });
  expect([0, 0, 2].map((stage) => check(exampleLoadSample(stage)))).toEqual([null, null, null]);
  expect(check(exampleLoadSample(1))).toBe("is of stage 2, behind one of stage 3");
});

test("a round is one of a case, target, trial and phase once, in whatever order rounds come", () => {
  const { cases, targets } = exampleRun.plan;
  const names = ["a", "a b"].map((id) => ({ ...(cases[0] as (typeof cases)[number]), id }));
  const asked = ["c", "b c"].map((name) => ({ ...(targets[0] as (typeof targets)[number]), name }));
  const check = sampleCheck(withPlan({ cases: names, targets: asked }));
  const wrong = (roundIndex: number, caseId = "a", target = "b c") => {
    return check({ ...exampleSample(1), caseId, target, roundIndex, phase: "measure" });
  };
  expect([3, 0, 1, 5, 2, 4, 6].map((round) => wrong(round))).toEqual(Array(7).fill(null));
  for (const round of [0, 3, 5, 6]) {
    expect(wrong(round)).toMatch(/^repeats the case/);
  }
  expect(wrong(7)).toBeNull();
  // The same letters in another case and target.
  expect(wrong(3, "a b", "c")).toBeNull();
});

test("a run of experiments has each of them once", () => {
  const results = ["trig", "nagle"].map(exampleResult);
  expect(whyNoExperiments(exampleExperiments(results))).toBeNull();
  const twice = exampleExperiments([...results, ...results]);
  expect(whyNoExperiments(twice)).toBe('it has the experiment "trig" twice');
});

test.each([
  [
    "a title of a million letters",
    withPlan({ cases: cases.map((one) => ({ ...one, title: "x".repeat(1e6) })) }),
  ],
  ["30,000 allowed settings", withPlan({ allowedPins: Array.from({ length: 30_000 }, String) })],
  ["100,000,000 trials", withPlan({ trials: { minimum: 1, maximum: 1e8 } })],
  [
    "an event of another millennium",
    { ...exampleRun, events: exampleRun.events.map((one) => ({ ...one, atMs: 1e15 })) },
  ],
])("a run with %s is refused", (_, run) => {
  expect(runSchema.safeParse(exampleRun).success).toBe(true);
  expect(runSchema.safeParse(run).success).toBe(false);
});
