import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunEvent, Sample } from "@evenbench/results";
import { analyseCase, warmInstances } from "@evenbench/stats";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fixtureTarget, scratchFolder } from "../test/fixture.ts";
import { type ShortRun, shortRunInto } from "../test/short-run.ts";

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
beforeEach(async () => {
  scratch = await scratchFolder();
});
afterEach(() => scratch[Symbol.asyncDispose]());

const shortRun = (options: ShortRun) =>
  shortRunInto(scratch.path, { timeMs: null, exchangeTimeoutMs: 5000, ...options });

/** A server whose first `cold` exchanges cost four times what later ones do, and one that is warm at once. */
const targets = (cold: number) => [
  fixtureTarget("node", () => ({ COLD: "0" })),
  fixtureTarget("slow-starter", () => ({ COLD: String(cold) })),
];

/** Puts what a quiet machine would have found in place of what was: tests run beside others. */
function takeForQuiet(file: string): void {
  const found = Object.keys(JSON.parse(readFileSync(file, "utf8")));
  const quiet = found.map((key) => [key, { exchanges: 31, ms: 1, raised: 0, quiet: true, warmAfter: 31 }]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(quiet)));
}

const verdictOf = ({ samples, run }: Awaited<ReturnType<typeof shortRun>>) =>
  analyseCase(samples, {
    caseId: "short",
    metric: "cpuMs",
    baseline: "node",
    copy: "node~copy",
    targets: ["node", "slow-starter", "node~copy"],
    precision: 0.02,
    warm: warmInstances(samples, run.warmUps).cpuTime,
    seed: 1,
  }).comparisons[0];

const phaseOf = (samples: readonly Sample[], phase: Sample["phase"], target: string) =>
  samples.filter((sample) => sample.phase === phase && sample.target === target);

describe.runIf(existsSync("/proc/self/schedstat"))("with the system's account of CPU time", () => {
  let first: Awaited<ReturnType<typeof scratchFolder>>;
  /** The run that searches, for all of these tests. */
  let result: Awaited<ReturnType<typeof shortRun>>;
  /** A copy of what it found. */
  const found = () => join(scratch.path, "warm-up.json");
  beforeAll(async () => {
    first = await scratchFolder();
    const options = { targets: targets(30), warmUpExchanges: null, trials: 3, rounds: 20 };
    const warmUpFile = join(first.path, "warm-up.json");
    result = await shortRunInto(first.path, {
      timeMs: null,
      exchangeTimeoutMs: 5000,
      ...options,
      warmUpFile,
    });
    takeForQuiet(warmUpFile);
  });
  beforeEach(() => copyFile(join(first.path, "warm-up.json"), found()));
  afterAll(() => first[Symbol.asyncDispose]());

  test("what a target needs is found on the first trial, and the others get it", () => {
    const needs = result.run.warmUps.filter(({ target }) => target === "slow-starter");
    expect(needs.map(({ trial }) => trial)).toEqual([0, 1, 2]);
    expect(needs[0]?.exchanges).toBeGreaterThan(200);
    // Without the quarter more; null where a busy machine disturbed the series up to its end.
    const warmAfter = needs[0]?.warmAfter ?? 30;
    expect(warmAfter).toBeGreaterThanOrEqual(30);
    expect(warmAfter).toBeLessThan(needs[0]?.needed ?? 0);
    for (const { exchanges, needed } of needs.slice(1)) {
      // 30 exchanges and a quarter more; beyond that what a busy machine made of the series.
      expect(needed).toBeGreaterThanOrEqual(38);
      expect(exchanges).toBeGreaterThanOrEqual(needed ?? 0);
    }
    const warm = phaseOf(result.samples, "measure", "slow-starter").map(({ cpuMs }) => cpuMs ?? Number.NaN);
    expect(warm.toSorted((a, b) => a - b)[Math.floor(warm.length / 2)]).toBeLessThan(3);
    expect(verdictOf(result)?.verdict).not.toBe("not warm");
  });

  test("instances that got less than they need have no verdict but that", async () => {
    const options = { warmUpFile: found(), trials: 2, rounds: 20 };
    const cut = await shortRun({ ...options, targets: targets(30), warmUpExchanges: 4 });
    const { verdict, reason } = verdictOf(cut) ?? {};
    expect(verdict).toBe("not warm");
    expect(reason).toMatch(/got 4 of the \d+ requests that warm it up/);
    expect(cut.run.warmUps.every(({ warmAfter }) => warmAfter === null)).toBe(true);
  });

  test("what an earlier run found is not searched again", async () => {
    const { run, samples } = await shortRun({
      targets: targets(30),
      warmUpFile: found(),
      trials: 2,
      warmUpExchanges: null,
      rounds: 20,
    });
    // Not before its last exchange had it been known in a search. One more comes when all are warm.
    for (const { exchanges, needed } of run.warmUps) expect(exchanges).toBe((needed ?? 0) + 1);
    expect(run.warmUps.filter(({ trial }) => trial === 0).map(({ warmAfter }) => warmAfter)).toEqual([
      31, 31, 31,
    ]);
    const begin = samples.findIndex(({ phase }) => phase === "measure");
    const names = run.warmUps.filter(({ trial }) => trial === 0).map(({ target }) => target);
    const last = samples.slice(begin - names.length, begin).map(({ target }) => target);
    expect(last.toSorted()).toEqual(names.toSorted());
    expect(phaseOf(samples, "warmup", "slow-starter").length).toBeGreaterThanOrEqual(2 * 38);
  });

  test("every exchange has its CPU time, background work with it; the sum is the instance's own", async () => {
    const { run, samples } = await shortRun({ targets: targets(0), trials: 2, rounds: 10 });
    for (const { target, trial, cpuMs, exchanges } of run.usage) {
      const own = phaseOf(samples, "measure", target).filter((sample) => sample.trial === trial);
      expect(own).toHaveLength(exchanges);
      const sum = own.reduce((total, sample) => total + (sample.cpuMs ?? Number.NaN), 0);
      // The account of the whole is rounded where a thread has ended, and read a moment later.
      expect(Math.abs(sum - cpuMs)).toBeLessThan(25);
      expect(own.every(({ minorFaults }) => minorFaults !== null && minorFaults >= 0)).toBe(true);
    }
  });
});

test("a short time cuts the search off: it is said that nobody knows what the instances need", async () => {
  const events: RunEvent[] = [];
  const result = await shortRun({
    targets: targets(30),
    warmUpExchanges: null,
    rounds: null,
    trials: 2,
    timeMs: 300,
    onEvent: (event) => void events.push(event),
  });
  expect(result.run.warmUps.some(({ needed }) => needed === null)).toBe(true);
  expect(verdictOf(result)?.verdict).toBe("not warm");
});

test("warm-up is each target's alone, back to back; rounds are of all targets in turns", async () => {
  const { samples } = await shortRun({ targets: targets(0), warmUpExchanges: 6, trials: 1, rounds: 4 });
  const turns = (phase: Sample["phase"]) =>
    samples
      .filter((sample) => sample.phase === phase)
      .map(({ target }) => target)
      .filter((target, index, all) => target !== all[index - 1]);
  expect(turns("warmup")).toHaveLength(3);
  expect(turns("measure").length).toBeGreaterThan(6);
});

test("a pause comes before every measured exchange, and before no other", async () => {
  const pauseMs = 60;
  const { samples, run } = await shortRun({ targets: targets(0), trials: 1, rounds: 6, pauseMs });
  expect(run.plan.pauseMs).toBe(pauseMs);
  const gapsOf = (phase: Sample["phase"]) => {
    const own = samples.filter((sample) => sample.phase === phase);
    return own.slice(1).map((sample, index) => {
      const before = own[index] as Sample;
      return sample.startedAtMs - before.startedAtMs - (before.lastByteMs ?? 0);
    });
  };
  // A timer may fire up to a millisecond early.
  expect(Math.min(...gapsOf("measure"))).toBeGreaterThanOrEqual(pauseMs - 1);
  expect(Math.min(...gapsOf("warmup"))).toBeLessThan(pauseMs / 2);
});

test("spacing gives each target so many exchanges in a row, and every round still has one of each", async () => {
  const { samples, run } = await shortRun({ targets: targets(0), trials: 1, rounds: 12, spacing: 4 });
  const measured = samples.filter(({ phase }) => phase === "measure");
  expect(run.plan.spacing).toBe(4);
  expect(measured).toHaveLength(12 * 3);
  for (let start = 0; start < measured.length; start += 4)
    expect(new Set(measured.slice(start, start + 4).map(({ target }) => target)).size).toBe(1);
  const rounds = Map.groupBy(measured, ({ roundIndex }) => roundIndex);
  expect([...rounds.keys()].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 12 }, (_, index) => index),
  );
  for (const round of rounds.values()) expect(new Set(round.map(({ target }) => target)).size).toBe(3);
});
