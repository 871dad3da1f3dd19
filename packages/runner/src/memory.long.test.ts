import { createHash } from "node:crypto";
import type { Expectation } from "@evenbench/probe";
import type { MemoryReading } from "@evenbench/results";
import { memoryTrends } from "@evenbench/stats";
import { expect, test } from "vitest";
import { platformApp } from "../test/platform-app.ts";
import { eventsOf, ownCases, shortRuns } from "../test/short-run.ts";
import { readMemory } from "./memory.ts";
import type { LocalTarget } from "./options.ts";

const { folder, shortRun } = shortRuns();
const KEPT_BYTES = 40_000;

test("what each request keeps is found, of each platform, in the heap or beside it; a server without an inspector stops no other", async () => {
  const targets = [
    await platformApp(folder(), "node", {
      atStart: 'process.getBuiltinModule("node:inspector").close()',
    }),
    await platformApp(folder(), "cloudflare", {
      atStart: "const kept = []",
      inRequest: `kept.push(new Uint8Array(${KEPT_BYTES}).fill(1))`,
    }),
    await platformApp(folder(), "vercel", {}),
  ];
  const result = await shortRun({ targets, cases: ownCases("/"), memory: true, trials: 1 });
  expect(eventsOf(result, "memory-failed").map(({ target }) => target)).toEqual(["node"]);
  const trends = memoryTrends(result.run.memory ?? []);
  const verdictOf = (target: string, kind: string) =>
    trends.find((trend) => trend.target === target && trend.kind === kind);
  expect(verdictOf("cloudflare", "bufferBytes")).toMatchObject({ verdict: "grows" });
  const slope = verdictOf("cloudflare", "bufferBytes")?.slope?.estimate ?? 0;
  expect(Math.abs(slope / KEPT_BYTES - 1)).toBeLessThan(0.05);
  for (const target of ["cloudflare", "vercel"]) {
    expect(verdictOf(target, "heapBytes")?.verdict).not.toBe("grows");
    expect(
      result.run.memory?.filter((reading) => reading.target === target)[0]?.requests,
    ).toBeGreaterThanOrEqual(201);
  }
});

const OK: Expectation = {
  status: 200,
  contentType: "text/plain",
  bytes: 2,
  sha256: createHash("sha256").update("ok").digest("hex"),
  masks: [],
  isPage: false,
  variation: null,
};
/** Numbers that each request keeps: few enough for all that nine blocks send. */
const KEPT_NUMBERS = 2000;

/** Reads the memory of a target. @returns the readings, and why there are no more. */
async function read(target: LocalTarget, path: string, connections: number, exchangeTimeoutMs = 30_000) {
  const signal = new AbortController().signal;
  const instanceSettings = { workers: 1, cores: null, logFolder: folder(), exchangeTimeoutMs };
  const readings: MemoryReading[] = [];
  const order = { name: target.name, target, request: { path, expected: OK }, connections };
  const failure = await readMemory(order, { instanceSettings, signal }, (reading) =>
    readings.push({ caseId: "case", target: target.name, ...reading }),
  );
  return { readings, failure };
}

/** Reads the memory of a target, and gives the bytes that each request adds to its heap and beside it. */
async function growth(target: LocalTarget, path: string, connections: number) {
  const { readings, failure } = await read(target, path, connections);
  expect(failure).toBeNull();
  const trends = memoryTrends(readings);
  return (kind: string) => trends.find((trend) => trend.kind === kind);
}

test.each(["cloudflare", "node", "vercel"])(
  "what requests keep on %s is found in the heap under several at a time, too",
  async (id) => {
    const target = await platformApp(folder(), id, {
      atStart: "const kept = []",
      inRequest: `kept.push(Array.from({ length: ${KEPT_NUMBERS} }, Math.random))`,
    });
    const trendOf = await growth(target, "/", 8);
    // A list of numbers with fractions takes 8 bytes for each.
    const slope = trendOf("heapBytes")?.slope?.estimate ?? 0;
    expect(Math.abs(slope / (8 * KEPT_NUMBERS) - 1)).toBeLessThan(0.05);
  },
);

test("what is kept by path grows with a path that counts up, and with no other", async () => {
  const target = await platformApp(folder(), "node", {
    atStart: "const kept = new Map()",
    inRequest: `kept.set(_.url, new Uint8Array(${KEPT_BYTES}))`,
  });
  const counted = await growth(target, "/item/%7Bn%7D", 1);
  expect(Math.abs((counted("bufferBytes")?.slope?.estimate ?? 0) / KEPT_BYTES - 1)).toBeLessThan(0.05);
  const alike = await growth(target, "/item", 1);
  expect(alike("bufferBytes")?.verdict).toBe("flat");
});

test("a server that ends meanwhile is said with its log, which has how it ended", async () => {
  const target = await platformApp(folder(), "node", {
    atStart: "let count = 0",
    inRequest: 'if (++count === 250) { console.error("no memory left"); process.exit(3); }',
  });
  const { readings, failure } = await read(target, "/", 1, 2000);
  expect(readings).toHaveLength(1);
  expect(failure).toMatchObject({
    message: expect.stringMatching(/^node: its memory was not read\. Its process \(\d+\) ended by itself/),
    quotes: [expect.stringMatching(/no memory left[\s\S]*worker \d+ ended \(exit code 3\)/)],
  });
});
