import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { readRun } from "@evenbench/results";
import { afterEach, expect, test } from "vitest";
import { clientLines, machineLines, TEST_HASH, testPlan } from "../test/logs.ts";
import { ratePlanOf } from "../test/plans.ts";
import { collectLoad } from "./collect-load.ts";
import { collectLogs } from "./collect-rounds.ts";
import { planHash, planText } from "./plan.ts";

const plan = testPlan();
const folder = testFolder();
const out = join(folder, "results");
afterEach(() => rmSync(out, { recursive: true, force: true }));

const EU = clientLines({ vantage: "eu" });
const US = clientLines({ vantage: "us", routeMs: 80 });

function file(name: string, lines: readonly string[], end = "\n"): string {
  const path = join(folder, name);
  writeFileSync(path, lines.join("\n") + end);
  return path;
}
const collect = (logs: readonly string[], anyway = false) =>
  collectLogs({ plan, hash: TEST_HASH, logs, out, anyway });
const refusal = async (logs: readonly string[], anyway = false) => {
  const error = await collect(logs, anyway).catch((reason: Error) => reason);
  expect(existsSync(out), "no run is made").toBe(false);
  return error instanceof Error ? error.message : "collected";
};

test("logs of two vantages become a run that is read like any other", async () => {
  const { folder: made, problems } = await collect([file("eu.log", EU), file("us.log", US)]);
  expect(problems).toEqual([]);
  const { run, samples, damage } = await readRun(made);
  expect([damage, run.status, run.machine, samples.length]).toEqual([null, "complete", null, 2 * 198]);
  expect(run.vantages?.map(({ name, clients }) => [name, clients.length])).toEqual([
    ["eu", 1],
    ["us", 1],
  ]);
  const [first, ...rest] = samples;
  const from = { vantage: "eu", client: "1", edge: null, httpVersion: "HTTP/1.1" };
  const ofFirst = { caseId: "trig", target: "node", trial: 0, phase: "warmup", from, cpuMs: null };
  expect(first).toMatchObject(ofFirst);
  // Each client's trials have numbers of their own.
  const trials = new Set(rest.map((sample) => `${sample.from?.vantage} ${sample.trial}`));
  expect([...trials].join()).toBe("eu 0,eu 1,eu 2,us 3,us 4,us 5");
  const keys = samples.map(({ target, trial, phase, roundIndex }) => `${[target, trial, phase, roundIndex]}`);
  expect(new Set(keys).size).toBe(keys.length);
});

const logfmt = (line: string) =>
  `time="2026-11-22T10:00:00Z" level=info msg=${JSON.stringify(line)} source=console`;
test.each<[string, (line: string, index: number) => string]>([
  ["logfmt", logfmt],
  ["kubectl's prefix", (line) => `[pod/eu-1-x7k/k6] ${line}`],
  ["a container's log in JSON", (line) => JSON.stringify({ log: `${line}\n`, stream: "stderr" })],
  ["logfmt in a container's log", (line) => JSON.stringify({ log: `${logfmt(line)}\n`, stream: "stderr" })],
  ["Windows' line ends", (line) => `${line}\r`],
  [
    "what k6 and Taurus say in between",
    (line, at) => (at % 50 === 3 ? `level=warning msg="slow"\n${line}` : line),
  ],
])("lines are found in %s", async (_, wrapped) => {
  const { run, problems } = await collect([file("eu.err", EU.map(wrapped))]);
  expect([problems, run.samples?.count]).toEqual([[], 198]);
});

const edited = (line: string | undefined, with_: object) =>
  JSON.stringify({ ...JSON.parse(line ?? ""), ...with_ });
const STOPPED = edited(EU.at(-1), { exchanges: 99, stopped: "node in trig: 20 exchanges failed" });

/** Each damage, with what must be said of it. */
test.each<[what: string, lines: readonly string[], said: RegExp, end?: string]>([
  ["a cut head", EU.slice(20), /eu\.log lacks its beginning: 179 requests of a client/],
  ["a torn tail", [...EU.slice(0, 90), String(EU[90]).slice(0, 100)], /line 91 is incomplete/, ""],
  ["a missing end", [...EU.slice(0, 50), ...EU.slice(60, 100)], /no end: 89 of 198 requests are there/],
  ["lines that were lost", EU.toSpliced(30, 5), /has 193 requests, and its end line counts 198/],
  ["a damaged line", EU.with(30, String(EU[30]).slice(0, 80)), /line 31 is incomplete.*: 29 of 198/s],
  ["a client that gave up", [...EU.slice(0, 100), STOPPED], /after 99 of 198 requests: node in trig: /],
  ["other failures", EU.with(-1, edited(EU.at(-1), { failed: 3 })), /counts 3 failed requests/],
])("%s is told, and makes a run that says so with --anyway alone", async (_, lines, said, end) => {
  const logs = [file("eu.log", lines, end), file("us.log", US)];
  expect(await refusal(logs)).toMatch(said);
  const { run, problems, folder: made } = await collect(logs, true);
  expect(problems.join("\n")).toMatch(said);
  expect(run.status).toBe("interrupted");
  expect(run.events.map(({ kind }) => kind)).toContain("vantage-incomplete");
  expect((await readRun(made)).damage).toBeNull();
});

test("mixed versions of HTTP are told, with what answered in which", async () => {
  const logs = [file("eu.log", EU), file("us.log", clientLines({ vantage: "us", protocol: "HTTP/2.0" }))];
  const said = await refusal(logs);
  expect(said).toMatch(/Versions of HTTP are mixed: HTTP\/1\.1 \(node from eu, .*HTTP\/2\.0 \(node from us/);
  expect(said).toContain("GODEBUG=http2client=0");
  const { run } = await collect(logs, true);
  expect([run.status, run.events.map(({ kind }) => kind)]).toEqual(["complete", ["mixed-http"]]);
});

const OTHER_PLAN = clientLines({ vantage: "eu", hash: "b".repeat(64) });
const OTHER_CLIENT = clientLines({ vantage: "eu", nonce: "b".repeat(16) });

test.each<[what: string, logs: Readonly<Record<string, readonly string[]>>, said: RegExp]>([
  ["another plan's log", { "eu.log": OTHER_PLAN }, /eu\.log .*\(b{12}…, and this folder has a{12}…\)/],
  ["a log that is given twice", { "eu.log": EU, "copy.log": EU }, /eu\.log and .*copy\.log .* twice/],
  ["a log with its lines twice", { "eu.log": [...EU, ...EU] }, /^[^ ]*eu\.log .* twice/],
  ["two clients with one name", { "a.log": EU, "b.log": OTHER_CLIENT }, /a\.log and .*b\.log .* eu\/1/],
  ["parts in the wrong order", { "b.log": EU.slice(50), "a.log": EU.slice(0, 50) }, /give .*a\.log first/],
  ["a log without a line of ours", { "eu.log": ["level=error"] }, /ends with: level=error/],
])("%s is refused, even with --anyway", async (_, given, said) => {
  const logs = Object.entries(given).map(([name, lines]) => file(name, lines));
  for (const anyway of [false, true]) {
    expect(await refusal(logs, anyway)).toMatch(said);
  }
});

const exchangeAt = (index: number, changes: object) => EU.with(index, edited(EU[index], changes));

/** Each of them is a valid line of a log, which no client of this plan writes. */
test.each<[what: string, lines: readonly string[], said: RegExp]>([
  ["a stage", exchangeAt(5, { stage: 99 }), /eu\/1 .*stage 99/],
  ["a target", exchangeAt(5, { target: "x" }), /the target "x" in trig/],
  ["a round", exchangeAt(5, { round: 500 }), /round 500 of warmup/],
  ["a place in its round", exchangeAt(5, { position: 3 }), /position 3/],
  ["a year", EU.with(0, edited(EU[0], { startedAt: "9999-01-01T00:00:00.000Z" })), /year 9999/],
  ["a request that it has already", EU.with(6, String(EU[5])), /twice \(stage 0, .*warmup \d\)/],
])("a log with %s that the plan has not is refused, even with --anyway", async (_, lines, said) => {
  for (const anyway of [false, true]) {
    expect(await refusal([file("eu.log", lines)], anyway)).toMatch(said);
  }
});

test("a link and a device are no logs, and nothing of them is said", async () => {
  const secret = file("secret", ["root:hidden"]);
  const link = join(folder, "link.log");
  symlinkSync(secret, link);
  expect(await refusal([link])).toMatch(/link\.log cannot be read \(it is a symbolic link\)(?!.*hidden)/);
  expect(await refusal(["/dev/zero"])).toMatch(/zero cannot be read \(it is not a regular file\)/);
});

test("how many requests count is said, also where none does", async () => {
  expect(await collect([file("eu.log", EU)])).toMatchObject({ counted: 90 });
  const error = { kind: "status", detail: "HTTP 500 instead of 200" };
  const failed = EU.map((line) => (line.includes('"exchange"') ? edited(line, { error }) : line));
  const lines = failed.with(-1, edited(EU.at(-1), { failed: 198 }));
  expect(await collect([file("eu.log", lines)])).toMatchObject({ counted: 0, problems: [] });
});

test("a file that is not there is named with the reason", async () => {
  expect(await refusal([join(folder, "nowhere.log")])).toMatch(/nowhere\.log cannot be read \(ENOENT\)/);
});

/** 20 a second for 2 s, of which each machine sends every second one; two stages. */
const ratePlan = ratePlanOf("http://127.0.0.1:9", 20, 2);
const rateHash = planHash(planText(ratePlan));
const collectParts = (logs: readonly string[], anyway = false) =>
  collectLoad({ plan: ratePlan, hash: rateHash, logs, out, anyway });
const FIRST = machineLines(rateHash);
const SECOND = machineLines(rateHash, 1);

test("what two machines sent is one load: added up, each by its own clock", async () => {
  const { run, problems } = await collectParts([file("a.log", FIRST), file("b.log", SECOND)]);
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
  ["a part that is not there", [FIRST], /eu 1\/2\) make 50 % of the load/],
  ["a line that is missing", [FIRST, SECOND.toSpliced(3, 1)], /has 39 requests, .* 40/],
  ["a log that is there twice", [FIRST, SECOND, SECOND], /twice/],
  [
    "machines that began apart",
    [FIRST, machineLines(rateHash, 1, "2026-11-22T10:00:07.000Z")],
    /7\.0 s apart/,
  ],
] as const)("%s is refused", async (_what, logs, message) => {
  const files = logs.map((lines, index) => file(`${index}.log`, lines));
  await expect(collectParts(files)).rejects.toThrow(message);
  expect(existsSync(out), "no run is made").toBe(false);
});

test.each<[what: string, changes: object, said: RegExp]>([
  ["a stage", { stage: 2 }, /stage 2/],
  ["a time before", { begunAtMs: 2001 }, /began 2001 ms after/],
  ["an end", { overAtMs: 1e12 }, /from 0 to 1000000000000 ms/],
  ["an end before its beginning", { begunAtMs: 100, overAtMs: 50 }, /from 100 to 50 ms/],
])("a load's log with %s that the plan has not is refused", async (_what, changes, said) => {
  const logs = [file("a.log", FIRST.with(1, edited(FIRST[1], changes))), file("b.log", SECOND)];
  for (const anyway of [false, true]) {
    await expect(collectParts(logs, anyway)).rejects.toThrow(said);
  }
});

test("a load's log is not a run's, and one request of it counts once", async () => {
  const named = edited(EU[0], { plan: rateHash });
  await expect(collectParts([file("a.log", EU.with(0, named))])).rejects.toThrow(/has an exchange of rounds/);
  const twice = file("a.log", FIRST.with(2, String(FIRST[1])));
  await expect(collectParts([twice, file("b.log", SECOND)])).rejects.toThrow(
    /has one request twice \(stage 0/,
  );
});

test("with --anyway, what is there is a load that says what is missing", async () => {
  const { run, problems } = await collectParts([file("a.log", FIRST.slice(0, 10))], true);
  expect(run).toMatchObject({ status: "interrupted", events: [{ kind: "vantage-incomplete" }, {}] });
  expect(problems).toHaveLength(2);
  expect(run.stages.map(({ sent, ended }) => [sent, ended])).toEqual([
    [9, null],
    [0, "a machine's log has no end: 9 requests are there"],
  ]);
});

test.each([
  ["a kind that there is not", { evenbench: "pause" }],
  ["a vantage that is no file's name", { vantage: "../eu" }],
])("a line with %s is damage", async (_what, changes) => {
  expect(await refusal([file("eu.log", EU.with(0, edited(EU[0], changes)))])).toMatch(/line 1 is incomplete/);
});
