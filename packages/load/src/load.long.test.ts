import { stillRunning } from "@evenbench/host/testing";
import { testFolder } from "@evenbench/host/testing/folder";
import { type LoadSample, readLoad } from "@evenbench/results";
import { type LocalTarget, listTargets, RunError } from "@evenbench/runner";
import { fixtureCase, fixtureTarget } from "@evenbench/runner/testing";
import { expect, test } from "vitest";
import type { LoadGoal, LoadOptions } from "./options.ts";
import { runLoad } from "./run-load.ts";

const results = testFolder();
const made = (...terms: Parameters<typeof fixtureTarget>) => {
  return { ...fixtureTarget(...terms), instances: 1, workers: 1 };
};
/** It answers after a while, so that load on it takes little CPU time of this machine. */
const unhurried = (name: string) => made(name, () => ({ WAIT: "2" }));

function closed(...connections: number[]): LoadGoal {
  return { kind: "sweep", loads: connections.map((count) => ({ kind: "closed", connections: count })) };
}

async function load(options: Partial<LoadOptions> & Pick<LoadOptions, "targets" | "goal">) {
  const samples: LoadSample[] = [];
  const pids = new Set<number>();
  const { folder } = await runLoad({
    cases: { fixture: [fixtureCase("short")] },
    otherCaseIds: ["long"],
    trials: 2,
    timeMs: 1000,
    seed: 5,
    out: results,
    serverCores: "all",
    onWindow: (processes) => {
      for (const pid of processes) {
        pids.add(pid);
      }
    },
    ...options,
  });
  const { run, damage } = await readLoad(folder, (sample) => samples.push(sample));
  expect(damage).toBeNull();
  return { run, samples, pids: [...pids] };
}

test("a sweep puts every load on every target in every trial, and leaves samples, stages and no process", async () => {
  const targets = [unhurried("one"), unhurried("two")];
  const { run, samples, pids } = await load({
    targets: targets.map((target, index) => ({ ...target, instances: index + 1 })),
    goal: closed(1, 4),
  });
  expect(run.status).toBe("complete");
  const cells = run.stages.map((stage) => `${stage.trial} ${stage.target} ${stage.load.connections}`);
  const inOrder = [0, 1].flatMap((trial) =>
    ["one 1", "one 4", "two 1", "two 4"].map((cell) => `${trial} ${cell}`),
  );
  expect(cells.toSorted()).toEqual(inOrder);
  expect(cells).not.toEqual(inOrder);
  for (const [index, stage] of run.stages.entries()) {
    const sent = samples.filter((sample) => sample.stage === index);
    expect(sent).toHaveLength(stage.sent);
    // Connections were opened before.
    expect(sent.every(({ connectMs }) => connectMs === null)).toBe(true);
    expect(new Set(sent.map(({ connection }) => connection)).size).toBe(stage.load.connections);
    const instances = new Set(sent.map(({ instanceId }) => instanceId)).size;
    expect(instances).toBe(stage.target === "one" || stage.load.connections === 1 ? 1 : 2);
  }
  // Preflight's, and each trial's own.
  expect(targets.map(({ hosts }) => hosts.length)).toEqual([3, 5]);
  expect(pids).toHaveLength(6);
  expect(await stillRunning(pids)).toEqual([]);
});

test("a capacity search begins with a closed loop, and then tries rates", async () => {
  const target = unhurried("one");
  const { run } = await load({
    targets: [target],
    trials: 1,
    goal: {
      kind: "capacity",
      // Nothing takes so long: every rate holds, as far as the client can send it.
      condition: { quantile: 0.5, limitMs: 20_000 },
      arrivals: "uniform",
      connections: 4,
    },
  });
  const [first, ...steps] = run.stages;
  expect(first?.load).toEqual({ kind: "closed", connections: 4 });
  expect(steps.length).toBeGreaterThan(0);
  expect(steps.length).toBeLessThanOrEqual(8);
  for (const { load } of steps) {
    expect(load).toMatchObject({ kind: "open", arrivals: "uniform", connections: 4 });
  }
  expect(run.plan.condition).toEqual({ quantile: 0.5, limitMs: 20_000 });
});

test("a target whose process dies under load is dropped from its trial with the reason; the others go on", async () => {
  const targets = [
    unhurried("good"),
    made("bad", (start) => (start === 1 ? { FAULT: "dies" } : { WAIT: "2" })),
  ];
  const { run } = await load({ targets, goal: closed(2) });
  expect(run.status).toBe("failed");
  expect(run.events.filter(({ kind }) => kind === "target-dropped")).toMatchObject([
    { target: "bad", trial: 0 },
  ]);
  expect(run.stages.map(({ trial, target: name }) => `${trial} ${name}`).toSorted()).toEqual([
    "0 good",
    "1 bad",
    "1 good",
  ]);
});

test("a target that does not start, or answers otherwise before or under load, is dropped with the reason; the others go on", async () => {
  const inTrial = (name: string, settings: Readonly<Record<string, string>>) =>
    made(name, (start) => (start === 0 ? {} : { ...settings }));
  const { run, samples } = await load({
    targets: [
      inTrial("good", { WAIT: "2" }),
      inTrial("broken", { NODE_OPTIONS: "--no-such-flag" }),
      inTrial("changed", { FAULT: "changes" }),
      inTrial("changing", { FAULT: "changes", FAULT_FROM: "60" }),
    ],
    cases: { fixture: [{ ...fixtureCase("short"), warmAfter: { fixture: 3 } }] },
    goal: closed(2, 3),
    trials: 1,
    timeMs: 5000,
  });
  const dropped = run.events.filter(({ kind }) => kind === "target-dropped");
  const details = Object.fromEntries(dropped.map(({ target, detail }) => [target, detail]));
  expect(details).toEqual({
    broken: expect.stringContaining("do not start"),
    changed: expect.stringContaining("not answer as in preflight"),
    changing: expect.stringContaining("after a stage"),
  });
  expect(run.stages.map(({ target }) => target).toSorted()).toEqual(["changing", "good", "good"]);
  for (const [index, { sent }] of run.stages.entries()) {
    expect(samples.filter(({ stage }) => stage === index)).toHaveLength(sent);
  }
});

test("a cluster whose only worker is killed starts another, and takes load again", async () => {
  const node = (await listTargets()).find(({ name }) => name === "node") as LocalTarget;
  const awaited = (await node.app.cases()).filter(({ id }) => id === "awaited-data");
  const killed: number[] = [];
  const { run, samples } = await load({
    targets: [{ ...node, instances: 1, workers: 1 }],
    // It waits, so that load on it takes little CPU time of this machine.
    cases: { [node.app.id]: awaited.map((manifest) => ({ ...manifest, warmAfter: { node: 3 } })) },
    goal: closed(2, 3),
    trials: 1,
    // Long enough for a worker to start on a busy machine.
    timeMs: 8000,
    onWindow([pid]) {
      if (pid === undefined || killed.length > 0) {
        return;
      }
      killed.push(pid);
      process.kill(pid, "SIGKILL");
    },
  });
  expect(killed).toHaveLength(1);
  expect(run.status).toBe("complete");
  expect(run.stages).toHaveLength(2);
  expect(samples.some(({ error }) => error?.kind === "connection")).toBe(true);
  const answered = samples.filter(({ error, instanceId }) => error === null && instanceId !== null);
  expect(new Set(answered.map(({ instanceId }) => instanceId)).size).toBe(2);
  // What a process used that has been replaced is not known.
  expect(run.stages[0]?.usage).toBeNull();
});

test("an abort keeps what was measured", async () => {
  const abort = new AbortController();
  const target = unhurried("one");
  const { run, pids } = await load({
    targets: [target],
    goal: closed(1, 2, 3),
    signal: abort.signal,
    onProgress: ({ stagesDone }) => stagesDone === 2 && abort.abort(),
  });
  expect(run.status).toBe("interrupted");
  const interrupted = "the run was interrupted";
  expect(run.stages.map(({ ended }) => ended)).toEqual([null, null, interrupted]);
  expect(run.events.map(({ kind }) => kind)).not.toContain("target-dropped");
  expect(await stillRunning(pids)).toEqual([]);
});

test("every instance gets what its case is known to need", async () => {
  const { run, samples } = await load({
    targets: [unhurried("one")],
    cases: { fixture: [{ ...fixtureCase("short"), warmAfter: { fixture: 40 } }] },
    goal: closed(1),
    timeMs: 5000,
  });
  expect(run.events.filter(({ kind }) => kind === "warmup-unstable")).toEqual([]);
  for (const [stage] of run.stages.entries()) {
    const served = samples.filter((sample) => sample.stage === stage).map((sample) => sample.served ?? 0);
    const least = served.reduce((low, count) => Math.min(low, count), Number.POSITIVE_INFINITY);
    // What was found, the look at the body, and the connection that is opened.
    expect(least).toBe(40 + 2);
  }
});

test("where the time ends a warm-up early, an event says so with what is missing", async () => {
  const { run } = await load({
    // So slow that a search of it takes longer than its time on any machine.
    targets: [made("cold", () => ({ WAIT: "60" }))],
    goal: closed(1),
    trials: 1,
    timeMs: 500,
  });
  expect(run.status).toBe("complete");
  expect(run.events.filter(({ kind }) => kind === "warmup-unstable")).toMatchObject([
    { target: "cold", detail: expect.stringContaining("too few to find out") },
  ]);
});

test("requests that hang in a warm-up are counted: a few are said, and a target that hangs thrice in a row is dropped", async () => {
  const short = { ...fixtureCase("short"), warmAfter: { fixture: 40 } };
  const answersOnceEnded = { FAULT: "truncates", FAULT_FROM: "10" };
  const { run } = await load({
    targets: [
      unhurried("good"),
      made("some", (start) => (start === 0 ? {} : { ...answersOnceEnded, FAULT_FOR: "1" })),
      made("three", (start) => (start === 0 ? {} : { ...answersOnceEnded, FAULT_FOR: "3" })),
    ],
    cases: { fixture: [short] },
    goal: closed(1),
    trials: 1,
    timeMs: 5000,
  });
  expect(run.status).toBe("failed");
  const said = run.events.filter(({ kind }) => kind === "error-budget" || kind === "target-dropped");
  expect(said).toMatchObject([
    {
      kind: "target-dropped",
      target: "three",
      detail: expect.stringContaining("failed in its warm-up. 3 errors in a row"),
    },
    {
      kind: "error-budget",
      target: "some",
      detail: expect.stringMatching(/: 1 error in \d+ checked requests.*, in its warm-up$/),
    },
  ]);
  expect(run.stages.map(({ target }) => target).toSorted()).toEqual(["good", "some"]);
});

test("a load on nothing is refused before anything is started", async () => {
  const target = made("one");
  const goal = closed(1);
  await expect(runLoad({ targets: [target], cases: {}, goal })).rejects.toThrow(RunError);
  await expect(runLoad({ targets: [], cases: { fixture: [fixtureCase("short")] }, goal })).rejects.toThrow(
    'no target serves "short"',
  );
  expect(target.hosts).toEqual([]);
});
