import { availableParallelism } from "node:os";
import type { Sample } from "@evenbench/results";
import { expect, test } from "vitest";
import { fixtureCase, fixtureTarget } from "../test/fixture.ts";
import { platformApp } from "../test/platform-app.ts";
import { eventsOf, ownCases, type ShortRun, shortRuns } from "../test/short-run.ts";

const { shortRun, folder } = shortRuns();

test("cases are measured in turns, and each trial also serves the payload of the case's length, where the app serves it", async () => {
  const cases = { fixture: [fixtureCase("short"), fixtureCase("long")] };
  const { samples, run: entry } = await shortRun({ targets: [fixtureTarget("node")], cases });
  const transfers = samples.filter(({ phase }) => phase === "transfer");
  expect(new Set(transfers.map(({ caseId }) => caseId))).toEqual(new Set(["short"]));
  expect(transfers).toHaveLength(2 * 5 * 2);
  expect(transfers.every(({ error, bodyBytes }) => error === null && bodyBytes === 100)).toBe(true);
  expect(entry).toMatchObject({ status: "complete", timelines: [], coldStarts: [] });
  const trials = samples.flatMap(({ phase, caseId, trial }) =>
    phase === "measure" ? [`${caseId} ${trial}`] : [],
  );
  expect([...new Set(trials)].join(", ")).toBe("short 0, long 0, short 1, long 1");
});

test("the arrival of a streamed body is noted for each target and trial", async () => {
  const cases = { fixture: [fixtureCase("streamed")] };
  const { run: entry } = await shortRun({ targets: [fixtureTarget("node")], cases });
  const noted = Map.groupBy(entry.timelines, ({ target, trial }) => `${target} ${trial}`);
  expect([...noted.keys()].sort()).toEqual(["node 0", "node 1", "node~copy 0", "node~copy 1"]);
  for (const timelines of noted.values()) {
    expect(timelines.map(({ round }) => round)).toEqual([0, 1, 2, 3, 4]);
  }
  for (const { arrivals } of entry.timelines) {
    // A busy client finds several parts at a time.
    expect(arrivals.at(-1)?.[1]).toBe(100);
    expect(arrivals).toEqual(arrivals.toSorted(([time], [other]) => time - other));
  }
});

test("cold starts are instances of their own, asked twice", async () => {
  const node = fixtureTarget("node");
  const { samples, run: entry } = await shortRun({ targets: [node], cold: 3, trials: 2 });
  const cold = samples.filter(({ phase }) => phase === "cold");
  const asked = cold.map(({ roundIndex, served }) => `${roundIndex} ${served}`);
  expect(asked).toEqual(Array.from({ length: 3 * 2 }, () => ["0 0", "1 1"]).flat());
  expect(new Set(cold.map(({ instanceId }) => instanceId)).size).toBe(3 * 2);
  expect(entry.coldStarts.map(({ target, repetition }) => `${target} ${repetition}`).sort()).toEqual(
    [0, 1, 2].flatMap((repetition) => [`node ${repetition}`, `node~copy ${repetition}`]).sort(),
  );
  expect(entry.coldStarts.every(({ readyMs }) => readyMs > 0)).toBe(true);
  // Preflight, two trials with an A/A copy, and the cold ones.
  expect(node.hosts.length).toBe(1 + 2 * 2 + 3 * 2);
});

test("a case without golden values is measured, and what to write into it is said and kept; between turns there is a record so far", async () => {
  const { golden, ...rest } = fixtureCase("short");
  const told: string[] = [];
  const seen: string[] = [];
  const { run } = await shortRun({
    targets: [fixtureTarget("node"), fixtureTarget("other")],
    cases: { fixture: [{ ...rest, golden: null }] },
    onEvent: ({ detail }) => told.push(detail),
    onTurn: ({ run: soFar, analyses }) =>
      seen.push(`${soFar.status} ${analyses.map(({ comparisons }) => comparisons[0]?.byTrial.length)}`),
  });
  const event = run.events.find(({ kind }) => kind === "golden-unconfirmed");
  expect(event).toMatchObject({ caseId: "short", detail: expect.stringContaining(JSON.stringify(golden)) });
  expect(told).toContain(event?.detail);
  expect(seen).toEqual(["running 1"]);
});

test("a time that cannot be enough is named before anything is measured, and nobody knows then what instances need", async () => {
  const cold = () => ({ COLD: "100000" });
  const { run: entry } = await shortRun({
    targets: [fixtureTarget("node", cold)],
    warmUp: null,
    rounds: null,
    trials: 3,
    timeMs: 300,
  });
  const [event] = eventsOf({ run: entry }, "time-short");
  expect(event?.detail).toMatch(/^Short of time: short needs \d+ s for warm trials\.$/);
  expect(entry.warmUps.length).toBeGreaterThan(0);
  for (const { needed } of entry.warmUps) {
    expect(needed).toBeNull();
  }
});

const targets = () => [fixtureTarget("node"), fixtureTarget("other")];
const untimedRun = (options: Partial<ShortRun>) => shortRun({ targets: targets(), timeMs: null, ...options });

test("what is known of a case is not searched; all get it in turns and are warm at one moment", async () => {
  const cases = { fixture: [{ ...fixtureCase("short"), warmAfter: { fixture: 300 } }] };
  const { run, samples } = await untimedRun({ cases, warmUp: null, rounds: 4 });
  expect(run.warmUps).toHaveLength(2 * 3);
  const first = run.warmUps.filter(({ trial }) => trial === 0);
  for (const { needed, exchanges } of first) {
    expect([needed, exchanges]).toEqual([300, 300]);
  }
  // Rounds that drifted raise what later instances get.
  for (const { needed, exchanges } of run.warmUps) {
    expect(exchanges).toBe(needed);
  }
  const order = samples.filter(({ phase, trial }) => phase === "warmup" && trial === 0);
  // Two at a time: after three pairs all have got as many.
  for (let turn = 0; turn < order.length; turn += 6) {
    expect(new Set(order.slice(turn, turn + 6).map(({ target }) => target)).size).toBe(3);
  }

  // What is given less than it needs says so; a number that was asked for is sent whatever the time.
  const cut = await untimedRun({ cases, warmUp: 50, rounds: 1, timeMs: 1 });
  for (const warmUp of cut.run.warmUps) {
    expect(warmUp).toMatchObject({ exchanges: 50, warmAfter: null });
  }
  for (const { needed } of cut.run.warmUps) {
    expect(needed).toBeGreaterThanOrEqual(300);
  }
});

test("one instance is asked at a time, but two that warm up and bear it; measured ones after a pause, each so many in a row", async () => {
  const pauseMs = 60;
  const spacing = 4;
  const rounds = 8;
  const slow = () => ({ WAIT: "20" });
  const other = fixtureTarget("other", slow);
  const { samples, run } = await untimedRun({
    targets: [fixtureTarget("node", slow), { ...other, platform: { ...other.platform, warmsUpAlone: true } }],
    trials: 1,
    warmUp: 4,
    rounds,
    spacing,
    pauseMs,
  });
  expect(run.plan).toMatchObject({ pauseMs, spacing });
  const inOrder = samples.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
  let pairs = 0;
  for (const [index, { startedAtMs, phase, target }] of inOrder.slice(1).entries()) {
    const before = inOrder[index] as Sample;
    const waitedMs = startedAtMs - before.startedAtMs - (before.lastByteMs ?? 0);
    const isPair = waitedMs < 0 && phase === "warmup" && ![before.target, target].includes("other");
    pairs += Number(isPair);
    // A timer may fire up to a millisecond early.
    if (!isPair) {
      expect(waitedMs).toBeGreaterThanOrEqual(phase === "measure" ? pauseMs - 1 : 0);
    }
  }
  expect(pairs > 0).toBe(availableParallelism() > 1);
  const measured = inOrder.filter(({ phase }) => phase === "measure");
  expect(measured).toHaveLength(rounds * 3);
  for (let start = 0; start < measured.length; start += spacing) {
    expect(new Set(measured.slice(start, start + spacing).map(({ target }) => target)).size).toBe(1);
  }
  for (const round of Map.groupBy(measured, ({ roundIndex }) => roundIndex).values()) {
    expect(new Set(round.map(({ target }) => target)).size).toBe(3);
  }
});

test("what is decided rests in further trials", async () => {
  // Long beside what a busy machine adds.
  const much = fixtureTarget("much", () => ({ WAIT: "300" }));
  const { samples } = await untimedRun({
    targets: [...targets(), much],
    cases: { fixture: [{ ...fixtureCase("short"), warmAfter: { fixture: 4 } }] },
    trials: null,
    mostTrials: 4,
    warmUp: null,
    rounds: 4,
  });
  const askedIn = (trial: number) =>
    new Set(samples.flatMap((sample) => (sample.trial === trial ? sample.target : [])));
  expect(askedIn(2)).toContain("much");
  expect([0, 3], "none where all is decided").toContain(askedIn(3).size);
});

const IN_REQUEST = `
if (_.url === "/?file") response.setHeader("accept-ranges", "bytes").setHeader("last-modified", new Date(0).toUTCString());
if (_.url === "/?cache") response.setHeader("x-cache", "HIT");
if (_.url === "/?nothing") return void response.end();`;

test("that a file, a cache or nothing answers is said of each platform", async () => {
  const ids = ["node", "vercel"];
  const targets = await Promise.all(ids.map((id) => platformApp(folder(), id, { inRequest: IN_REQUEST })));
  const cases = ownCases("/?file", "/?cache", "/?nothing");
  const result = await shortRun({ targets, cases, trials: 1, rounds: 2 });
  const saidOf = (kind: Parameters<typeof eventsOf>[1]) =>
    eventsOf(result, kind).map(({ caseId, detail }) => [caseId, detail]);
  const each = (says: string) =>
    expect.stringMatching(new RegExp(ids.map((id) => `${id} ${says}`).join(".*")));
  expect(saidOf("cache-measured")).toEqual([
    ["file", each('says "accept-ranges: bytes, last-modified: ')],
    ["cache", each('says "x-cache: HIT"')],
  ]);
  const empty = expect.stringContaining("0 bytes");
  expect(saidOf("answer-empty")).toEqual([["nothing", empty]]);
});
