import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planHash, planText, type RateBeginLine, type RateExchangeLine } from "@evenbench/vantages";
import { afterAll, afterEach, expect, test } from "vitest";
import { machinesPlanOf } from "../../test/machines-plan.ts";
import { readLoadData } from "../report/data.ts";
import { type CollectLoadOptions, collectLoad } from "./collect.ts";

/** 20 a second for 2 s, of which each machine sends every second one; two stages. */
const plan = machinesPlanOf({ origin: "http://127.0.0.1:9", perSecond: 20, trials: 2 });
const hash = planHash(planText(plan));
const folder = mkdtempSync(join(tmpdir(), "evenbench-machines-"));
const out = join(folder, "results");
afterEach(() => {
  const left = readdirSync(folder).includes("results") ? readdirSync(out) : [];
  expect(left.filter((name) => name.startsWith("."))).toEqual([]);
  rmSync(out, { recursive: true, force: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Machine {
  readonly index: number;
  readonly startedAt?: string;
  readonly of?: number;
  readonly hash?: string;
  readonly protocol?: string;
}

function begin({ index, of = 2, startedAt, hash: own = hash }: Machine): RateBeginLine {
  return {
    evenbench: "begin",
    protocol: 1,
    plan: own,
    nonce: String(index).repeat(16),
    vantage: "eu",
    part: { index, of },
    startedAt: startedAt ?? "2026-11-22T10:00:00.000Z",
  };
}

function exchange({ index, protocol = "HTTP/1.1" }: Machine, stage: number, n: number): RateExchangeLine {
  const begunAtMs = (2 * n + index) * 50;
  return {
    evenbench: "exchange",
    nonce: String(index).repeat(16),
    stage,
    connection: 0,
    begunAtMs,
    blockedMs: 0,
    overAtMs: begunAtMs + 4,
    connectMs: null,
    firstByteMs: 2,
    lastByteMs: 4,
    status: 200,
    bodyBytes: 10,
    instanceId: null,
    served: null,
    inFlight: null,
    protocol,
    error: null,
  };
}

/** What a machine writes that played both stages, 20 requests each. */
function linesOf(machine: Machine): string[] {
  const requests = [0, 1].flatMap((stage) =>
    Array.from({ length: 20 }, (_, n) => exchange(machine, stage, n)),
  );
  const nonce = String(machine.index).repeat(16);
  const end = { evenbench: "end", plan: machine.hash ?? hash, nonce, exchanges: [20, 20], stopped: null };
  return [begin(machine), ...requests, end].map((line) => JSON.stringify(line));
}

function file(name: string, lines: readonly string[], tail = "\n"): string {
  const path = join(folder, name);
  writeFileSync(path, lines.join("\n") + tail);
  return path;
}

const collect = (logs: readonly string[], options: Partial<CollectLoadOptions> = {}) =>
  collectLoad({ plan, hash, logs, out, ...options });
const FIRST = linesOf({ index: 0 });
const SECOND = linesOf({ index: 1 });

test("what two machines sent is one load: added up, each by its own clock", async () => {
  const { run, problems } = await collect([file("a.log", FIRST), file("b.log", SECOND)]);
  expect(problems).toEqual([]);
  expect(run.stages).toHaveLength(2);
  // 500 ms of 2 s are not measured; every request takes 4 ms.
  expect(run.stages[0]).toMatchObject({ sent: 40, dropped: 0, late: 0, completed: 30, windowMs: 1500 });
  expect(run.stages[0]?.meanInFlight).toBeCloseTo((30 * 4) / 1500, 6);
  expect(run.clients?.map(({ name, logged }) => [name, logged])).toEqual([
    ["eu 1/2", 40],
    ["eu 2/2", 40],
  ]);
});

test.each([
  ["a part that is not there", [FIRST], /parts of these 1 logs \(eu 1\/2\) make 50 % of the load/],
  [
    "an end that is missing",
    [FIRST, SECOND.slice(0, -1)],
    /log of eu 2\/2 has no end: 40 requests are there/,
  ],
  [
    "a line that is missing",
    [FIRST, SECOND.toSpliced(3, 1)],
    /has 19 requests of stage 1, and its end line counts 20/,
  ],
  ["a head that is cut off", [FIRST, SECOND.slice(1)], /cut head: 40 requests of a client/],
  ["a log that is there twice", [FIRST, SECOND, SECOND], /a log was read twice/],
  [
    "machines that began apart",
    [FIRST, linesOf({ index: 1, startedAt: "2026-11-22T10:00:07.000Z" })],
    /by their clocks they began 7\.0 s apart, and a stage's unmeasured part is 0\.5 s/,
  ],
  ["another plan", [FIRST, linesOf({ index: 1, hash: "b".repeat(64) })], /is of another plan/],
  [
    "two versions of HTTP",
    [FIRST, linesOf({ index: 1, protocol: "HTTP/2.0" })],
    /Versions of HTTP are mixed: HTTP\/1\.1 \(eu 1\/2\); HTTP\/2\.0 \(eu 2\/2\)/,
  ],
  ["two that sent all of it", [linesOf({ index: 0, of: 1 }), linesOf({ index: 0, of: 1 })], /read twice/],
] as const)("%s is refused", async (_what, logs, message) => {
  const files = logs.map((lines, index) => file(`${index}.log`, lines));
  await expect(collect(files)).rejects.toThrow(message);
  expect(readdirSync(out), "no run is made").toEqual([]);
});

test("with anyway, what is there is a load that says what is missing", async () => {
  const { run, problems } = await collect([file("a.log", FIRST.slice(0, 10))], { anyway: true });
  expect(run).toMatchObject({ status: "interrupted", events: [{ kind: "vantage-incomplete" }, {}] });
  expect(problems).toHaveLength(2);
  expect(run.stages.map(({ sent, ended }) => [sent, ended])).toEqual([
    [9, null],
    [0, "a machine's log has no end: 9 requests are there"],
  ]);
});

test("with anyway, versions of HTTP that are mixed make a load that is whole, and says so", async () => {
  const logs = [file("a.log", FIRST), file("b.log", linesOf({ index: 1, protocol: "HTTP/2.0" }))];
  const { run, problems, folder: made } = await collect(logs, { anyway: true });
  expect(run).toMatchObject({ status: "complete", events: [{ kind: "mixed-http", detail: problems[0] }] });
  expect(run.events).toHaveLength(1);
  const { warnings } = await readLoadData(made);
  expect(warnings).toMatchObject([
    { severity: "caution", title: expect.stringContaining("same version of HTTP"), details: problems },
  ]);
});
