import { join } from "node:path";
import type { Sample } from "@evenbench/results";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fixtureTarget, rememberNeed, SHORT, scratchFolder } from "../test/fixture.ts";
import { type ShortRun, shortRunInto } from "../test/short-run.ts";

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
beforeEach(async () => {
  scratch = await scratchFolder();
});
afterEach(() => scratch[Symbol.asyncDispose]());

const targets = () => [fixtureTarget("node"), fixtureTarget("other")];
const shortRun = (options: Partial<ShortRun>) =>
  shortRunInto(scratch.path, { targets: targets(), timeMs: null, ...options });
const phaseOf = (samples: readonly Sample[], phase: Sample["phase"], target: string) =>
  samples.filter((sample) => sample.phase === phase && sample.target === target);

test("what an earlier run found is not searched again; warm-up is each target's alone, rounds are of all in turns", async () => {
  const earlier = await shortRun({ trials: 1, rounds: 1 });
  const warmUpFile = join(scratch.path, "warm-up.json");
  const need = { exchanges: 300, ms: 1, raised: 0, quiet: true, warmAfter: 300 };
  for (const target of ["node", "other"]) rememberNeed(warmUpFile, earlier.run, { target, ...SHORT }, need);
  const { run, samples } = await shortRun({ warmUpFile, warmUpExchanges: null, rounds: 4 });
  expect(run.warmUps).toHaveLength(2 * 3);
  // A quarter more, which no speed of this machine changes. One more comes when all are warm.
  const first = run.warmUps.filter(({ trial }) => trial === 0);
  for (const { needed, exchanges } of first) expect([needed, exchanges]).toEqual([375, 376]);
  // Rounds that drifted raise what later instances get.
  for (const { needed, exchanges } of run.warmUps) expect(exchanges).toBe((needed ?? 0) + 1);
  expect(first.map(({ warmAfter }) => warmAfter)).toEqual([300, 300, 300]);
  const turns = (phase: Sample["phase"]) =>
    samples
      .filter((sample) => sample.phase === phase && sample.trial === 0)
      .map(({ target }) => target)
      .filter((target, index, all) => target !== all[index - 1]);
  expect(turns("warmup").length).toBeLessThanOrEqual(6);
  expect(turns("warmup").slice(-3).toSorted()).toEqual(["node", "node~copy", "other"]);
  expect(turns("measure").length).toBeGreaterThan(6);

  // What is given less than it needs says so.
  const cut = await shortRun({ warmUpFile, warmUpExchanges: 4, rounds: 1 });
  for (const one of cut.run.warmUps) expect(one).toMatchObject({ exchanges: 4, warmAfter: null });
  for (const { needed } of cut.run.warmUps) expect(needed).toBeGreaterThanOrEqual(375);
});

test("a short time cuts the search off: it is said that nobody knows what the instances need", async () => {
  const cold = () => ({ COLD: "100000" });
  const { run } = await shortRun({
    targets: [fixtureTarget("node", cold), fixtureTarget("other", cold)],
    warmUpExchanges: null,
    rounds: null,
    timeMs: 300,
  });
  expect(run.warmUps.map(({ needed }) => needed)).toEqual(run.warmUps.map(() => null));
  expect(run.warmUps.length).toBeGreaterThan(0);
});

test("every exchange has its CPU time, and each instance's account all of them", async () => {
  const { run, samples } = await shortRun({ rounds: 10 });
  const hasAccount = samples.some(({ cpuMs }) => cpuMs !== null);
  for (const { target, trial, exchanges } of hasAccount ? run.usage : []) {
    const own = phaseOf(samples, "measure", target).filter((sample) => sample.trial === trial);
    expect(own).toHaveLength(exchanges);
    for (const { cpuMs, minorFaults } of own) {
      expect(cpuMs).toBeGreaterThanOrEqual(0);
      expect(minorFaults).toBeGreaterThanOrEqual(0);
    }
  }
});

test("a pause comes before every measured exchange", async () => {
  const pauseMs = 60;
  const { samples, run } = await shortRun({ trials: 1, rounds: 6, pauseMs });
  expect(run.plan.pauseMs).toBe(pauseMs);
  const measured = samples.filter(({ phase }) => phase === "measure");
  for (const [index, { startedAtMs }] of measured.slice(1).entries()) {
    const before = measured[index] as Sample;
    // A timer may fire up to a millisecond early.
    expect(startedAtMs - before.startedAtMs - (before.lastByteMs ?? 0)).toBeGreaterThanOrEqual(pauseMs - 1);
  }
});

test("spacing gives each target so many exchanges in a row, and every round still has one of each", async () => {
  const { samples, run } = await shortRun({ trials: 1, rounds: 12, spacing: 4 });
  const measured = samples.filter(({ phase }) => phase === "measure");
  expect(run.plan.spacing).toBe(4);
  expect(measured).toHaveLength(12 * 3);
  for (let start = 0; start < measured.length; start += 4)
    expect(new Set(measured.slice(start, start + 4).map(({ target }) => target)).size).toBe(1);
  const rounds = Map.groupBy(measured, ({ roundIndex }) => roundIndex);
  expect(rounds.size).toBe(12);
  for (const round of rounds.values()) expect(new Set(round.map(({ target }) => target)).size).toBe(3);
});
