import { findRenderMarker, type Identity } from "@evenbench/core";
import { preflight } from "@evenbench/probe/preflight";
import { describe, expect, test } from "vitest";
import { accountOf, exchange, leaveAtFirstByte } from "./exchange.ts";
import { discoverTargets, useTargets } from "./targets.ts";

const targets = (await discoverTargets()).filter(({ app }) => app !== "bundle");
const apps = [...new Set(targets.map(({ app }) => app))];

describe.each(apps)("the app %s", (app) => {
  const ownTargets = targets.filter((target) => target.app === app);
  const cases = ownTargets[0]?.cases ?? [];
  const pages = cases.filter(({ page }) => page !== null);
  const served = useTargets(() => ownTargets);

  const bodyOf = async (url: string, path: string) => (await exchange(url, path)).body.toString();
  /** The same on each platform. */
  async function expectEqual<T>(of: (url: string) => Promise<T>): Promise<T> {
    const [first, ...others] = await Promise.all(served.map(({ host }) => of(host.url)));
    expect(others.length).toBeGreaterThan(0);
    for (const other of others) expect(other).toEqual(first);
    return first as T;
  }

  test("passes preflight on all platforms: equal pins, bodies, cache headers, ways to render and to stream", async () => {
    const addressed = served.map(({ name, host }) => ({ name, url: host.url }));
    const { problems, expectations } = await preflight({ targets: addressed, cases });
    expect(problems).toEqual([]);
    expect(Object.keys(expectations)).toEqual(cases.map(({ id }) => id));
  });

  test("proves its environment and names its versions, the same on all platforms but for the adapter", async () => {
    const adapters = new Set<string | null | undefined>();
    const pins = await expectEqual(async (url) => {
      const identity: Identity = JSON.parse(await bodyOf(url, "/identity"));
      expect(identity.app).toBe(app);
      expect(identity.facts.adapter).toMatch(/\d+\.\d+\.\d+/);
      adapters.add(identity.facts.adapter);
      return identity.pins;
    });
    expect(pins).toMatchObject({ "nodeEnv.artifact": "production", "nodeEnv.runtime": "production" });
    expect(adapters.size).toBe(served.length);
  });

  test.each(pages)("$path is rendered in production, by an instance that counts", async ({ path }) => {
    for (const { host } of served) {
      const bodies = [await bodyOf(host.url, path), await bodyOf(host.url, path)];
      for (const body of bodies) expect(body).toContain("built for production, running in production");
      const [first, second] = bodies.map(findRenderMarker);
      expect(second).toMatchObject({ instanceId: first?.instanceId, served: (first?.served ?? 0) + 1 });
      expect(second?.renderId).not.toBe(first?.renderId);
    }
  });

  test.each([
    ["/payload?bytes=-1", 400],
    ["/payload?octets=1", 400],
    ["/no-such-case", 404],
  ])("%s is refused in equal words", async (path, expected) => {
    const answer = await expectEqual(async (url) => {
      const { status, headers, body } = await exchange(url, path);
      return [status, headers["content-type"], body.toString()];
    });
    expect(answer).toMatchObject([expected, "application/problem+json", expect.any(String)]);
  });

  test("lists its cases, and an instance outlives clients that leave in the middle of a page", async () => {
    for (const { host } of served) {
      const list = await bodyOf(host.url, "/");
      for (const { path } of cases) expect(list).toContain(`href="${path}"`);
      const instance = async () => accountOf(await exchange(host.url, "/empty"))?.instanceId;
      const before = await instance();
      await Promise.all(pages.map(({ path }) => leaveAtFirstByte(host.url, path)));
      expect(await instance()).toBe(before);
    }
  });

  test.each(pages.slice(0, 1))("the scripts of $path are served as files on all platforms", async (page) => {
    const found = await expectEqual(async (url) => {
      const body = await bodyOf(url, page.path);
      const script = /"(\.?\/_[^"]+\.js)"/.exec(body)?.[1];
      // A framework may have nothing to run in the browser.
      if (script === undefined) return /<script[^>]* src=|\bimport\(/.test(body) ? body : "no scripts";
      const { status, headers, body: code } = await exchange(url, new URL(script, `${url}/`).pathname);
      expect(code.byteLength).toBeGreaterThan(0);
      return `${status} ${headers["content-type"]?.split(";")[0]?.replace("application/", "text/")}`;
    });
    expect(["no scripts", "200 text/javascript"]).toContain(found);
  });
});
