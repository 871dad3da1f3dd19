import { afterEach, beforeEach, expect, test } from "vitest";
import { fixtureCase, fixtureTarget, scratchFolder } from "../test/fixture.ts";
import { eventsOf, type ShortRun, shortRunInto } from "../test/short-run.ts";

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
beforeEach(async () => {
  scratch = await scratchFolder();
});
afterEach(() => scratch[Symbol.asyncDispose]());

const shortRun = (options: ShortRun) => shortRunInto(scratch.path, options);

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
  ["nobody asks for a time", { timeMs: null }],
  ["each case has a time", { timeMs: 1 }],
  ["all have one together", { timeMs: null, totalMs: 1 }],
])("cases are measured in turns where %s", async (_how, options) => {
  const cases = { fixture: [fixtureCase("short"), fixtureCase("long")] };
  const { samples } = await shortRun({ targets: [fixtureTarget("node")], cases, ...options });
  const trials = samples
    .filter(({ phase }) => phase === "measure")
    .map(({ caseId, trial }) => `${caseId} ${trial}`);
  expect([...new Set(trials)].join(", ")).toBe("short 0, long 0, short 1, long 1");
});

test("the arrival of a streamed body is noted for each target and trial", async () => {
  const cases = { fixture: [fixtureCase("streamed")] };
  const { run: entry } = await shortRun({ targets: [fixtureTarget("node")], cases });
  const noted = Map.groupBy(entry.timelines, ({ target, trial }) => `${target} ${trial}`);
  expect([...noted.keys()].sort()).toEqual(["node 0", "node 1", "node~copy 0", "node~copy 1"]);
  for (const own of noted.values()) expect(own.map(({ round }) => round)).toEqual([0, 1, 2, 3, 4]);
  for (const { arrivals } of entry.timelines) {
    // A busy client finds several parts at a time.
    expect(arrivals.at(-1)?.[1]).toBe(100);
    expect(arrivals).toEqual(arrivals.toSorted(([one], [other]) => one - other));
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

test("two instances at a time are warmed up, and two targets asked at the same moment, where that is asked for", async () => {
  const slow = () => ({ WAIT: "20" });
  const { samples, run: entry } = await shortRun({
    targets: [fixtureTarget("node", slow), fixtureTarget("other", slow)],
    ...{ warmTogether: 2, askTogether: 2, warmUpExchanges: 4, rounds: 4, trials: 1 },
  });
  expect(entry.status).toBe("complete");
  const meets = (phase: string) => {
    const own = samples
      .filter((one) => one.phase === phase)
      .toSorted((a, b) => a.startedAtMs - b.startedAtMs);
    return own.some(({ startedAtMs }, index) => {
      const before = own[index - 1];
      return before !== undefined && startedAtMs < before.startedAtMs + (before.lastByteMs ?? 0);
    });
  };
  expect([meets("warmup"), meets("measure")]).toEqual([true, true]);
  expect(samples.filter(({ phase }) => phase === "measure")).toHaveLength(4 * 3);
});

test("between turns the caller has the record and the analyses so far", async () => {
  const seen: string[] = [];
  await shortRun({
    targets: [fixtureTarget("node"), fixtureTarget("other")],
    onTurn: ({ run: soFar, analyses }) =>
      seen.push(`${soFar.status} ${analyses.map(({ comparisons }) => comparisons[0]?.byTrial.length)}`),
  });
  expect(seen).toEqual(["running 1"]);
});

test("a number of warm-up requests that the time cuts is told, once a case", async () => {
  const { run: entry } = await shortRun({
    targets: [fixtureTarget("node")],
    warmUpExchanges: 500,
    timeMs: 1,
  });
  const [event, ...others] = eventsOf({ run: entry }, "warmup-unstable");
  expect(event?.detail).toMatch(
    / got \d+ of its 500 warm-up requests in short: the time of the trial was over\.$/,
  );
  expect(others).toEqual([]);
});

test("a time that cannot be enough is named before anything is measured", async () => {
  const cold = () => ({ COLD: "100000" });
  const { run: entry } = await shortRun({
    targets: [fixtureTarget("node", cold)],
    ...{ warmUpExchanges: null, rounds: null, trials: 3, timeMs: 300 },
  });
  const [event] = eventsOf({ run: entry }, "time-short");
  expect(event?.detail).toMatch(
    /^The time is too short for 3 warm trials of short \(\d+ s\)\. --time \d+s is enough/,
  );
});
