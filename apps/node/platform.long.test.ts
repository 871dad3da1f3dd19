import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  identityOf,
  serverUnderTest,
  testProduction,
  testServer,
} from "@evenbench/bundle/deployable/testing/server";
import { expect, test } from "vitest";
import { buildDeployable } from "./build.ts";
import platform from "./platform.ts";

const server = serverUnderTest(platform, buildDeployable);
const { folder, serve } = server;

testProduction(serve, "node", {
  runtime: `Node.js ${process.versions.node}`,
  v8: process.versions.v8,
  workers: "1",
  v8Flags: "--max-semi-space-size=16",
  adapter: expect.stringMatching(/^srvx \d/),
});

test("a killed worker is replaced at the same address, and the host lives", async () => {
  const host = await serve();
  const before = await identityOf(host);
  const [killed = 0] = host.pids();
  process.kill(killed, "SIGKILL");
  await expect
    .poll(() => host.pids()[0])
    .toSatisfy((pid: number | undefined) => pid !== undefined && pid !== killed);
  const after = await identityOf(host);
  expect(after.instance.id).not.toBe(before.instance.id);
  await host.stop();
  expect(host.pids()).toEqual([]);
});

test("the platform serves any server that listens on HOSTNAME and PORT", async () => {
  // Like the standalone server of a framework.
  const plain = `import { createServer } from "node:http";
    createServer((request, response) => response.end(process.cwd() + " " + process.env.TZ))
      .listen({ port: process.env.PORT, host: process.env.HOSTNAME });`;
  const deployable = join(folder, "plain");
  mkdirSync(deployable);
  writeFileSync(join(deployable, "server.mjs"), plain);
  const host = await serve({ deployable });
  const body = await (await fetch(host.url)).text();
  await host.stop();
  expect(body).toBe(`${deployable} UTC`);
});

testServer(server);
