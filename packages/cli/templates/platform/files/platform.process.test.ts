import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { artifactDirectory, digestOfDirectory, readManifest } from "@evenbench/bundle";
import type { Host, ServeOptions } from "@evenbench/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildDeployable } from "./build.ts";
import platform from "./platform.ts";

const folder = mkdtempSync(join(tmpdir(), "evenbench-template-platform-"));
const deployable = join(folder, "deployable");

const serve = (options: Partial<ServeOptions> = {}) =>
  platform.serve({
    deployable,
    port: 0,
    logFile: join(folder, "host.log"),
    cores: null,
    workers: 1,
    v8Flags: [],
    ...options,
  });

let host: Host;
beforeAll(async () => {
  await buildDeployable({ artifactDirectory, outDirectory: deployable });
  await platform.close(deployable);
  host = await serve();
});
afterAll(async () => {
  await host?.stop();
  rmSync(folder, { recursive: true });
});

test("the deployable holds the artifact byte for byte, and has a size", async () => {
  expect(await digestOfDirectory(join(deployable, "artifact"))).toBe((await readManifest()).digest);
  expect((await platform.size(deployable)).bytes).toBeGreaterThan(0);
});

test("it serves the artifact in production, and says what it is", async () => {
  expect(await (await fetch(`${host.url}/identity`)).json()).toMatchObject({
    app: "bundle",
    platform: "template-platform",
    pins: { "nodeEnv.artifact": "production", "nodeEnv.runtime": "production" },
  });
  expect((await fetch(`${host.url}/empty`)).status).toBe(204);
});

test("a folder that is no deployable is refused with what to do", async () => {
  await expect(serve({ deployable: folder })).rejects.toThrow(/npm run build/);
});

test("with a token it serves only who has it", async () => {
  const token = "0123456789abcdef0123456789abcdef";
  const closed = await serve({ token });
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${closed.url}/empty`, { headers })).status;
  try {
    expect([await status({}), await status({ authorization: `Bearer ${token}` })]).toEqual([401, 204]);
  } finally {
    await closed.stop();
  }
});
