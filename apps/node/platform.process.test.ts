import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { artifactDirectory, digestOfDirectory, readManifest } from "@evenbench/bundle";
import { type Identity, INSTANCE_HEADER, parseInstanceHeader } from "@evenbench/core";
import { endParentOf, stillRunning } from "@evenbench/host/testing";
import { underTest } from "@evenbench/host/testing/platform";
import { expect, test, vi } from "vitest";
import { buildDeployable } from "./build.ts";
import platform from "./platform.ts";

const {
  folder,
  deployable: bundle,
  serve,
  lastLog,
} = underTest(platform, (outDirectory) => buildDeployable({ artifactDirectory, outDirectory }));

/** A deployable that is not ours, like the standalone server of a framework. */
function deployableOf(name: string, server: string): string {
  const deployable = join(folder, name);
  mkdirSync(deployable, { recursive: true });
  writeFileSync(join(deployable, "server.mjs"), server);
  return deployable;
}

async function identityOf(url: string): Promise<Identity> {
  return JSON.parse(await (await fetch(`${url}/identity`)).text());
}

test("the deployable holds the artifact byte for byte", async () => {
  expect(await digestOfDirectory(join(bundle, "artifact"))).toBe((await readManifest()).digest);
  expect(readFileSync(join(bundle, "artifact/digest.mjs"))).toEqual(
    readFileSync(join(artifactDirectory, "digest.mjs")),
  );
});

test("it serves the artifact in production, with the settings that it was given", async () => {
  const host = await serve({ v8Flags: ["--max-semi-space-size=16"] });
  const identity = await identityOf(host.url);
  const empty = await fetch(`${host.url}/empty`);
  await host.stop();
  expect(identity).toMatchObject({ app: "bundle", platform: "node" });
  expect(identity.pins).toMatchObject({
    "nodeEnv.artifact": "production",
    "nodeEnv.runtime": "production",
    artifact: (await readManifest()).digest,
  });
  expect(identity.facts).toMatchObject({
    runtime: `Node.js ${process.versions.node}`,
    v8: process.versions.v8,
    workers: "1",
    v8Flags: "--max-semi-space-size=16",
  });
  expect(identity.facts.adapter).toMatch(/^srvx \d/);
  expect(empty.status).toBe(204);
});

test("each worker is an instance of its own", async () => {
  const host = await serve({ workers: 2 });
  expect(host.pids()).toHaveLength(2);
  const instances = new Set<string | null>();
  for (let attempt = 0; attempt < 20; attempt++) {
    const response = await fetch(`${host.url}/empty`, { headers: { connection: "close" } });
    instances.add(parseInstanceHeader(response.headers.get(INSTANCE_HEADER))?.instanceId ?? null);
  }
  await host.stop();
  expect(instances.size).toBe(2);
});

test("a killed worker is replaced at the same address, and the host lives", async () => {
  const host = await serve();
  const before = await identityOf(host.url);
  const [killed = 0] = host.pids();
  process.kill(killed, "SIGKILL");
  await vi.waitFor(
    () => expect(host.pids()[0]).toSatisfy((pid) => pid !== undefined && pid !== killed),
    20_000,
  );
  const after = await identityOf(host.url);
  expect(after.instance.id).not.toBe(before.instance.id);
  await host.stop();
  expect(host.pids()).toEqual([]);
});

test("a worker that serves a request when the host is stopped finishes it", async () => {
  const artifact = join(folder, "slow-artifact");
  mkdirSync(artifact);
  writeFileSync(
    join(artifact, "index.mjs"),
    `export const createHandler = () => async ({ url }) => {
       if (url.endsWith("/slow")) await new Promise((resolve) => setTimeout(resolve, 300));
       return new Response("done");
     };`,
  );
  const deployable = join(folder, "slow");
  await buildDeployable({ artifactDirectory: artifact, outDirectory: deployable });
  const host = await serve({ deployable });
  const pids = host.pids();
  const slow = fetch(`${host.url}/slow`).then((response) => response.text());
  await new Promise((resolve) => setTimeout(resolve, 100));
  const [body] = await Promise.all([slow, host.stop()]);
  expect(body).toBe("done");
  expect(await stillRunning(pids)).toEqual([]);
});

test("it serves any server that listens on HOSTNAME and PORT", async () => {
  const deployable = deployableOf(
    "plain",
    `import { createServer } from "node:http";
     createServer((request, response) => response.end(process.cwd() + " " + process.env.TZ))
       .listen({ port: process.env.PORT, host: process.env.HOSTNAME });`,
  );
  const host = await serve({ deployable });
  const body = await (await fetch(host.url)).text();
  await host.stop();
  expect(body).toBe(`${deployable} UTC`);
});

test("a server that cannot start is given up soon, with its own words", async () => {
  const deployable = deployableOf("broken", `throw new Error("broken on purpose");`);
  await expect(serve({ deployable })).rejects.toThrow(/ended with exit code 1.*giving up/s);
  expect(readFileSync(lastLog(), "utf8").match(/^Error: broken on purpose/gm)).toHaveLength(3);
});

test("a folder that is no deployable is refused with what to do", async () => {
  await expect(serve({ deployable: folder })).rejects.toThrow(/no server\.mjs in .*npm run build/);
});

test("no process is left when the parent is killed", async () => {
  const platformFile = fileURLToPath(new URL("platform.ts", import.meta.url));
  const { below, serving } = await endParentOf(platformFile, bundle, join(folder, "orphan.log"), "SIGKILL");
  expect(serving).toHaveLength(2);
  // Supervisor, primary, two workers.
  expect(below.length).toBeGreaterThanOrEqual(4);
  expect(await stillRunning(below)).toEqual([]);
});
