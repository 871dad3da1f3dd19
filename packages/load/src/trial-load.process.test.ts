import { descendants, stillRunning } from "@evenbench/host/testing";
import { testFolder } from "@evenbench/host/testing/folder";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import { LOAD_FILE, type LoadRun, type LoadSample, readLoad } from "@evenbench/results";
import { checkTargets, comparisons, measure } from "@evenbench/runner";
import { fixtureCase, fixtureTarget } from "@evenbench/runner/testing";
import { expect, test } from "vitest";
import type { LoadedTarget, LoadOptions } from "./options.ts";
import { firstPlan, needsOfCase } from "./plan.ts";
import { TrialLoad } from "./trial-load.ts";

const results = testFolder();
/** Events that tell what else the machine does, such as another run, and nothing of the trial. */
const OF_THE_MACHINE: ReadonlySet<string> = new Set(["other-run-active", "clock-stepped", "cpu-throttled"]);
const STAGE_MS = 1000;
const LOAD = { kind: "closed", connections: 2 } as const;
/** A case that few requests warm up, so that nothing is searched. */
const manifest = { ...fixtureCase("short"), warmAfter: { fixture: 3 } };

/** Makes a target of one instance. @param settings of the fixture server at its start in the trial. */
function target(name: string, settings: Readonly<Record<string, string>> = {}): LoadedTarget {
  const made = fixtureTarget(name, (start) => (start === 0 ? {} : { ...settings }));
  return { ...made, instances: 1, workers: 1 };
}

/** Starts one trial of a load, and lets `play` send stages. @returns the run's record and samples. */
async function inTrial(
  targets: readonly LoadedTarget[],
  play: (trial: TrialLoad) => Promise<void>,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly run: LoadRun; readonly samples: readonly LoadSample[] }> {
  const options: LoadOptions = {
    targets,
    cases: { fixture: [manifest] },
    otherCaseIds: ["long"],
    goal: { kind: "sweep", loads: [LOAD] },
    trials: 1,
    seed: 5,
    signal,
  };
  const plan = firstPlan(options);
  const { folder } = await measure<LoadRun, LoadSample>(
    {
      place: results,
      serverCores: "all",
      services: [],
      workers: 1,
      exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS,
      openFiles: { connections: 10, processes: targets.length },
      signal,
      file: LOAD_FILE,
      ofSamples: (samples) => ({ samples }),
      firstEntry: (shell) => ({
        schemaVersion: 2,
        ...shell,
        samples: null,
        plan,
        identities: {},
        stages: [],
      }),
    },
    async (measuring) => {
      const proved = await checkTargets(comparisons(options), options, measuring);
      const { needs } = needsOfCase(manifest, targets, proved);
      await using trial = new TrialLoad({ options, plan, measuring, proved, manifest, targets, needs }, 0);
      await trial.start(performance.now() + 20_000);
      await play(trial);
      return signal.aborted ? "interrupted" : "complete";
    },
  );
  const samples: LoadSample[] = [];
  const { run } = await readLoad(folder, (sample) => samples.push(sample));
  const events = run.events.filter(({ kind }) => !OF_THE_MACHINE.has(kind));
  return { run: { ...run, events }, samples };
}

test("a trial keeps each stage with its samples, and leaves no process", async () => {
  const before = descendants(process.pid);
  const started = new Set<number>();
  const { run, samples } = await inTrial([target("one"), target("two")], async (trial) => {
    expect(trial.targets).toEqual(["one", "two"]);
    const first = await trial.stage("one", LOAD, STAGE_MS);
    expect(first).toMatchObject({ errors: 0, commonError: null, held: null });
    expect(first?.exchanges).toBeGreaterThan(0);
    await trial.stage("two", LOAD, STAGE_MS);
    for (const pid of descendants(process.pid).filter((found) => !before.includes(found))) {
      started.add(pid);
    }
  });
  expect(run.events).toEqual([]);
  expect(run.stages.map(({ caseId, target: name, trial }) => ({ caseId, name, trial }))).toEqual([
    { caseId: "short", name: "one", trial: 0 },
    { caseId: "short", name: "two", trial: 0 },
  ]);
  for (const [index, { sent }] of run.stages.entries()) {
    expect(samples.filter(({ stage }) => stage === index)).toHaveLength(sent);
  }
  expect(started.size).toBeGreaterThan(0);
  expect(await stillRunning([...started])).toEqual([]);
});

test("a target that does not start is dropped with the reason; the others take the load", async () => {
  const broken = target("broken", { NODE_OPTIONS: "--no-such-flag" });
  const { run } = await inTrial([broken, target("good")], async (trial) => {
    expect(trial.targets).toEqual(["good"]);
    expect(await trial.stage("broken", LOAD, STAGE_MS)).toBeNull();
    expect(await trial.stage("good", LOAD, STAGE_MS)).toMatchObject({ errors: 0 });
  });
  expect(run.events).toMatchObject([
    {
      kind: "target-dropped",
      target: "broken",
      trial: 0,
      detail: expect.stringMatching(/^broken was dropped from trial 1 of short: its hosts do not start\. /),
    },
  ]);
  expect(run.stages.map((stage) => stage.target)).toEqual(["good"]);
});

test("a target that answers otherwise behind its warm-up takes no load", async () => {
  const changed = target("changed", { FAULT: "changes" });
  const { run } = await inTrial([changed], async (trial) => {
    expect(trial.targets).toEqual([]);
  });
  expect(run.events).toMatchObject([
    {
      kind: "target-dropped",
      target: "changed",
      detail: expect.stringContaining("it does not answer as in preflight. digest: "),
    },
  ]);
  expect(run.stages).toEqual([]);
});

test("a target that answers otherwise under load is dropped behind that stage, which is kept", async () => {
  const changing = target("changing", { FAULT: "changes", FAULT_FROM: "60" });
  const { run } = await inTrial([changing], async (trial) => {
    expect(trial.targets).toEqual(["changing"]);
    expect(await trial.stage("changing", LOAD, STAGE_MS)).not.toBeNull();
    expect(trial.targets).toEqual([]);
    expect(await trial.stage("changing", LOAD, STAGE_MS)).toBeNull();
  });
  expect(run.stages).toHaveLength(1);
  expect(run.events).toMatchObject([
    {
      kind: "target-dropped",
      target: "changing",
      detail: expect.stringContaining("after a stage: digest: "),
    },
  ]);
});

test("nothing is sent once the run is aborted, and the target is not called dropped", async () => {
  const abort = new AbortController();
  const { run } = await inTrial(
    [target("one")],
    async (trial) => {
      abort.abort();
      expect(await trial.stage("one", LOAD, STAGE_MS)).toBeNull();
    },
    abort.signal,
  );
  expect(run.stages).toEqual([]);
  expect(run.events.map(({ kind }) => kind)).toEqual(["interrupted"]);
});
