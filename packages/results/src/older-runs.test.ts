import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  type LoadSample,
  providerAccountSchema,
  RUN_SCHEMA_VERSION,
  readExperiments,
  readLoad,
  readRun,
} from "./index.ts";
import { fromVersion1 } from "./older-names.ts";
import { runSchema } from "./schema/run.ts";

// Real measurements by Evenbench 0.1.0, with fewer samples and events.
const version1 = (kind: string) => join(import.meta.dirname, "../test/older/version-1", kind);

test("a run of version 1 is read with the names of today, and its samples are those that it wrote", async () => {
  const { run, samples, damage } = await readRun(version1("run"));
  expect(damage).toBeNull();
  expect(run.schemaVersion).toBe(RUN_SCHEMA_VERSION);
  expect(run.plan).toMatchObject({ trials: { minimum: 2, maximum: 2 }, roundsPerTrial: 6 });
  expect(run.plan.cases.map(({ kind }) => kind)).toEqual(run.plan.cases.map(() => null));
  expect(run.plan.targets.map(({ name, copyOf }) => [name, copyOf])).toEqual([
    ["node", null],
    ["node~copy", "node"],
  ]);
  for (const list of [run.usage, run.warmUps, run.clientLoad])
    expect(new Set(list.map(({ trial }) => trial))).toEqual(new Set([0, 1]));
  expect(new Set(run.warmUps.map(({ warmAfter }) => warmAfter))).toEqual(new Set([null]));
  const seen = [...samples].map(({ target, trial, phase }) => `${target} ${trial} ${phase}`);
  const expected = ["node", "node~copy"].flatMap((target) =>
    [0, 1].flatMap((trial) =>
      ["warmup", "measure", "transfer"].map((phase) => `${target} ${trial} ${phase}`),
    ),
  );
  expect(seen.toSorted()).toEqual(expected.toSorted());
});

test("a load run of version 1 is read with the names of today", async () => {
  const samples: LoadSample[] = [];
  const { run, damage } = await readLoad(version1("load"), (sample) => samples.push(sample));
  expect(damage).toBeNull();
  expect(run.plan).toMatchObject({ trials: 1, loads: [{ connections: 1 }, { connections: 2 }] });
  expect(run.stages.map(({ trial, load }) => [trial, load.connections])).toEqual([
    [0, 2],
    [0, 1],
  ]);
  expect(samples.map(({ connection }) => connection)).toEqual([0, 0, 0]);
});

test("experiments of version 1 are read with the names of today", async () => {
  const { results } = await readExperiments(version1("experiments"));
  expect(results[0]?.comparisons[0]).toMatchObject({ trials: 5, control: { side: "one core~copy" } });
});

test("names that users gave are no fields, though they look like some", async () => {
  const old = JSON.parse(await readFile(join(version1("run"), "run.json"), "utf8"));
  old.plan.caseBudgetMs = { set: 1 };
  old.identities.node.pins.lane = "floor";
  const run = fromVersion1(1, runSchema).parse(old);
  expect(run.plan.caseBudgetMs).toEqual({ set: 1 });
  expect(run.identities.node?.pins).toMatchObject({ lane: "floor" });
});

test("an account of a request, whose line names no version, is read in either", () => {
  const key = { caseId: "math", roundIndex: 1, requestId: "id", cpuMs: 1, wallMs: null };
  const today = { ...key, target: "far~copy", trial: 2, phase: "transfer" };
  const older = { ...key, target: "far~twin", generation: 2, phase: "floor" };
  const schema = fromVersion1(1, providerAccountSchema);
  expect([schema.parse(older), schema.parse(today)]).toEqual([today, today]);
});

test("a record of today is not read by the names of version 1", () => {
  const schema = fromVersion1(RUN_SCHEMA_VERSION, providerAccountSchema);
  expect(schema.safeParse({ generation: 2 }).error?.issues.map(({ path }) => path[0])).toContain("trial");
});

test.each([0, 2, 3])(
  "what version %i wrote is not touched, whatever its fields are called",
  (schemaVersion) => {
    const record = { schemaVersion, generation: 1, set: { phase: "floor", target: "node~twin" } };
    expect(fromVersion1(schemaVersion, z.unknown()).parse(record)).toEqual(record);
  },
);

test("version 1 becomes version 2, which is where a later version's own step begins", () => {
  const record = { schemaVersion: 1, generation: 1 };
  expect(fromVersion1(1, z.unknown()).parse(record)).toEqual({ schemaVersion: 2, trial: 1 });
});
