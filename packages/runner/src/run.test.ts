import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Run, RunEvent, Sample } from "@evenbench/core";
import { readRun } from "@evenbench/results";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixtureCase, fixtureTarget, scratchFolder } from "../test/fixture.ts";
import type { Progress, RunOptions } from "./options.ts";
import { run } from "./run.ts";

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
beforeEach(async () => {
  scratch = await scratchFolder();
});
afterEach(() => scratch[Symbol.asyncDispose]());

/** A short run of the case "short" over the targets. */
async function shortRun(options: Pick<RunOptions, "targets"> & Partial<RunOptions>) {
  const result = await run({
    cases: { fixture: [fixtureCase("short")] },
    generations: 2,
    rounds: 5,
    timeMs: 1500,
    seed: 7,
    out: scratch.path,
    exchangeTimeoutMs: 400,
    ...options,
  });
  return { ...result, samples: readSamples(result.folder) };
}

function readSamples(folder: string): Sample[] {
  const lines = readFileSync(join(folder, "samples.ndjson"), "utf8").trimEnd().split("\n");
  return lines.filter((line) => line !== "").map((line): Sample => JSON.parse(line));
}

/** Preflight's host, the first one, is sound. */
const faultAfterPreflight = (start: number, FAULT: string): Record<string, string> =>
  start > 0 ? { FAULT } : {};

const eventsOf = (result: { run: Run }, kind: RunEvent["kind"]) =>
  result.run.events.filter((event) => event.kind === kind);

test("a run measures every target and the baseline's twin in every round of five sets of fresh instances", async () => {
  const [node, other] = [fixtureTarget("node"), fixtureTarget("other")];
  const result = await shortRun({ targets: [other, node], generations: null });
  expect(result.run).toMatchObject({ status: "complete", schemaVersion: 1 });
  const read = await readRun(result.folder);
  expect(read.run).toEqual(result.run);
  expect(read.damage).toBeNull();
  expect(result.run.plan.targets.map(({ name, twinOf }) => [name, twinOf])).toEqual([
    ["other", null],
    ["node", null],
    ["node~twin", "node"],
  ]);

  const measured = result.samples.filter(({ phase }) => phase === "measure");
  expect(measured).toHaveLength(5 * 5 * 3);
  expect(measured.every(({ error, bodyBytes }) => error === null && bodyBytes === 100)).toBe(true);
  const rounds = Map.groupBy(measured, ({ generation, roundIndex }) => `${generation}/${roundIndex}`);
  for (const round of rounds.values()) {
    expect(round.map(({ target }) => target).sort()).toEqual(["node", "node~twin", "other"]);
    expect(round.map(({ position }) => position)).toEqual([0, 1, 2]);
  }
  expect(
    new Set([...rounds.values()].map((round) => round.map(({ target }) => target).join())).size,
  ).toBeGreaterThan(1);

  // An instance of its own for each target and generation, warmed up first; its first exchange is marked as cold.
  const instances = Map.groupBy(result.samples, ({ instanceId }) => instanceId);
  expect(instances.size).toBe(5 * 3);
  for (const served of instances.values()) {
    expect(new Set(served.map(({ target, generation }) => `${target}/${generation}`)).size).toBe(1);
    const counted = served.filter(({ phase }) => phase === "warmup" || phase === "measure");
    expect(counted.map((sample) => sample.served)).toEqual(counted.map((_sample, index) => index));
    expect(served.filter(({ phase }) => phase === "warmup").length).toBeGreaterThanOrEqual(1);
    expect(served[0]).toMatchObject({ phase: "warmup", served: 0 });
  }
  // Preflight and five generations; the twin's hosts are the target's.
  expect([node.hosts.length, other.hosts.length]).toEqual([1 + 5 * 2, 1 + 5]);
});

test("each set of instances also serves the payload of the case's length; what an app does not serve gives no floor", async () => {
  const cases = { fixture: [fixtureCase("short"), fixtureCase("long")] };
  const { samples, run: entry } = await shortRun({ targets: [fixtureTarget("node")], cases });
  const floors = samples.filter(({ phase }) => phase === "floor");
  expect(new Set(floors.map(({ caseId }) => caseId))).toEqual(new Set(["short"]));
  expect(floors).toHaveLength(2 * 5 * 2);
  expect(floors.every(({ error, bodyBytes }) => error === null && bodyBytes === 100)).toBe(true);
  expect(entry).toMatchObject({ status: "complete", timelines: [], coldStarts: [] });
});

test("the arrival of a streamed body is noted for each target and set of instances", async () => {
  const cases = { fixture: [fixtureCase("streamed")] };
  const { run: entry } = await shortRun({ targets: [fixtureTarget("node")], cases });
  expect(entry.timelines.map(({ target, generation }) => [target, generation]).sort()).toEqual([
    ["node", 0],
    ["node", 1],
    ["node~twin", 0],
    ["node~twin", 1],
  ]);
  for (const { arrivals } of entry.timelines) {
    expect(arrivals.map(([, bytes]) => bytes)).toEqual([25, 50, 75, 100]);
    expect(arrivals.map(([ms]) => ms)).toEqual(arrivals.map(([ms]) => ms).toSorted((a, b) => a - b));
  }
});

test("cold starts are instances of their own, asked twice", async () => {
  const node = fixtureTarget("node");
  const { samples, run: entry } = await shortRun({ targets: [node], coldStarts: 3, generations: 2 });
  const cold = samples.filter(({ phase }) => phase === "cold");
  expect(cold.map(({ roundIndex, served }) => [roundIndex, served])).toEqual(
    Array.from({ length: 3 * 2 }, () => [
      [0, 0],
      [1, 1],
    ]).flat(),
  );
  expect(new Set(cold.map(({ instanceId }) => instanceId)).size).toBe(3 * 2);
  expect(entry.coldStarts.map(({ target, repetition }) => `${target} ${repetition}`).sort()).toEqual(
    [0, 1, 2].flatMap((repetition) => [`node ${repetition}`, `node~twin ${repetition}`]).sort(),
  );
  expect(entry.coldStarts.every(({ readyMs }) => readyMs > 0)).toBe(true);
  // Preflight, two generations with a twin, and the cold ones.
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

test("without fixed rounds each generation measures at least three, and for its share of the time", async () => {
  const { samples, run: entry } = await shortRun({
    targets: [fixtureTarget("node")],
    rounds: null,
    timeMs: 2000,
  });
  expect(entry.plan.caseBudgetMs).toEqual({ short: 2000 });
  const rounds = Map.groupBy(
    samples.filter(({ phase, target }) => phase === "measure" && target === "node"),
    ({ generation }) => generation,
  );
  expect(rounds.size).toBe(2);
  for (const generation of rounds.values()) expect(generation.length).toBeGreaterThanOrEqual(3);
});

test("progress tells case, generation and round, and how long it still takes", async () => {
  const seen: Progress[] = [];
  const cases = { fixture: [fixtureCase("short"), fixtureCase("long")] };
  const onProgress = (progress: Progress) => void seen.push(progress);
  await shortRun({ targets: [fixtureTarget("node")], cases, onProgress, rounds: 2 });
  expect(seen[0]).toMatchObject({ phase: "preflight", caseId: null, caseCount: 2, etaMs: null });
  expect(new Set(seen.map(({ caseId }) => caseId))).toEqual(new Set([null, "short", "long"]));
  const etas = seen.flatMap(({ etaMs }) => etaMs ?? []);
  expect(Math.max(...etas)).toBeLessThanOrEqual(3000);
});

describe("a run is refused", () => {
  test("when preflight finds targets that differ, with the values and a remedy", async () => {
    const odd = fixtureTarget("odd", () => ({ PINS: JSON.stringify({ artifact: "bbbb" }) }));
    const node = fixtureTarget("node", () => ({ PINS: JSON.stringify({ artifact: "aaaa" }) }));
    await expect(shortRun({ targets: [node, odd] })).rejects.toThrow(/aaaa[\s\S]*bbbb[\s\S]*Remedy/);
    const [folder = ""] = readdirSync(scratch.path);
    const entry: Run = JSON.parse(readFileSync(join(scratch.path, folder, "run.json"), "utf8"));
    expect(entry.status).toBe("failed");

    const allowed = await shortRun({ targets: [node, odd], allow: ["artifact"], rounds: 1 });
    expect(allowed.run.status).toBe("complete");
    expect(eventsOf(allowed, "pin-allowed")[0]?.detail).toContain("bbbb");
  });

  test("when a target does not start, naming it", async () => {
    const broken = fixtureTarget("broken", () => ({ PINS: "no JSON" }));
    await expect(shortRun({ targets: [fixtureTarget("node"), broken] })).rejects.toThrow(
      /1 of 2 targets did not start[\s\S]*broken/,
    );
  });

  test("when there is nothing to measure", async () => {
    await expect(shortRun({ targets: [] })).rejects.toThrow('no target serves "short"');
    await expect(shortRun({ targets: [fixtureTarget("node")], cases: {} })).rejects.toThrow("no case");
  });

  test("when the results folder cannot be written", async () => {
    const file = join(scratch.path, "file");
    writeFileSync(file, "");
    await expect(shortRun({ targets: [fixtureTarget("node")], out: file })).rejects.toThrow("--out");
  });
});

describe("a fault loses nothing", () => {
  test("of a host that is killed in the middle of a generation: error sample, event, another instance", async () => {
    const [node, other] = [fixtureTarget("node"), fixtureTarget("other")];
    let killed = false;
    const result = await shortRun({
      targets: [node, other],
      rounds: 20,
      onProgress({ phase, generation }) {
        if (phase !== "measure" || generation !== 1 || killed) return;
        killed = true;
        for (const pid of other.hosts.at(-1)?.pids() ?? []) process.kill(pid, "SIGKILL");
      },
    });
    expect(result.run.status).toBe("complete");
    expect(eventsOf(result, "host-restarted")).toMatchObject([
      { target: "other", generation: 1, caseId: "short" },
    ]);
    const failed = result.samples.filter(({ error }) => error !== null);
    expect(failed).toMatchObject([{ target: "other", generation: 1, error: { kind: "connection" } }]);
    const ids = result.samples.filter(({ target, generation }) => target === "other" && generation === 1);
    expect(new Set(ids.flatMap(({ instanceId }) => instanceId ?? [])).size).toBe(2);
    expect(
      result.samples.filter(({ phase, target }) => phase === "measure" && target === "other"),
    ).toHaveLength(40);
    expect(eventsOf(result, "error-budget")).toMatchObject([{ target: "other" }]);
  });

  test("of a host that dies again and again: the target is dropped with its reason, the others go on", async () => {
    const dying = fixtureTarget("dying", (start) => faultAfterPreflight(start, "dies"));
    const result = await shortRun({ targets: [fixtureTarget("node"), dying] });
    expect(eventsOf(result, "target-dropped")).toMatchObject([{ target: "dying", generation: 0 }]);
    expect(eventsOf(result, "target-dropped")[0]?.detail).toContain("died twice");
    expect(result.run.status).toBe("complete");
    expect(
      result.samples.filter(({ phase, target }) => phase === "measure" && target === "node"),
    ).toHaveLength(10);
  });

  const faults: [string, string][] = [
    ["truncates", "connection"],
    ["changes", "digest"],
    ["fails", "status"],
    ["hangs", "timeout"],
  ];
  test.each(faults)("of a target that %s: samples of kind %s, then dropped", async (FAULT, kind) => {
    // Bodies are checked by digest in the first round of each phase: two generations give the four that are too many.
    const odd = fixtureTarget("odd", (start) => faultAfterPreflight(start, FAULT));
    const result = await shortRun({ targets: [fixtureTarget("node"), odd] });
    const errors = result.samples.flatMap(({ target, error }) =>
      target === "odd" && error ? [error.kind] : [],
    );
    expect(errors.length).toBeGreaterThanOrEqual(3);
    expect(new Set(errors)).toEqual(new Set([kind]));
    expect(eventsOf(result, "target-dropped")).toMatchObject([{ target: "odd" }]);
    expect(eventsOf(result, "target-dropped")[0]?.detail).toContain(kind);
  });

  test("of a baseline that is dropped: its case ends, the next one is measured", async () => {
    // Preflight is start 0; the first case uses up two starts (target and twin).
    const node = fixtureTarget("node", (start) => (start <= 2 ? faultAfterPreflight(start, "fails") : {}));
    const cases = { fixture: [fixtureCase("short"), fixtureCase("long")] };
    const result = await shortRun({ targets: [node, fixtureTarget("other")], cases, rounds: 2 });
    expect(eventsOf(result, "case-failed")).toMatchObject([{ caseId: "short" }]);
    expect(result.run.status).toBe("failed");
    const measured = result.samples.filter(({ phase, caseId }) => phase === "measure" && caseId === "long");
    expect(measured).toHaveLength(2 * 2 * 3);
  });

  test("of a target that is rebuilt during the run: dropped, with both values of the pin", async () => {
    const rebuilt = fixtureTarget("rebuilt", (start) => ({
      PINS: JSON.stringify({ artifact: start < 2 ? "aaaa" : "bbbb" }),
    }));
    const node = fixtureTarget("node", () => ({ PINS: JSON.stringify({ artifact: "aaaa" }) }));
    const result = await shortRun({ targets: [node, rebuilt] });
    expect(eventsOf(result, "target-dropped")[0]?.detail).toMatch(/artifact.*aaaa.*bbbb/);
  });

  test("of an interruption: hosts are gone, what was measured is there", async () => {
    const node = fixtureTarget("node");
    const interruption = new AbortController();
    let writtenMeanwhile = 0;
    const result = await shortRun({
      targets: [node],
      rounds: 1000,
      signal: interruption.signal,
      onProgress: ({ phase, generation, roundIndex }) => {
        if (phase !== "measure" || generation > 0 || roundIndex === 0) return;
        const [folder = ""] = readdirSync(scratch.path).filter((name) => !name.startsWith("."));
        writtenMeanwhile = readSamples(join(scratch.path, folder)).length;
        interruption.abort();
      },
    });
    expect(result.run.status).toBe("interrupted");
    expect(eventsOf(result, "interrupted")).toHaveLength(1);
    expect(writtenMeanwhile).toBeGreaterThan(0);
    expect(result.samples.some(({ phase }) => phase === "measure")).toBe(true);
    expect(result.samples.every(({ error }) => error === null)).toBe(true);
    for (const host of node.hosts) expect(host.pids()).toEqual([]);
  });

  test("of an interruption before anything was measured", async () => {
    const result = await shortRun({ targets: [fixtureTarget("node")], signal: AbortSignal.abort() });
    expect(result.run.status).toBe("interrupted");
    expect(result.samples).toEqual([]);
  });
});

test("two runs at the same time have folders, ports and samples of their own, and the later one says so", async () => {
  // The mark of another process that lives, and of one that is gone.
  const sleeper = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]);
  writeFileSync(join(scratch.path, `.measuring-${sleeper.pid}`), "");
  writeFileSync(join(scratch.path, ".measuring-4194305"), "");
  const [first, second] = await Promise.all([
    shortRun({ targets: [fixtureTarget("node")], rounds: 3 }),
    shortRun({ targets: [fixtureTarget("node")], rounds: 3 }),
  ]);
  sleeper.kill("SIGKILL");
  expect(first.folder).not.toBe(second.folder);
  for (const result of [first, second]) {
    expect(result.samples.filter(({ phase }) => phase === "measure")).toHaveLength(2 * 3 * 2);
    expect(result.samples.every(({ error }) => error === null)).toBe(true);
    expect(eventsOf(result, "other-run-active")[0]?.detail).toContain(String(sleeper.pid));
  }
  expect(existsSync(join(scratch.path, ".measuring-4194305"))).toBe(false);
  expect(existsSync(join(scratch.path, `.measuring-${process.pid}`))).toBe(false);
});

test("a URL is measured like a local target, without being started; as the baseline its twin is another connection", async () => {
  const host = await fixtureTarget("remote").platform.serve({
    deployable: fixtureTarget("remote").deployable,
    port: 0,
    logFile: join(scratch.path, "remote.log"),
    cores: null,
    workers: 1,
    v8Flags: [],
  });
  try {
    const remote = { place: "url", name: "remote", app: "fixture", url: host.url } as const;
    const result = await shortRun({
      targets: [remote, fixtureTarget("node")],
      baseline: "remote",
      rounds: 2,
    });
    expect(result.run.status).toBe("complete");
    expect(result.run.plan.targets).toMatchObject([
      { name: "remote", place: "url", url: host.url, platform: "fixture" },
      { name: "node", place: "local", url: null },
      { name: "remote~twin", place: "url", twinOf: "remote" },
    ]);
    const measured = result.samples.filter(({ phase }) => phase === "measure");
    expect(measured).toHaveLength(2 * 2 * 3);
    const own = measured.filter(({ target }) => target !== "node");
    expect(new Set(own.map(({ instanceId }) => instanceId)).size).toBe(1);
  } finally {
    await host.stop();
  }
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

test("a URL at which nobody listens is refused with its address", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise((resolve) => server.close(resolve));
  const gone = { place: "url", name: "gone", app: "fixture", url } as const;
  await expect(shortRun({ targets: [fixtureTarget("node"), gone] })).rejects.toThrow(url);
});
