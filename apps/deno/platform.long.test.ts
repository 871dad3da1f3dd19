import { readFileSync } from "node:fs";
import { readManifest } from "@evenbench/bundle";
import {
  identityOf,
  serverUnderTest,
  testDeployable,
  testEnd,
  testRuntime,
  testWorkers,
} from "@evenbench/bundle/deployable/testing/server";
import { claimPort, LOOPBACK } from "@evenbench/host";
import { needs } from "@evenbench/host/services/testing";
import { describe, expect, test } from "vitest";
import { buildDeployable } from "./build.ts";
import platform from "./platform.ts";

const server = serverUnderTest(import.meta.dirname, platform, buildDeployable);
const { deployable, serve } = server;

/** Exact versions, the same for all systems. */
const pinned: Record<string, string> = JSON.parse(
  readFileSync(new URL("runtime/package.json", import.meta.url), "utf8"),
).optionalDependencies;

test("it is off unless named", () => {
  expect(platform.offUnlessNamed).toBe(true);
});

test("its deployable has a size", async () => {
  expect((await platform.size(deployable)).bytes).toBeGreaterThan(0);
});

testDeployable(server);

describe("where Deno is installed", needs(platform.missing?.() ?? null), () => {
  test("it serves the artifact in production, and says what it is", async () => {
    const host = await serve();
    const identity = await identityOf(host);
    const empty = await fetch(`${host.url}/empty`);
    await host.stop();
    expect(identity).toMatchObject({ app: "bundle", platform: "deno" });
    expect(identity.pins).toMatchObject({
      "nodeEnv.artifact": "production",
      "nodeEnv.runtime": "production",
      artifact: (await readManifest()).digest,
    });
    expect(identity.facts).toMatchObject({
      runtime: `Deno ${pinned["@deno/linux-x64-glibc"]}`,
      v8: expect.stringMatching(/^\d+\.\d+/),
      v8Flags: "none",
      workers: "1",
    });
    expect(empty.status).toBe(204);
  });

  test("it takes V8's flags, and opens V8's inspector", async () => {
    const inspectPort = await claimPort(0);
    const host = await serve({ v8Flags: ["--max-old-space-size=64", "--single-threaded-gc"], inspectPort });
    const { facts } = await identityOf(host);
    const isolates = await (await fetch(`http://${LOOPBACK}:${inspectPort}/json`)).json();
    await host.stop();
    expect(facts.v8Flags).toBe("--max-old-space-size=64 --single-threaded-gc");
    expect(Number(facts.heapLimitBytes)).toBeLessThan(200 * 2 ** 20);
    expect(isolates).toHaveLength(1);
  });

  testRuntime(server, { program: /\/deno$/ });
  if (process.platform === "linux") testWorkers(server);
  testEnd(server);
});
