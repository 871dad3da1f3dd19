import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRun } from "@evenbench/results";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fixtureCase, fixtureTarget, scratchFolder } from "../test/fixture.ts";
import { eventsOf, type ShortRun, shortRunInto } from "../test/short-run.ts";
import type { Progress } from "./options.ts";

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
beforeEach(async () => {
  scratch = await scratchFolder();
});
afterEach(() => scratch[Symbol.asyncDispose]());

const shortRun = (options: ShortRun) => shortRunInto(scratch.path, options);

test("a run measures every target and the baseline's A/A copy in every round of five trials", async () => {
  const [node, other] = [fixtureTarget("node"), fixtureTarget("other")];
  const result = await shortRun({ targets: [other, node], trials: null });
  expect(result.run).toMatchObject({ status: "complete", schemaVersion: 2 });
  const read = await readRun(result.folder);
  expect(read.run).toEqual(result.run);
  expect(read.damage).toBeNull();
  expect(result.run.plan.targets.map(({ name, copyOf }) => [name, copyOf])).toEqual([
    ["other", null],
    ["node", null],
    ["node~copy", "node"],
  ]);

  const measured = result.samples.filter(({ phase }) => phase === "measure");
  expect(measured).toHaveLength(5 * 5 * 3);
  expect(measured.every(({ error, bodyBytes }) => error === null && bodyBytes === 100)).toBe(true);
  const rounds = Map.groupBy(measured, ({ trial, roundIndex }) => `${trial}/${roundIndex}`);
  for (const round of rounds.values()) {
    expect(round.map(({ target }) => target).sort()).toEqual(["node", "node~copy", "other"]);
    expect(round.map(({ position }) => position)).toEqual([0, 1, 2]);
  }
  expect(
    new Set([...rounds.values()].map((round) => round.map(({ target }) => target).join())).size,
  ).toBeGreaterThan(1);

  // An instance of its own for each target and trial, warmed up first; its first exchange is marked as cold.
  const instances = Map.groupBy(result.samples, ({ instanceId }) => instanceId);
  expect(instances.size).toBe(5 * 3);
  for (const served of instances.values()) {
    expect(new Set(served.map(({ target, trial }) => `${target}/${trial}`)).size).toBe(1);
    const counted = served.filter(({ phase }) => phase === "warmup" || phase === "measure");
    expect(counted.map((sample) => sample.served)).toEqual(counted.map((_sample, index) => index));
    expect(served.filter(({ phase }) => phase === "warmup").length).toBeGreaterThanOrEqual(1);
    expect(served[0]).toMatchObject({ phase: "warmup", served: 0 });
  }
  // Preflight and five trials; the A/A copy's hosts are the target's.
  expect([node.hosts.length, other.hosts.length]).toEqual([1 + 5 * 2, 1 + 5]);
});

test("each trial also serves the payload of the case's length; what an app does not serve gives no transfer time", async () => {
  const cases = { fixture: [fixtureCase("short"), fixtureCase("long")] };
  const { samples, run: entry } = await shortRun({ targets: [fixtureTarget("node")], cases });
  const transfers = samples.filter(({ phase }) => phase === "transfer");
  expect(new Set(transfers.map(({ caseId }) => caseId))).toEqual(new Set(["short"]));
  expect(transfers).toHaveLength(2 * 5 * 2);
  expect(transfers.every(({ error, bodyBytes }) => error === null && bodyBytes === 100)).toBe(true);
  expect(entry).toMatchObject({ status: "complete", timelines: [], coldStarts: [] });
});

test.each([
  ["in turns where nobody asks for a time", { timeMs: null }, "short 0, long 0, short 1, long 1"],
  [
    "one after another, each in the time that was asked for",
    { timeMs: 1 },
    "short 0, short 1, long 0, long 1",
  ],
])("cases are measured %s", async (_how, options, expected) => {
  const cases = { fixture: [fixtureCase("short"), fixtureCase("long")] };
  const { samples } = await shortRun({ targets: [fixtureTarget("node")], cases, ...options });
  const trials = samples
    .filter(({ phase }) => phase === "measure")
    .map(({ caseId, trial }) => `${caseId} ${trial}`);
  expect([...new Set(trials)].join(", ")).toBe(expected);
});

test("the arrival of a streamed body is noted for each target and trial", async () => {
  const cases = { fixture: [fixtureCase("streamed")] };
  const { run: entry } = await shortRun({ targets: [fixtureTarget("node")], cases });
  const noted = Map.groupBy(entry.timelines, ({ target, trial }) => `${target} ${trial}`);
  expect([...noted.keys()].sort()).toEqual(["node 0", "node 1", "node~copy 0", "node~copy 1"]);
  for (const own of noted.values()) expect(own.map(({ round }) => round)).toEqual([0, 1, 2, 3, 4]);
  for (const { arrivals, round } of entry.timelines) {
    expect(arrivals.map(([, bytes]) => bytes)).toEqual(round === 0 ? [25, 50, 75, 100] : [25, 50, 100]);
    expect(arrivals.map(([ms]) => ms)).toEqual(arrivals.map(([ms]) => ms).toSorted((a, b) => a - b));
  }
});

test("cold starts are instances of their own, asked twice", async () => {
  const node = fixtureTarget("node");
  const { samples, run: entry } = await shortRun({ targets: [node], coldStarts: 3, trials: 2 });
  const cold = samples.filter(({ phase }) => phase === "cold");
  expect(cold.map(({ roundIndex, served }) => [roundIndex, served])).toEqual(
    Array.from({ length: 3 * 2 }, () => [
      [0, 0],
      [1, 1],
    ]).flat(),
  );
  expect(new Set(cold.map(({ instanceId }) => instanceId)).size).toBe(3 * 2);
  expect(entry.coldStarts.map(({ target, repetition }) => `${target} ${repetition}`).sort()).toEqual(
    [0, 1, 2].flatMap((repetition) => [`node ${repetition}`, `node~copy ${repetition}`]).sort(),
  );
  expect(entry.coldStarts.every(({ readyMs }) => readyMs > 0)).toBe(true);
  // Preflight, two trials with an A/A copy, and the cold ones.
  expect(node.hosts.length).toBe(1 + 2 * 2 + 3 * 2);
});

test("the same seed gives the same orders, another one others", async () => {
  const orders = async (seed: number) => {
    const targets = [fixtureTarget("node"), fixtureTarget("other")];
    const { samples } = await shortRun({ targets, seed, rounds: 4 });
    return samples.filter(({ phase }) => phase === "measure").map(({ target }) => target);
  };
  const first = await orders(1);
  expect(await orders(1)).toEqual(first);
  expect(await orders(2)).not.toEqual(first);
});

test("a run says at its end what it wrote, so that a sample that is gone later is told", async () => {
  const { folder, run } = await shortRun({ targets: [fixtureTarget("node")], rounds: 3 });
  const file = join(folder, "samples.ndjson");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(run.samples?.count).toBe(lines.length);
  expect(await readRun(folder)).toMatchObject({ run, damage: null });
  writeFileSync(file, `${lines.slice(1).join("\n")}\n`);
  expect((await readRun(folder)).damage).toContain(`the run wrote ${lines.length}`);
});

test("without fixed rounds each trial measures at least three, and for its share of the time", async () => {
  const { samples, run: entry } = await shortRun({
    targets: [fixtureTarget("node")],
    rounds: null,
    timeMs: 2000,
  });
  expect(entry.plan.caseBudgetMs).toEqual({ short: 2000 });
  const rounds = Map.groupBy(
    samples.filter(({ phase, target }) => phase === "measure" && target === "node"),
    ({ trial }) => trial,
  );
  expect(rounds.size).toBe(2);
  for (const trial of rounds.values()) expect(trial.length).toBeGreaterThanOrEqual(3);
});

test("progress tells case, trial and round, and how long it still takes", async () => {
  const seen: Progress[] = [];
  const cases = { fixture: [fixtureCase("short"), fixtureCase("long")] };
  const onProgress = (progress: Progress) => void seen.push(progress);
  await shortRun({ targets: [fixtureTarget("node")], cases, onProgress, rounds: 2 });
  expect(seen[0]).toMatchObject({ phase: "preflight", caseId: null, caseCount: 2, etaMs: null });
  expect(new Set(seen.map(({ caseId }) => caseId))).toEqual(new Set([null, "short", "long"]));
  const etas = seen.flatMap(({ etaMs }) => etaMs ?? []);
  expect(Math.max(...etas)).toBeLessThanOrEqual(3000);
});

test("a case without golden values is measured, and what to write into it is said and kept", async () => {
  const { golden, ...rest } = fixtureCase("short");
  const told: string[] = [];
  const { run } = await shortRun({
    targets: [fixtureTarget("node"), fixtureTarget("other")],
    cases: { fixture: [{ ...rest, golden: null }] },
    rounds: 2,
    onEvent: ({ detail }) => told.push(detail),
  });
  const event = run.events.find(({ kind }) => kind === "golden-unconfirmed");
  expect(event).toMatchObject({ caseId: "short", detail: expect.stringContaining(JSON.stringify(golden)) });
  expect(told).toContain(event?.detail);
});

test("a case without golden values is not told where nobody asks for them, in a refusal neither", async () => {
  const cases = { fixture: [{ ...fixtureCase("short"), golden: null }] };
  const node = fixtureTarget("node");
  const measured = await shortRun({ targets: [node], cases, rounds: 1, asksForGolden: false });
  expect(eventsOf(measured, "golden-unconfirmed")).toEqual([]);
  const odd = fixtureTarget("odd", () => ({ PINS: JSON.stringify({ artifact: "bbbb" }) }));
  const refused = (asksForGolden: boolean) =>
    shortRun({ targets: [node, odd], cases, asksForGolden }).catch(({ message }: Error) => message);
  expect(await refused(true)).toContain("golden values");
  expect(await refused(false)).toMatch(/^(?![\s\S]*golden)[\s\S]*Nothing was measured/);
});
