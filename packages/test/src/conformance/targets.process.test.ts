// Every app on all platforms: what preflight proves of it, and how it answers whatever else it is asked.
import { readdir } from "node:fs/promises";
import { Agent } from "node:http";
import { dirname, join } from "node:path";
import { digestOfDirectory, readManifest } from "@evenbench/bundle";
import { type CaseManifest, findRenderMarker, type Identity } from "@evenbench/core";
import { missingServices, type RunningServices, startServices } from "@evenbench/host/services";
import { needs } from "@evenbench/host/services/testing";
import { preflight } from "@evenbench/probe/preflight";
import { afterAll, describe, expect, test } from "vitest";
import {
  type Answer,
  accountOf,
  type ExchangeOptions,
  exchange,
  leaveAtFirstByte,
  requestOf,
  sendBytes,
} from "./exchange.ts";
import { discoverServing, discoverTargets, type ServedTarget, useTargets } from "./targets.ts";

const targets = await discoverTargets();
const { platforms, missing: missingOfPlatforms } = await discoverServing();
const bundleTargets = targets.filter(({ app }) => app === "bundle");
const needed = targets.flatMap(({ cases }) => cases.flatMap(({ services }) => services));
const missingOfServices = await missingServices(needed);

type Served = readonly ServedTarget[];
const text = ({ body }: Answer) => body.toString();

/** Asks all targets the same, expects the same of all their answers, and gives it. */
async function askAlike<T>(
  served: Served,
  read: (answer: Answer) => T,
  path: string,
  options: ExchangeOptions = {},
): Promise<T> {
  const answers = await Promise.all(served.map(({ host }) => exchange(host.url, path, options)));
  const [first, ...others] = answers.map(read);
  expect(others.length).toBeGreaterThan(0);
  for (const [index, other] of others.entries()) {
    expect(other, served[index + 1]?.name).toEqual(first);
  }
  return first as T;
}

/** A request line as it is written, which clients would change. @returns the status of the answer. */
function sendLine(url: string, line: string): Promise<number | null> {
  return sendBytes(url, Buffer.from(`${line} HTTP/1.1\r\nhost: a.example\r\nconnection: close\r\n\r\n`));
}

/** Expects all targets to refuse a request in equal words, and gives the problem as they describe it. */
async function expectProblem(served: Served, status: number, path: string, options?: ExchangeOptions) {
  const read = (answer: Answer) => [answer.status, answer.headers["content-type"], text(answer)];
  const [actual, type, words] = await askAlike(served, read, path, options);
  expect([actual, type]).toEqual([status, "application/problem+json"]);
  return JSON.parse(`${words}`);
}

test("the bundle has been built for every platform, other apps for several, so that there is something to compare", () => {
  const built = Map.groupBy(targets, ({ app }) => app);
  expect(platforms.length).toBeGreaterThan(1);
  expect(built.get("bundle")?.map(({ platform }) => platform.id)).toEqual(platforms.map(({ id }) => id));
  for (const targetsOfApp of built.values()) {
    expect(targetsOfApp.length).toBeGreaterThan(1);
  }
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

describe.each([...new Set(targets.map(({ app }) => app))])("the app %s", (app) => {
  const ownTargets = targets.filter((target) => target.app === app);
  const cases = (ownTargets[0]?.cases ?? []).filter(
    ({ services }) => !missingOfServices.some(({ id }) => services.includes(id)),
  );
  let services: RunningServices;
  const served = useTargets(
    () => ownTargets,
    async (logFolder) => {
      const ids = cases.flatMap((manifest) => manifest.services);
      services = await startServices(ids, { logFolder, cores: null });
      return { environment: services.environment };
    },
  );
  afterAll(() => services[Symbol.asyncDispose]());

  test("passes preflight on all platforms: equal pins, golden bodies, headers, ways to render and to stream", async () => {
    const addressed = served.map(({ name, host }) => ({ name, url: host.url }));
    const { problems, expectations } = await preflight({ targets: addressed, cases });
    expect(problems).toEqual([]);
    expect(Object.keys(expectations)).toEqual(cases.map(({ id }) => id));
  });

  test("proves its environment, and names its platform and adapter", async () => {
    const answers = await Promise.all(served.map(({ host }) => exchange(host.url, "/identity")));
    const identities: Identity[] = answers.map((answer) => JSON.parse(text(answer)));
    expect(identities.map(({ app, platform }) => `${app}@${platform}`)).toEqual(
      served.map(({ name }) => name),
    );
    for (const { pins } of identities) {
      expect(pins).toMatchObject({ "nodeEnv.artifact": "production", "nodeEnv.runtime": "production" });
    }
    const adapters = identities.flatMap(({ facts }) => facts.adapter ?? []);
    for (const adapter of adapters) {
      expect(adapter).toMatch(/\d+\.\d+\.\d+/);
    }
    if (app !== "bundle") {
      expect(new Set(adapters).size).toBe(served.length);
    }
  });

  test("lists its cases, and an instance outlives clients that leave in the middle of a body", async () => {
    for (const { name, host } of served) {
      const list = await exchange(host.url, "/");
      expect(list.headers["content-type"]).toBe("text/html; charset=utf-8");
      const instance = async () => accountOf(await exchange(host.url, "/empty"))?.instanceId;
      const before = await instance();
      for (const manifest of cases) {
        const { path, sends } = manifest;
        expect(text(list)).toContain(sends === undefined ? `href="${path}"` : `(${sends.method} ${path})`);
        await leaveAtFirstByte(host.url, manifest);
        expect(await instance(), `${path} on ${name}`).toBe(before);
      }
    }
  });

  test("keeps its connection and its instance, and counts what it served", async () => {
    for (const { host } of served) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const sockets = new Set();
      agent.on("free", (socket) => sockets.add(socket));
      const askEmpty = async () => accountOf(await exchange(host.url, "/empty", { agent }));
      const accounts = [await askEmpty(), await askEmpty(), await askEmpty()];
      agent.destroy();
      expect(sockets.size).toBe(1);
      const { instanceId, served: before = Number.NaN, inFlight: left = Number.NaN } = accounts[0] ?? {};
      for (const [n, account] of accounts.entries()) {
        expect(account).toMatchObject({ instanceId, served: before + n });
        // None of these is under way any more. A rendering that a client of an earlier test left may still run; and where
        // a runtime drops it with its client, as workerd does with vinext's, nothing ends its count.
        expect(account?.inFlight).toBeLessThanOrEqual(left);
      }
    }
  });

  test.each([
    ["/payload?bytes=-1", 400],
    ["/payload?octets=1", 400],
    ["/no-such-case", 404],
  ])("refuses %s in equal words", (path, status) => expectProblem(served, status, path));

  if (app === "bundle") {
    testBundle(served, cases);
  } else {
    testPages(served, cases);
  }
});

/** Frameworks answer in words of their own to what is wrong here. */
function testBundle(served: Served, cases: readonly CaseManifest[]): void {
  test.each(cases)(
    "frames $id alike, never encodes it, and HEAD has the headers of GET",
    async (manifest) => {
      const { path, sends } = manifest;
      const names = ["content-type", "cache-control", "content-encoding"];
      const framing = ({ status, headers }: Answer) => [status, ...names.map((name) => headers[name])];
      const lengthOf = ({ headers }: Answer) => headers["content-length"];
      const options = requestOf(manifest, { "accept-encoding": "gzip, br, zstd, deflate" });
      const expected = await askAlike(served, framing, path, options);
      const length = await askAlike(served, lengthOf, path, options);
      expect(expected.at(-1)).toBeUndefined();
      if (sends !== undefined) {
        // What has a body has no HEAD, and is not to be read by a link.
        const { headers } = await exchange(served[0]?.host.url ?? "", path);
        expect(headers.allow).toBe(sends.method);
        await expectProblem(served, 405, path);
        return;
      }
      for (const { name, host, platform } of served) {
        const head = await exchange(host.url, path, { method: "HEAD" });
        expect([...framing(head), head.body.byteLength], name).toEqual([...expected, 0]);
        const saysEmpty = platform.headSaysEmpty && length === undefined && head.status !== 204;
        expect(lengthOf(head), name).toBe(saysEmpty ? "0" : length);
      }
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

function testPages(served: Served, cases: readonly CaseManifest[]): void {
  const pages = cases.filter(({ page }) => page !== null);

  test.each(pages)("$path is rendered in production, by an instance that counts", async ({ path }) => {
    for (const { host } of served) {
      const bodies = [await exchange(host.url, path), await exchange(host.url, path)].map(text);
      for (const body of bodies) {
        expect(body).toContain("built for production, running in production");
      }
      const [first, second] = bodies.map(findRenderMarker);
      expect(second).toMatchObject({ instanceId: first?.instanceId, served: (first?.served ?? 0) + 1 });
    }
  });

  test.each(pages.slice(0, 1))(
    "the scripts of $path are served as files on all platforms",
    async ({ path }) => {
      for (const { host } of served) {
        const body = text(await exchange(host.url, path));
        const script = /"(\.?\/_[^"]+\.js)"/.exec(body)?.[1];
        // A framework may have nothing to run in the browser.
        if (script === undefined) {
          expect(body).not.toMatch(/<script[^>]* src=|\bimport\(/);
          continue;
        }
        const file = await exchange(host.url, new URL(script, `${host.url}/`).pathname);
        expect([file.status, file.headers["content-type"]]).toEqual([
          200,
          expect.stringMatching(/^(text|application)\/javascript/),
        ]);
        expect(file.body.byteLength).toBeGreaterThan(0);
      }
    },
  );
}
