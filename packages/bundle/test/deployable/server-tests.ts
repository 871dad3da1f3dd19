import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Host,
  type Identity,
  INSTANCE_HEADER,
  type Platform,
  parseInstanceHeader,
} from "@evenbench/core";
import { stillRunning } from "@evenbench/host/testing";
import { type PlatformUnderTest, underTest } from "@evenbench/host/testing/platform";
import { expect, test, vi } from "vitest";
import type { BundleBuilder } from "../../src/deployable/index.ts";
import { artifactDirectory, readManifest } from "../../src/index.ts";

/** A platform of a JavaScript runtime, with what builds its deployables. */
export interface ServerUnderTest extends PlatformUnderTest {
  readonly buildDeployable: BundleBuilder;
}

/** Builds the artifact's deployable for a platform, and closes it, before the first test of a file. */
export function serverUnderTest(
  platform: Pick<Platform, "serve" | "close">,
  buildDeployable: BundleBuilder,
): ServerUnderTest {
  const tested = underTest(platform, async (outDirectory) => {
    await buildDeployable({ artifactDirectory, outDirectory });
    await platform.close(outDirectory);
  });
  return { ...tested, buildDeployable };
}

export async function identityOf({ url }: Host): Promise<Identity> {
  return JSON.parse(await (await fetch(`${url}/identity`)).text());
}

export function testProduction(
  serve: PlatformUnderTest["serve"],
  platform: string,
  /** Or matchers. */
  facts: Readonly<Record<string, unknown>>,
): void {
  test("it serves the artifact in production, with the settings that it was given", async () => {
    const flag = typeof facts.v8Flags === "string" ? facts.v8Flags : null;
    const host = await serve({ v8Flags: flag === null ? [] : [flag] });
    const identity = await identityOf(host);
    const empty = await fetch(`${host.url}/empty`);
    await host.stop();
    expect(identity).toMatchObject({ app: "bundle", platform });
    expect(identity.pins).toMatchObject({
      "nodeEnv.artifact": "production",
      "nodeEnv.runtime": "production",
      artifact: (await readManifest()).digest,
    });
    // A platform may have flags of its own beside the one that it is given.
    const v8Flags = flag === null ? {} : { v8Flags: expect.stringContaining(flag) };
    expect(identity.facts).toMatchObject({ ...facts, ...v8Flags });
    expect(empty.status).toBe(204);
  });
}

/** How a host of a server starts and ends. */
export function testServer({ folder, serve, buildDeployable }: ServerUnderTest): void {
  test("a folder that is no deployable is refused with what to do", async () => {
    await expect(serve({ deployable: folder })).rejects.toThrow(/no server\.mjs in .*npm run build/);
  });

  test("a request that is served when the host is stopped is finished, and no process is left", async () => {
    const artifact = join(folder, "slow-artifact");
    mkdirSync(artifact);
    const slow = `export const createHandler = () => async ({ url }) => {
      const say = (stream, words) => stream.enqueue(new TextEncoder().encode(words));
      return new Response(url.endsWith("/slow") ? new ReadableStream({ async start(stream) {
        say(stream, "begun, ");
        await new Promise((resolve) => setTimeout(resolve, 300));
        say(stream, "done");
        stream.close();
      } }) : "done");
    };`;
    writeFileSync(join(artifact, "index.mjs"), slow);
    const deployable = join(folder, "slow");
    await buildDeployable({ artifactDirectory: artifact, outDirectory: deployable });
    const host = await serve({ deployable });
    const pids = host.pids();
    const answer = await fetch(`${host.url}/slow`);
    const [body] = await Promise.all([answer.text(), host.stop()]);
    expect(body).toBe("begun, done");
    expect(await stillRunning(pids)).toEqual([]);
  });

  test.runIf(process.platform === "linux")("each worker is an instance of its own", async () => {
    const host = await serve({ workers: 2 });
    expect(host.pids()).toHaveLength(2);
    const instances = new Set<string | undefined>();
    await vi.waitFor(async () => {
      const response = await fetch(`${host.url}/empty`, { headers: { connection: "close" } });
      instances.add(parseInstanceHeader(response.headers.get(INSTANCE_HEADER))?.instanceId);
      expect(instances.size).toBe(2);
    }, 60_000);
    expect((await identityOf(host)).facts.workers).toBe("2");
    await host.stop();
  });
}
