import { OWN_SERVER_APP } from "@evenbench/core";
import { memoryTrends } from "@evenbench/stats";
import { expect, test } from "vitest";
import { platformApp } from "../test/platform-app.ts";
import { eventsOf, shortRuns } from "../test/short-run.ts";
import { ownServerCase } from "./targets.ts";

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
  const record = { method: "GET", headers: [], body: null };
  const cases = { [OWN_SERVER_APP]: [ownServerCase({ path: "/", name: null }, [], record, [])] };
  const result = await shortRun({ targets, cases, memory: true, trials: 1 });
  expect(eventsOf(result, "memory-failed").map(({ target }) => target)).toEqual(["node"]);
  const trends = memoryTrends(result.run.memory ?? []);
  const verdictOf = (target: string, kind: string) =>
    trends.find((trend) => trend.target === target && trend.kind === kind);
  expect(verdictOf("cloudflare", "bufferBytes")).toMatchObject({ verdict: "grows" });
  const slope = verdictOf("cloudflare", "bufferBytes")?.slope?.estimate ?? 0;
  expect(Math.abs(slope / KEPT_BYTES - 1)).toBeLessThan(0.05);
  for (const target of ["cloudflare", "vercel"]) {
    expect(verdictOf(target, "heapBytes")?.verdict).not.toBe("grows");
    expect(result.run.memory?.filter((reading) => reading.target === target)[0]?.requests).toBe(201);
  }
}, 120_000);
