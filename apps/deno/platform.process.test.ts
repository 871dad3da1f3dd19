import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { artifactDirectory, digestOfDirectory, readManifest } from "@evenbench/bundle";
import { type Host, type Identity, INSTANCE_HEADER, parseInstanceHeader } from "@evenbench/core";
import { accountant, claimPort, LOOPBACK } from "@evenbench/host";
import { needs } from "@evenbench/host/services/testing";
import { endParentOf, stillRunning } from "@evenbench/host/testing";
import { underTest } from "@evenbench/host/testing/platform";
import { describe, expect, test, vi } from "vitest";
import { buildDeployable } from "./build.ts";
import platform from "./platform.ts";

const {
  folder,
  deployable: bundle,
  serve,
} = underTest(platform, async (outDirectory) => {
  await buildDeployable({ artifactDirectory, outDirectory });
  await platform.close(outDirectory);
});

async function identityOf({ url }: Host): Promise<Identity> {
  return JSON.parse(await (await fetch(`${url}/identity`)).text());
}

/** Exact versions, the same for all systems. */
const pinned: Record<string, string> = JSON.parse(
  readFileSync(new URL("runtime/package.json", import.meta.url), "utf8"),
).optionalDependencies;

test("it is off unless named", () => {
  expect(platform.offUnlessNamed).toBe(true);
});

test("the deployable holds the artifact byte for byte, and has a size", async () => {
  expect(await digestOfDirectory(join(bundle, "artifact"))).toBe((await readManifest()).digest);
  expect((await platform.size(bundle)).bytes).toBeGreaterThan(0);
});

test("a folder that is no deployable is refused with what to do", async () => {
  await expect(serve({ deployable: folder })).rejects.toThrow(/no server\.mjs in .*npm run build/);
});

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

  test.runIf(process.platform === "linux")("its process is accounted for, and is Deno's own", async () => {
    const host = await serve();
    const [pid = 0] = host.pids();
    expect(readlinkSync(`/proc/${pid}/exe`)).toMatch(/\/deno$/);
    const before = await accountant.read(host.pids());
    await (await fetch(`${host.url}/math`)).text();
    const after = await accountant.read(host.pids());
    await host.stop();
    expect(after?.cpuMs).toBeGreaterThan(before?.cpuMs ?? Number.NaN);
    expect(after?.residentBytes).toBeGreaterThan(0);
  });

  test.runIf(process.platform === "linux")("each worker is an instance of its own", async () => {
    const host = await serve({ workers: 2 });
    expect(host.pids()).toHaveLength(2);
    const instances = new Set<string | undefined>();
    await vi.waitFor(async () => {
      const response = await fetch(`${host.url}/empty`, { headers: { connection: "close" } });
      instances.add(parseInstanceHeader(response.headers.get(INSTANCE_HEADER))?.instanceId);
      expect(instances.size).toBe(2);
    }, 20_000);
    expect((await identityOf(host)).facts.workers).toBe("2");
    await host.stop();
  });

  test("a request that is served when the host is stopped is finished, and no process is left", async () => {
    const artifact = join(folder, "slow-artifact");
    mkdirSync(artifact);
    const slow = `export const createHandler = () => async ({ url }) => {
      if (url.endsWith("/slow")) await new Promise((resolve) => setTimeout(resolve, 300));
      return new Response("done");
    };`;
    writeFileSync(join(artifact, "index.mjs"), slow);
    const deployable = join(folder, "slow");
    await buildDeployable({ artifactDirectory: artifact, outDirectory: deployable });
    const host = await serve({ deployable });
    const pids = host.pids();
    const answer = fetch(`${host.url}/slow`).then((response) => response.text());
    await new Promise((resolve) => setTimeout(resolve, 100));
    const [body] = await Promise.all([answer, host.stop()]);
    expect(body).toBe("done");
    expect(await stillRunning(pids)).toEqual([]);
  });

  test.runIf(process.platform === "linux")("no process is left when the parent is killed", async () => {
    const platformFile = fileURLToPath(new URL("platform.ts", import.meta.url));
    const { below, serving } = await endParentOf(platformFile, bundle, join(folder, "orphan.log"), "SIGKILL");
    expect(serving).toHaveLength(2);
    expect(await stillRunning(below)).toEqual([]);
  });

  test("with a token it serves only who has it", async () => {
    const token = "0123456789abcdef0123456789abcdef";
    const host = await serve({ token });
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${host.url}/empty`, { headers })).status;
    const seen = [await status({}), await status({ authorization: `Bearer ${token}` })];
    await host.stop();
    expect(seen).toEqual([401, 204]);
  });
});
