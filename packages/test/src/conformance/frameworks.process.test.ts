import { findRenderMarker, type Identity } from "@evenbench/core";
import { preflight } from "@evenbench/probe/preflight";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountOf, exchange, leaveAtFirstByte } from "./exchange.ts";
import { scratchFolder } from "./scratch.ts";
import { discoverTargets, type ServedTarget, serveTargets, stopTargets } from "./targets.ts";

const targets = (await discoverTargets()).filter(({ app }) => app !== "bundle");
const apps = [...new Set(targets.map(({ app }) => app))];

describe.each(apps)("the app %s", (app) => {
  const cases = targets.find((target) => target.app === app)?.cases ?? [];
  const pages = cases.filter(({ page }) => page !== null);
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let served: ServedTarget[];
  beforeAll(async () => {
    scratch = await scratchFolder();
    served = await serveTargets(
      targets.filter((target) => target.app === app),
      scratch.path,
    );
  });
  afterAll(async () => {
    await stopTargets(served);
    await scratch[Symbol.asyncDispose]();
  });

  async function everywhere<T>(of: (target: ServedTarget) => Promise<T>): Promise<T[]> {
    return Promise.all(served.map(of));
  }
  const allEqual = (values: readonly unknown[]) => {
    expect(values.length).toBeGreaterThan(1);
    for (const value of values) expect(value).toEqual(values[0]);
  };

  test("passes preflight on all platforms: equal pins, bodies, cache headers, ways to render and to stream", async () => {
    const addressed = served.map(({ name, host }) => ({ name, url: host.url }));
    const { problems, expectations } = await preflight({ targets: addressed, cases });
    expect(problems).toEqual([]);
    expect(Object.keys(expectations)).toEqual(cases.map(({ id }) => id));
  });

  test("proves its environment and names its versions, the same on all platforms but for the adapter", async () => {
    const identities = await everywhere(
      async ({ host }): Promise<Identity> =>
        JSON.parse((await exchange(host.url, "/identity")).body.toString()),
    );
    for (const identity of identities) {
      expect(identity.app).toBe(app);
      expect(identity.pins).toMatchObject({
        "nodeEnv.artifact": "production",
        "nodeEnv.runtime": "production",
      });
    }
    allEqual(identities.map(({ pins }) => pins));
    const adapters = identities.map(({ facts }) => facts.adapter);
    expect(new Set(adapters).size).toBe(served.length);
    for (const adapter of adapters) expect(adapter).toMatch(/\d+\.\d+\.\d+/);
  });

  test.each(pages.map(({ path }) => path))(
    "%s is rendered in production, by an instance that counts",
    async (path) => {
      for (const { host } of served) {
        const bodies = [await exchange(host.url, path), await exchange(host.url, path)].map(({ body }) =>
          body.toString(),
        );
        for (const body of bodies) expect(body).toContain("built for production, running in production");
        const [first, second] = bodies.map((body) => findRenderMarker(body));
        expect(second).toMatchObject({ instanceId: first?.instanceId, served: (first?.served ?? 0) + 1 });
        expect(second?.renderId).not.toBe(first?.renderId);
      }
    },
  );

  test("lists its cases, refuses parameters and unknown paths in equal words", async () => {
    const lists = await everywhere(async ({ host }) => (await exchange(host.url, "/")).body.toString());
    for (const list of lists) for (const { path } of cases) expect(list).toContain(`href="${path}"`);
    for (const [path, status] of [
      ["/payload?bytes=-1", 400],
      ["/payload?octets=1", 400],
      ["/no-such-case", 404],
    ] as const) {
      const answers = await everywhere(async ({ host }) => {
        const answer = await exchange(host.url, path);
        return [answer.status, answer.headers["content-type"], answer.body.toString()];
      });
      expect(answers[0]).toMatchObject([status, "application/problem+json", expect.any(String)]);
      allEqual(answers);
    }
  });

  test.each(pages.slice(0, 1))("the scripts of $path are served as files on all platforms", async (page) => {
    const found = await everywhere(async ({ host }) => {
      const body = (await exchange(host.url, page.path)).body.toString();
      const script = /"(\.?\/_[^"]+\.js)"/.exec(body)?.[1];
      // A framework may have nothing to run in the browser.
      if (script === undefined) return /<script[^>]* src=|\bimport\(/.test(body) ? body : "no scripts";
      const path = new URL(script, host.url).pathname;
      const { status, headers, body: code } = await exchange(host.url, path);
      expect(code.byteLength).toBeGreaterThan(0);
      return `${status} ${headers["content-type"]?.split(";")[0]?.replace("application/", "text/")}`;
    });
    for (const answer of found) expect(["no scripts", "200 text/javascript"]).toContain(answer);
    allEqual(found);
  });

  test("an instance outlives clients that leave in the middle of a page", async () => {
    for (const { host } of served) {
      const instance = async () => accountOf(await exchange(host.url, "/empty"))?.instanceId;
      const before = await instance();
      await Promise.all(pages.map(({ path }) => leaveAtFirstByte(host.url, path)));
      expect(await instance()).toBe(before);
    }
  });
});
