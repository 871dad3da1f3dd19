import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LoadSample } from "@evenbench/core";
import { stillRunning } from "@evenbench/host/testing";
import { readLoad } from "@evenbench/results";
import { listTargets, RunError } from "@evenbench/runner";
import { fixtureCase, fixtureTarget, scratchFolder } from "@evenbench/runner/testing";
import { expect, test } from "vitest";
import { load } from "./load.ts";
import type { LoadGoal, LoadOptions, SubjectChoice } from "./options.ts";

type Fixture = ReturnType<typeof fixtureTarget>;

function subject(target: Fixture, instances = 1): SubjectChoice {
  return {
    name: instances === 1 ? target.name : `${target.name} x${instances}`,
    target,
    instances,
    workers: 1,
    parameters: {},
  };
}

function closed(...lanes: number[]): LoadGoal {
  return { kind: "sweep", loads: lanes.map((one) => ({ kind: "closed", lanes: one })) };
}

async function loadInto(
  folder: string,
  options: Partial<LoadOptions> & Pick<LoadOptions, "subjects" | "goal">,
) {
  const samples: LoadSample[] = [];
  const pids = new Set<number>();
  const result = await load({
    cases: { fixture: [fixtureCase("short")] },
    otherCaseIds: ["long"],
    sets: 2,
    timeMs: 4000,
    seed: 5,
    out: folder,
    onWindow: (_subject, _load, own) => {
      for (const pid of own) pids.add(pid);
    },
    ...options,
  });
  const read = await readLoad(result.folder, (sample) => samples.push(sample));
  return { ...result, samples, read, pids: [...pids] };
}

test("a sweep puts every load on every subject in every set, and leaves samples, stages and no process", async () => {
  await using scratch = await scratchFolder();
  const targets = [fixtureTarget("one"), fixtureTarget("two")];
  const subjects = [subject(targets[0] as Fixture), subject(targets[1] as Fixture, 2)];
  const { run, read, samples, pids } = await loadInto(scratch.path, { subjects, goal: closed(1, 4) });
  expect(run.status).toBe("complete");
  expect(read).toEqual({ run, damage: null });
  const cells = run.stages.map((stage) => `${stage.set} ${stage.subject} ${stage.load.lanes}`);
  expect(cells.toSorted()).toEqual([
    "0 one 1",
    "0 one 4",
    "0 two x2 1",
    "0 two x2 4",
    "1 one 1",
    "1 one 4",
    "1 two x2 1",
    "1 two x2 4",
  ]);
  expect(cells.map((cell) => cell.slice(2)).join()).not.toBe(
    cells
      .map((cell) => cell.slice(2))
      .toSorted()
      .join(),
  );
  for (const [index, stage] of run.stages.entries()) {
    const own = samples.filter((sample) => sample.stage === index);
    expect(own).toHaveLength(stage.sent);
    // Connections were opened before.
    expect(own.every(({ connectMs }) => connectMs === null)).toBe(true);
    expect(new Set(own.map(({ lane }) => lane)).size).toBe(stage.load.lanes);
    const instances = new Set(own.map(({ instanceId }) => instanceId)).size;
    expect(instances).toBe(stage.subject === "one" || stage.load.lanes === 1 ? 1 : 2);
    expect(stage.usage?.cpuMs).toBeGreaterThan(0);
  }
  // Preflight's, and each set's own.
  expect(targets.map(({ hosts }) => hosts.length)).toEqual([3, 5]);
  expect(pids).toHaveLength(6);
  expect(await stillRunning(pids)).toEqual([]);
});

test("a capacity search begins with a closed loop, and then tries rates", async () => {
  await using scratch = await scratchFolder();
  const target = fixtureTarget("one");
  const { run } = await loadInto(scratch.path, {
    subjects: [subject(target)],
    sets: 1,
    goal: {
      kind: "capacity",
      // Nothing takes so long: every rate holds, as far as the client can send it.
      condition: { quantile: 0.5, limitMs: 20_000 },
      arrivals: "uniform",
      lanes: 4,
    },
  });
  const [first, ...steps] = run.stages;
  expect(first?.load).toEqual({ kind: "closed", lanes: 4 });
  expect(steps.length).toBeGreaterThan(0);
  expect(steps.length).toBeLessThanOrEqual(8);
  for (const { load } of steps) expect(load).toMatchObject({ kind: "open", arrivals: "uniform", lanes: 4 });
  expect(run.plan.condition).toEqual({ quantile: 0.5, limitMs: 20_000 });
});

test("a subject whose process dies under load is dropped from its set with the reason; the others go on", async () => {
  await using scratch = await scratchFolder();
  const targets = [
    fixtureTarget("good"),
    fixtureTarget("bad", (start) => (start === 1 ? { FAULT: "dies" } : {})),
  ];
  const { run } = await loadInto(scratch.path, {
    subjects: targets.map((target) => subject(target)),
    goal: closed(2),
  });
  expect(run.status).toBe("failed");
  expect(run.events.filter(({ kind }) => kind === "target-dropped")).toMatchObject([
    { target: "bad", generation: 0 },
  ]);
  expect(run.stages.map(({ set, subject: name }) => `${set} ${name}`).toSorted()).toEqual([
    "0 good",
    "1 bad",
    "1 good",
  ]);
});

test("a cluster whose only worker is killed starts another, and takes load again", async () => {
  await using scratch = await scratchFolder();
  const target = (await listTargets()).find(({ name }) => name === "node");
  if (target === undefined) throw new Error("There is no target on the platform node.");
  const all = await target.app.cases();
  const killed: number[] = [];
  const { run, samples } = await loadInto(scratch.path, {
    subjects: [{ name: "node", target, instances: 1, workers: 1, parameters: {} }],
    cases: { [target.app.id]: all.filter(({ id }) => id === "empty") },
    otherCaseIds: all.map(({ id }) => id).filter((id) => id !== "empty"),
    goal: closed(2, 3),
    sets: 1,
    onWindow(_subject, _load, [pid]) {
      if (pid === undefined || killed.length > 0) return;
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
  expect(run.stages.map(({ usage }) => usage === null)).toEqual([true, false]);
});

test("an abort keeps what was measured", async () => {
  await using scratch = await scratchFolder();
  const abort = new AbortController();
  const target = fixtureTarget("one");
  const { run, read, pids } = await loadInto(scratch.path, {
    subjects: [subject(target)],
    goal: closed(1, 2, 3),
    signal: abort.signal,
    onProgress: ({ stagesDone }) => stagesDone === 2 && abort.abort(),
  });
  expect(run.status).toBe("interrupted");
  const interrupted = "the run was interrupted";
  expect(run.stages.map(({ ended }) => ended)).toEqual([null, null, interrupted]);
  expect(read.damage).toBeNull();
  expect(await stillRunning(pids)).toEqual([]);
});

test("a load on nothing is refused before anything is started", async () => {
  const target = fixtureTarget("one");
  const goal = closed(1);
  await expect(load({ subjects: [subject(target)], cases: {}, goal })).rejects.toThrow(RunError);
  await expect(load({ subjects: [], cases: { fixture: [fixtureCase("short")] }, goal })).rejects.toThrow(
    'no target serves "short"',
  );
  expect(target.hosts).toEqual([]);
});

test("what is written is one line a sample, whole", async () => {
  await using scratch = await scratchFolder();
  const { folder, samples } = await loadInto(scratch.path, {
    subjects: [subject(fixtureTarget("one"))],
    goal: closed(2),
    sets: 1,
  });
  const text = readFileSync(join(folder, "samples.ndjson"), "utf8");
  expect(text.endsWith("\n")).toBe(true);
  expect(text.trimEnd().split("\n")).toHaveLength(samples.length);
});
