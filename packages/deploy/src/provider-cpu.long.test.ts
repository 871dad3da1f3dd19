// A run of a target that is closed as a deployed one is: the real launcher of Vercel functions on this
// machine, whose process accounts for its own CPU time.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Host } from "@evenbench/core";
import { testFolder } from "@evenbench/host/testing/folder";
import { requestId } from "@evenbench/results";
import { type LocalTarget, listTargets, run, type UrlTarget } from "@evenbench/runner";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveDeployed } from "../test/index.ts";

const TOKEN = "feedfacefeedfacefeedfacefeedface";
const ROUNDS = 12;

const folder = testFolder();
const vercel = (await listTargets()).find(({ name }) => name === "vercel") as LocalTarget;
let host: Host;
beforeAll(async () => {
  ({ host } = await serveDeployed(vercel, folder, TOKEN));
});
afterAll(() => host.stop());

const readLines = async (file: string) =>
  (await readFile(file, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

async function measure(providerCpu: boolean, rounds: number) {
  const target: UrlTarget = { place: "url", name: "closed", app: "bundle", url: host.url, token: TOKEN };
  const cases = { bundle: (await vercel.app.cases()).filter(({ id }) => id === "react-ssr") };
  return run({
    targets: [target],
    cases,
    rounds,
    trials: 2,
    warmUp: 1,
    out: folder,
    ...(providerCpu && { cpu: "provider" }),
  });
}

test("the CPU time of nearly every measured exchange is joined to its sample, and what has none is said", async () => {
  const result = await measure(true, ROUNDS);
  expect(result.run.plan.targets).toMatchObject([
    { name: "closed", place: "url", url: host.url, platform: "vercel" },
    { name: "closed~copy", place: "url", copyOf: "closed" },
  ]);
  const accounts = await readLines(join(result.folder, "provider-cpu.ndjson"));
  const samples = await readLines(join(result.folder, "samples.ndjson"));
  const measured = new Set(
    samples.filter(({ phase }) => phase === "measure").map((sample) => requestId(result.run.id, sample)),
  );
  expect(measured.size).toBe(2 * 2 * ROUNDS);
  // After the last request of each trial comes none of the run's that would take its account.
  expect(accounts.length).toBeGreaterThanOrEqual(measured.size - 2);
  for (const account of accounts) {
    expect(measured).toContain(account.requestId);
    expect(account.requestId).toBe(requestId(result.run.id, account));
  }
  // The kernel may account at its clock ticks alone.
  expect(accounts.reduce((sum, { cpuMs }) => sum + cpuMs, 0)).toBeGreaterThan(0);
  const said = result.run.events.filter(({ kind }) => kind === "provider-cpu").map(({ detail }) => detail);
  expect(said).toHaveLength(2);
  expect(said.join("\n")).toMatch(
    /of 24 measured requests have the CPU time of their platform, by process\.cpuUsage\(\)/,
  );
  expect(await readFile(join(result.folder, "run.json"), "utf8")).not.toContain(TOKEN);
});

test("without being asked for, no request is named and nothing is written", async () => {
  const result = await measure(false, 1);
  expect(result.run.events.filter(({ kind }) => kind === "provider-cpu")).toEqual([]);
  await expect(readFile(join(result.folder, "provider-cpu.ndjson"))).rejects.toThrow("ENOENT");
});
