// Platforms that are a runtime of their own, installed only where somebody asks for it: apps/<id>/runtime pins it.
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { bundleBuilder } from "@evenbench/bundle/deployable";
import {
  identityOf,
  serverUnderTest,
  testProduction,
  testServer,
} from "@evenbench/bundle/deployable/testing/server";
import { accountant, claimPort, discoverPlatforms, LOOPBACK, repositoryRoot } from "@evenbench/host";
import { needs } from "@evenbench/host/services/testing";
import { describe, expect, test } from "vitest";

const folderOf = (id: string) => join(repositoryRoot, "apps", id);
const all = await discoverPlatforms();
const platforms = all.filter(({ id }) => existsSync(join(folderOf(id), "runtime")));

test("platforms that pin a runtime of their own are off unless named, and no others", () => {
  expect(all.filter(({ offUnlessNamed }) => offUnlessNamed)).toEqual(platforms);
});

for (const platform of platforms) {
  const { id, title } = platform;
  const buildDeployable = await bundleBuilder(id);
  describe(title, () => {
    const server = serverUnderTest(platform, buildDeployable);
    const { deployable, serve } = server;

    test("its deployable has a size", async () => {
      expect((await platform.size(deployable)).bytes).toBeGreaterThan(0);
    });

    describe("where it is installed", needs(platform.missing?.() ?? null), () => {
      const manifest = readFileSync(join(folderOf(id), "runtime/package.json"), "utf8");
      const [pinned] = Object.values(JSON.parse(manifest).optionalDependencies);
      testProduction(serve, id, { runtime: `${title} ${pinned}`, workers: "1" });

      test("it takes V8's flags and opens V8's inspector, or is not made of V8 and refuses both", async () => {
        const host = await serve();
        const { facts } = await identityOf(host);
        await host.stop();
        const v8Flags = ["--max-old-space-size=64", "--single-threaded-gc"];
        const inspectPort = await claimPort(0);
        if (facts.v8 === null) {
          expect([facts.v8Flags, facts.engine]).toEqual([null, expect.stringMatching(/^\w+ [0-9a-f]{40}$/)]);
          await expect(serve({ v8Flags })).rejects.toThrow("is not built on V8");
          await expect(serve({ inspectPort })).rejects.toThrow("is not built on V8");
          return;
        }
        expect([facts.v8Flags, facts.v8]).toEqual(["none", expect.stringMatching(/^\d+\.\d+/)]);
        const inspected = await serve({ v8Flags, inspectPort });
        const { facts: inspectedFacts } = await identityOf(inspected);
        const isolates = await (await fetch(`http://${LOOPBACK}:${inspectPort}/json`)).json();
        await inspected.stop();
        expect(inspectedFacts.v8Flags).toBe(v8Flags.join(" "));
        expect(Number(inspectedFacts.heapLimitBytes)).toBeLessThan(200 * 2 ** 20);
        expect(isolates).toHaveLength(1);
      });

      test.runIf(process.platform === "linux")(
        "its process is the runtime's own, and accounted for",
        async () => {
          const host = await serve();
          const [pid = 0] = host.pids();
          expect(readlinkSync(`/proc/${pid}/exe`)).toContain(join(folderOf(id), "runtime"));
          const before = await accountant.read(host.pids());
          await (await fetch(`${host.url}/math`)).text();
          const after = await accountant.read(host.pids());
          await host.stop();
          expect(after?.cpuMs).toBeGreaterThanOrEqual(before?.cpuMs ?? Number.NaN);
          expect(after?.residentBytes).toBeGreaterThan(0);
        },
      );

      testServer(server);
    });
  });
}
