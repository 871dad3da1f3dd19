import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunMachine } from "@evenbench/results";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixtureTarget, scratchFolder } from "../test/fixture.ts";
import { type MeasuredTarget, measuredTargetsOf } from "./targets.ts";
import { rememberNeeds, type WarmUpKey, WarmUpStore } from "./warm-up-store.ts";

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
beforeEach(async () => {
  scratch = await scratchFolder();
});
afterEach(() => scratch[Symbol.asyncDispose]());

const machine: RunMachine = {
  system: "Linux",
  cpuModel: "A processor",
  cores: 2,
  memoryBytes: 1,
  clientNode: "v24",
  coresApart: null,
  cpuAccount: { source: "/proc", resolutionMs: 20 },
};

const key: WarmUpKey = {
  caseId: "math",
  path: "/math",
  identity: {
    schemaVersion: 1,
    app: "bundle",
    platform: "node",
    instance: { id: "0123456789abcdef", served: 0 },
    pins: { artifact: "aa" },
    facts: { runtime: "Node.js 24.21.0" },
  },
  build: null,
  machine,
};

const need = { exchanges: 12, ms: 250, raised: 0, quiet: true, warmAfter: 12 };

test("what was found is found again by a later run, whichever instance asks", () => {
  const file = join(scratch.path, "cache", "warm-up.json");
  new WarmUpStore(file).keep([[key, need]]);
  const later = { ...key, identity: { ...key.identity, instance: { id: "fedcba9876543210", served: 9 } } };
  expect(new WarmUpStore(file).find(later)).toEqual(need);
});

test.each<[string, WarmUpKey]>([
  ["another case", { ...key, caseId: "trig" }],
  ["other parameters", { ...key, path: "/math?rounds=2" }],
  [
    "a side of an experiment with flags of its own",
    {
      ...key,
      identity: { ...key.identity, pins: { ...key.identity.pins, experiment: "x: V8 flags: --jitless" } },
    },
  ],
  [
    "a side of an experiment on cores of its own",
    { ...key, identity: { ...key.identity, pins: { ...key.identity.pins, experiment: "x: cores: one" } } },
  ],
  ["what is asked under a profiler", { ...key, under: "profiler" }],
  ["another artifact", { ...key, identity: { ...key.identity, pins: { artifact: "bb" } } }],
  ["another runtime", { ...key, identity: { ...key.identity, facts: { runtime: "Node.js 26.0.0" } } }],
  ["another machine", { ...key, machine: { ...machine, cpuModel: "Another" } }],
  ["other cores", { ...key, machine: { ...machine, coresApart: { client: "0", servers: "1" } } }],
])("%s has a need of its own", (_what, other) => {
  const store = new WarmUpStore(join(scratch.path, "warm-up.json"));
  store.keep([[key, need]]);
  expect(store.find(other)).toBeNull();
});

test("what a busy machine found is searched again, and so is what was raised again and again", () => {
  const store = new WarmUpStore(join(scratch.path, "warm-up.json"));
  store.keep([[key, { ...need, quiet: false }]]);
  expect(store.find(key)).toBeNull();
  store.keep([[key, { ...need, raised: 2 }]]);
  expect(store.find(key)).toEqual({ ...need, raised: 2 });
  store.keep([[key, { ...need, raised: 3 }]]);
  expect(store.find(key)).toBeNull();
});

test("a file that is damaged, foreign or cannot be written is one that knows nothing", () => {
  const file = join(scratch.path, "warm-up.json");
  for (const text of ["{", "[]", "null", '{"x":{"exchanges":"12"}}', '{"x":{"exchanges":12}}']) {
    writeFileSync(file, text);
    expect(new WarmUpStore(file).find(key)).toBeNull();
  }
  new WarmUpStore(file).keep([[key, need]]);
  expect(new WarmUpStore(file).find(key)).toEqual(need);
  const below = new WarmUpStore(join(file, "is-a-file", "warm-up.json"));
  below.keep([[key, need]]);
  expect(below.find(key)).toBeNull();
  expect(new WarmUpStore(null).find(key)).toBeNull();
});

test("two stores of one file lose nothing to one another", () => {
  const file = join(scratch.path, "warm-up.json");
  const [one, other] = [new WarmUpStore(file), new WarmUpStore(file)];
  const trig = { ...key, caseId: "trig" };
  one.keep([[key, need]]);
  other.keep([[trig, { ...need, exchanges: 3 }]]);
  expect(one.find(trig)).toEqual({ ...need, exchanges: 3 });
  expect(one.find(key)).toEqual(need);
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")))).toHaveLength(2);
});

test("what was found last is forgotten last", () => {
  const file = join(scratch.path, "warm-up.json");
  const keyOf = (index: number): WarmUpKey => ({ ...key, caseId: `case-${index}` });
  const store = new WarmUpStore(file);
  store.keep(Array.from({ length: 2000 }, (_, index) => [keyOf(index), need] as const));
  store.keep([[keyOf(0), { ...need, exchanges: 13 }]]);
  store.keep([[keyOf(2000), need]]);
  expect(store.find(keyOf(0))).toMatchObject({ exchanges: 13 });
  expect(store.find(keyOf(1))).toBeNull();
});

describe("what the repository says of a case", () => {
  const [node] = measuredTargetsOf([fixtureTarget("node"), fixtureTarget("other")], "fixture", "node");
  const { machine: here, ...asked } = key;
  const measured = { ...asked, name: "node", usual: { ...need, exchanges: 40, ms: 100 } };

  test("is where a machine without findings begins, and no instance is searched", () => {
    const needs = rememberNeeds(new WarmUpStore(null), here, [measured]);
    expect(needs.orderFor(node as MeasuredTarget)).toEqual({ exchanges: 50, isSearch: false });
    needs.learnTime(node as MeasuredTarget, [10, 11, 12]);
    expect(needs.neededBy(node as MeasuredTarget)).toBe(50);
  });

  test("gives way to what was found here", () => {
    const file = join(scratch.path, "warm-up.json");
    new WarmUpStore(file).keep([[key, { ...need, exchanges: 80 }]]);
    const needs = rememberNeeds(new WarmUpStore(file), here, [measured]);
    expect(needs.neededBy(node as MeasuredTarget)).toBe(100);
  });
});
