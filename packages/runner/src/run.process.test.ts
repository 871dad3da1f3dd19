import { spawnSync } from "node:child_process";
import { readRun } from "@evenbench/results";
import { expect, test } from "vitest";
import { fixtureCase, fixtureTarget } from "../test/fixture.ts";
import { eventsOf, ownCases, shortRuns } from "../test/short-run.ts";
import type { Progress } from "./options.ts";

const { shortRun, ownServers } = shortRuns();

test("a run measures every target and the baseline's A/A copy in every round of three trials at least", async () => {
  const node = fixtureTarget("node");
  const other = fixtureTarget("other");
  const seen: Progress[] = [];
  const onProgress = (progress: Progress) => void seen.push(progress);
  const result = await shortRun({ targets: [other, node], trials: null, timeMs: 1, onProgress });
  expect(result.run).toMatchObject({ status: "complete", schemaVersion: 2, trialsEnded: true });
  const read = await readRun(result.folder);
  expect(read.run).toEqual(result.run);
  expect(read.damage).toBeNull();
  expect(result.run.plan.targets.map(({ name, copyOf }) => [name, copyOf])).toEqual([
    ["other", null],
    ["node", null],
    ["node~copy", "node"],
  ]);

  const measured = result.samples.filter(({ phase }) => phase === "measure");
  expect(measured).toHaveLength(3 * 5 * 3);
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
  expect(instances.size).toBe(3 * 3);
  for (const served of instances.values()) {
    expect(new Set(served.map(({ target, trial }) => `${target}/${trial}`)).size).toBe(1);
    const counted = served.filter(({ phase }) => phase === "warmup" || phase === "measure");
    expect(counted.map((sample) => sample.served)).toEqual(counted.map((_sample, index) => index));
    expect(served.filter(({ phase }) => phase === "warmup").length).toBeGreaterThanOrEqual(1);
    expect(served[0]).toMatchObject({ phase: "warmup", served: 0 });
  }
  // Preflight and three trials; the A/A copy's hosts are the target's.
  expect([node.hosts.length, other.hosts.length]).toEqual([1 + 3 * 2, 1 + 3]);

  expect(seen[0]).toMatchObject({ phase: "preflight", caseId: null, caseCount: 1, etaMs: null });
  expect(seen.at(-1)).toMatchObject({ caseId: "short", trial: 2, etaMs: expect.any(Number) });

  expect(result.run.samples?.count).toBe(result.samples.length);
});

/** CPU time that the program below uses by its own account, and the least of it that a machine counts. */
const WORK_MS = 300;
const COUNTED_MS = 200;
const OTHER_PROGRAM = `for (let used; (used = process.cpuUsage()), used.user + used.system < ${WORK_MS * 1000}; );`;

test.runIf(process.platform === "linux")(
  "the CPU time of other programs while rounds go on is recorded with their trial",
  async () => {
    let ended: number | null = null;
    const onProgress = ({ phase }: Progress) => {
      if (phase === "measure" && ended === null) {
        ended = spawnSync(process.execPath, ["-e", OTHER_PROGRAM]).status;
      }
    };
    const { run } = await shortRun({ targets: [fixtureTarget("node")], trials: 1, rounds: 2, onProgress });
    expect(ended).toBe(0);
    expect(run.clientLoad[0]?.othersCpuMs).toBeGreaterThan(COUNTED_MS);
  },
);

test("a target that hangs in a cold start is waited for once, and neither in another repetition nor another case", async () => {
  // Preflight and a trial of each case before.
  const odd = fixtureTarget("odd", (start) => (start > 2 ? { FAULT: "hangs" } : {}));
  const result = await shortRun({
    targets: [fixtureTarget("node"), odd],
    cases: { fixture: [fixtureCase("short"), fixtureCase("long")] },
    trials: 1,
    cold: 2,
    exchangeTimeoutMs: 3000,
  });
  expect(eventsOf(result, "cold-start-failed")).toMatchObject([
    { target: "odd", caseId: "short", detail: expect.stringContaining("No complete response") },
    { target: "odd", caseId: "long", detail: expect.stringContaining("waited for in vain in short") },
  ]);
  expect(odd.hosts).toHaveLength(4);
  const cold = result.samples.filter(({ phase, target }) => phase === "cold" && target === "odd");
  expect(cold.map(({ error }) => error?.kind)).toEqual(["timeout"]);
  expect(result.run.coldStarts.filter(({ target }) => target === "node")).toHaveLength(4);
});

/** From the fifth start of one word on it answers nothing but whether it is ready. */
const HANGS_LATER = `
const { appendFileSync, readFileSync } = require("node:fs");
const [, , word] = process.argv;
appendFileSync(__dirname + "/" + word, "x");
const hangs = word === "odd" && readFileSync(__dirname + "/" + word).length > 4;
require("node:http").createServer((request, response) => {
  if (!hangs || request.url === "/ready") response.end("ok");
}).listen(process.env.PORT, "127.0.0.1")`;

test("a target that hangs as its memory is read is waited for in one case, and not in the next", async () => {
  // Two starts of preflight, and a trial of each case before.
  const result = await shortRun({
    targets: await ownServers(HANGS_LATER, ["sound", "odd"]),
    cases: ownCases("/one", "/two"),
    trials: 1,
    memory: true,
    exchangeTimeoutMs: 3000,
  });
  expect(eventsOf(result, "memory-failed")).toMatchObject([
    { target: "odd", caseId: "one", detail: expect.stringContaining("No complete response") },
    { target: "odd", caseId: "two", detail: expect.stringContaining("waited for in vain in one") },
  ]);
  const read = result.run.memory?.map(({ target, caseId }) => `${target} ${caseId}`);
  expect([...new Set(read)]).toEqual(["sound one", "sound two"]);
});

/** Answers once, when it is asked whether it is ready, and ends. */
const ANSWERS_ONCE = `require("node:http").createServer((_, response) => {
  response.end("ok", () => setTimeout(() => process.exit(7), 50));
}).listen(process.env.PORT, "127.0.0.1")`;

test("a server that ends between its start and preflight is named with how it ended", async () => {
  const targets = await ownServers(ANSWERS_ONCE, ["a", "b"], "/");
  const running = shortRun({ targets, cases: ownCases("/") });
  await expect(running).rejects.toThrow(/died: .*exit code 7/);
});
