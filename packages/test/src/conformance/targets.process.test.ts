// The bundle on all platforms: what every app has to do, and how it answers whatever else it is asked.
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { digestOfDirectory, readManifest } from "@evenbench/bundle";
import type { CaseManifest } from "@evenbench/core";
import { needs } from "@evenbench/host/services/testing";
import { expect, test } from "vitest";
import { askAlike, expectProblem, missingOfServices, type Served, targets, testApp } from "./apps.ts";
import { type Answer, exchange, requestOf, sendBytes } from "./exchange.ts";
import { discoverServing } from "./targets.ts";

const { platforms, missing: missingOfPlatforms } = await discoverServing();
const bundleTargets = targets.filter(({ app }) => app === "bundle");

test("the bundle has been built for every platform, so that there is something to compare", () => {
  expect(platforms.length).toBeGreaterThan(1);
  expect(bundleTargets.map(({ platform }) => platform.id)).toEqual(platforms.map(({ id }) => id));
});

for (const { id, what } of missingOfPlatforms) {
  test(`${id} takes part in all of this`, needs(what), () => {
    expect(bundleTargets.map(({ platform }) => platform.id)).toContain(id);
  });
}

for (const { id, missing } of missingOfServices) {
  test(`cases that talk to ${id} take part in all of this`, needs(missing), () => {
    expect(missing).toBeNull();
  });
}

testApp("bundle", testBundle);

/** A request line as it is written, which clients would change. @returns the status of the answer. */
function sendLine(url: string, line: string): Promise<number | null> {
  return sendBytes(url, Buffer.from(`${line} HTTP/1.1\r\nhost: a.example\r\nconnection: close\r\n\r\n`));
}

function testBundle(served: Served, cases: readonly CaseManifest[]): void {
  test.each(cases)(
    "frames $id alike, never encodes it, and HEAD has the headers of GET",
    async (manifest) => {
      const { path, sends } = manifest;
      const names = ["content-type", "cache-control", "content-encoding"];
      const framing = ({ status, headers }: Answer) => [status, ...names.map((name) => headers[name])];
      const lengthOf = ({ headers }: Answer) => headers["content-length"];
      const options = requestOf(manifest, { "accept-encoding": "gzip, br, zstd, deflate" });
      const both = (answer: Answer) => [framing(answer), lengthOf(answer)] as const;
      const [expected, length] = await askAlike(served, both, path, options);
      expect(expected.at(-1)).toBeUndefined();
      if (sends !== undefined) {
        // What has a body has no HEAD, and is not to be read by a link.
        const { headers } = await exchange(served[0]?.host.url ?? "", path);
        expect(headers.allow).toBe(sends.method);
        await expectProblem(served, 405, path);
        return;
      }
      const checkHead = async ({ name, host, platform }: Served[number]) => {
        const head = await exchange(host.url, path, { method: "HEAD" });
        expect([...framing(head), head.body.byteLength], name).toEqual([...expected, 0]);
        const saysEmpty = platform.headSaysEmpty && length === undefined && head.status !== 204;
        expect(lengthOf(head), name).toBe(saysEmpty ? "0" : length);
      };
      await Promise.all(served.map(checkHead));
    },
  );

  test.each(["", "x", "1.5", "0x1", "1e3", "%00", "%zz", "1&bytes=1", "9".repeat(40)])(
    "refuses ?bytes=%s in equal words, with the bounds",
    async (value) => {
      const problem = await expectProblem(served, 400, `/payload?bytes=${value}`);
      const bounds = expect.stringMatching(/^an integer from 0 to/);
      expect(problem).toMatchObject({ parameter: "bytes", detail: expect.stringContaining("bytes"), bounds });
    },
  );

  test.each(["/empty/", "/EMPTY", "/%00", "/favicon.ico"])(
    "answers %s with a 404 that lists the cases, in equal words",
    async (path) => {
      const listed = bundleTargets[0]?.cases.map(({ id }) => id);
      expect((await expectProblem(served, 404, path)).cases).toEqual(listed);
    },
  );

  test.each([
    ["GET //", 404],
    ["GET //math", 404],
    ["GET //math/trig", 404],
    ["GET ///trig", 404],
    ["GET /math//trig", 404],
    ["GET /%2Ftrig", 404],
    ["GET /trig%2F", 404],
    ["GET /tri%67", 404],
    ["GET http://a.example/trig", 200],
    ["GET http://a.example//trig", 404],
    ["GET *", 404],
    ["OPTIONS *", 405],
  ])("answers the request line %s with HTTP %i", async (line, status) => {
    for (const { name, host } of served) {
      expect(await sendLine(host.url, line), name).toBe(status);
    }
  });

  test.each(["/./trig", "/x/../trig", "/%2e%2e/trig"])(
    "resolves the dots of %s, where the platform does not say otherwise",
    async (path) => {
      for (const { name, host, platform } of served) {
        const status = platform.keepsDotSegments ? 404 : 200;
        expect(await sendLine(host.url, `GET ${path}`), name).toBe(status);
      }
    },
  );

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("refuses %s in equal words", async (method) => {
    expect(await askAlike(served, ({ headers }) => headers.allow, "/empty", { method })).toBe("GET, HEAD");
    await expectProblem(served, 405, "/empty", { method });
  });

  test.each(bundleTargets)("the deployable of $name holds the artifact byte for byte", async (target) => {
    const files = await readdir(target.deployable, { recursive: true });
    // A function of the Build Output API lies some folders deep: wherever the digest's file is, the artifact is.
    const copies = files.filter((file) => file.endsWith("digest.mjs")).map(dirname);
    const digests = copies.map((folder) => digestOfDirectory(join(target.deployable, folder)));
    expect(await Promise.all(digests)).toEqual([(await readManifest()).digest]);
  });
}
