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

test.each([
  ["V8's flags", { v8Flags: ["--single-threaded"] }],
  ["V8's inspector", { inspectPort: 9229 }],
])("it has no V8, and refuses %s", async (what, options) => {
  await expect(serve(options)).rejects.toThrow(`Bun is not made of V8 and cannot`);
  await expect(serve(options)).rejects.toThrow(what);
});

describe("where Bun is installed", needs(platform.missing?.() ?? null), () => {
  test("it serves the artifact in production, and says what it is", async () => {
    const host = await serve();
    const identity = await identityOf(host);
    const empty = await fetch(`${host.url}/empty`);
    await host.stop();
    expect(identity).toMatchObject({ app: "bundle", platform: "bun" });
    expect(identity.pins).toMatchObject({
      "nodeEnv.artifact": "production",
      "nodeEnv.runtime": "production",
      artifact: (await readManifest()).digest,
    });
    expect(identity.facts).toMatchObject({
      runtime: `Bun ${pinned["@oven/bun-linux-x64"]}`,
      engine: expect.stringMatching(/^JavaScriptCore [0-9a-f]{40}$/),
      v8: null,
      v8Flags: null,
      workers: "1",
    });
    expect(empty.status).toBe(204);
  });

  testRuntime(server, { program: /\/bin\/bun$/ });
  if (process.platform === "linux") testWorkers(server);
  testEnd(server);
});
