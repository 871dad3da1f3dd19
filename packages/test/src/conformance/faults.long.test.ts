import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { buildArtifact } from "@evenbench/bundle";
import { bundleBuilder } from "@evenbench/bundle/deployable";
import type { Identity } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import { writeFiles } from "@evenbench/host/testing/folder";
import { describe, expect, test } from "vitest";
import { accountOf, exchange, leaveAtFirstByte } from "./exchange.ts";
import { type BuiltTarget, discoverServing, type ServedTarget, useTargets } from "./targets.ts";

const { platforms } = await discoverServing();

const HANDLERS = {
  works: "() => new Response('works')",
  throws: "() => { throw new Error('thrown on purpose'); }",
  breaks: `() => {
      let pulls = 0;
      return new Response(new ReadableStream({ pull(controller) {
        if (pulls++ === 3) throw new Error("broken on purpose");
        controller.enqueue(new Uint8Array(100));
      } }));
    }`,
  // Polls a global: a Worker may not resolve one request's promise from another request.
  waits: `async () => {
      for (let n = 0; n < 20_000 && !globalThis.released; n++) await new Promise((go) => setTimeout(go, 10));
      return new Response("waited");
    }`,
  releases: "() => { globalThis.released = true; return new Response('released'); }",
  lasts: `() => {
      let chunks = 0;
      return new Response(new ReadableStream({
        async pull(controller) {
          await new Promise((go) => setTimeout(go, 5));
          controller.enqueue(new Uint8Array(10_000));
          if (++chunks === 2000) controller.close();
        },
        cancel() { console.error("the stream's reader is gone"); },
      }));
    }`,
};

/** Cases from these handlers, built for every platform. */
async function deployHandlers(folder: string): Promise<BuiltTarget[]> {
  const sources = Object.entries(HANDLERS).map(([id, handle]) => [
    `${id}/case.ts`,
    `import { defineCase } from "@evenbench/core";
      export default defineCase({ title: "Scratch", description: "For a test.", parameters: {}, golden: null,
        handle: ${handle} });`,
  ]);
  const casesDirectory = writeFiles(join(folder, "cases"), Object.fromEntries(sources));
  // Where the contracts are found.
  await symlink(join(repositoryRoot, "packages/cases/node_modules"), join(casesDirectory, "node_modules"));
  const { artifact, failures, manifest } = await buildArtifact({ casesDirectory, outDirectory: folder });
  expect(failures).toEqual([]);
  const deploy = async (platform: (typeof platforms)[number]): Promise<BuiltTarget> => {
    const deployable = join(folder, "deployables", platform.id);
    await (await bundleBuilder(platform.id))({ artifactDirectory: artifact, outDirectory: deployable });
    return { name: `bundle@${platform.id}`, app: "bundle", platform, deployable, cases: manifest.cases };
  };
  return Promise.all(platforms.map(deploy));
}

const served = useTargets(deployHandlers);

describe.each(platforms.map(({ id }) => id))("on %s", (id) => {
  const target = () => served.find(({ platform }) => platform.id === id) as ServedTarget;
  const get = (path: string) => exchange(target().host.url, path);
  const instance = async () => (JSON.parse((await get("/identity")).body.toString()) as Identity).instance;

  const log = () => readFile(target().logFile, "utf8");
  async function expectServesOn({ id, served: before }: Identity["instance"], requests: number) {
    const account = accountOf(await get("/works"));
    expect(account).toEqual({ instanceId: id, served: before + requests, inFlight: 0 });
  }

  test("a handler that throws is a 500, stands in the log, and the instance serves on", async () => {
    const before = await instance();
    expect(await get("/throws")).toMatchObject({
      status: 500,
      headers: { "content-type": "application/problem+json" },
    });
    await expectServesOn(before, 1);
    await expect.poll(log).toContain("thrown on purpose");
    expect(await log()).toContain(before.id);
  });

  test("a body that breaks in the middle is a broken exchange, and the instance serves on", async () => {
    const before = await instance();
    await expect(get("/breaks")).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    await expectServesOn(before, 1);
  });

  test("a request that waits is in flight to the others until it is answered", async () => {
    const inFlight = async (path: string) => accountOf(await get(path))?.inFlight;
    const waiting = inFlight("/waits");
    await expect.poll(() => inFlight("/works")).toBe(1);
    await get("/releases");
    expect(await waiting).toBe(0);
    expect(await inFlight("/works")).toBe(0);
  });

  test("a client that goes away in the middle of a body ends its stream, and the instance serves on", async () => {
    const before = await instance();
    await leaveAtFirstByte(target().host.url, { path: "/lasts" });
    if (!target().platform.readsAbandonedBodies) {
      await expect.poll(log).toContain("the stream's reader is gone");
    }
    await expectServesOn(before, 1);
  });
});
