import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unrecorded } from "@evenbench/bundle/deployable";
import type { Host } from "@evenbench/core";
import { discoverPlatforms } from "@evenbench/host";
import { preflight } from "@evenbench/probe/preflight";
import { afterAll, beforeAll, expect, test } from "vitest";
import app from "./app.ts";
import { builders } from "./build.ts";

const source = fileURLToPath(new URL(".", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "evenbench-template-app-"));

const hosts = new Map<string, Host>();
beforeAll(async () => {
  for (const platform of await discoverPlatforms()) {
    const deployable = join(folder, platform.id);
    const builder = builders[platform.id];
    if (builder === undefined) continue;
    await builder(source, deployable, unrecorded);
    const logFile = join(folder, `${platform.id}.log`);
    const options = { deployable, logFile, port: 0, cores: null, workers: 1, v8Flags: [] };
    hosts.set(platform.id, await platform.serve(options));
  }
});
afterAll(async () => {
  await Promise.all([...hosts.values()].map((host) => host.stop()));
  rmSync(folder, { recursive: true });
});

test("it does the same work on every platform that it can be built for", async () => {
  expect([...hosts.keys()]).toEqual(Object.keys(builders).sort());
  const targets = [...hosts].map(([name, { url }]) => ({ name, url }));
  const { problems, expectations, identities } = await preflight({ targets, cases: await app.cases() });
  expect(problems).toEqual([]);
  for (const { name } of targets) expect(identities[name]?.platform).toBe(name);
  expect(expectations["template-app-greeting"]).toMatchObject({
    status: 200,
    contentType: "application/json",
  });
  expect(expectations["template-app-page"]).toMatchObject({ status: 200, contentType: "text/html" });
});
