// What every app has to do on all platforms: what preflight proves of it, and how its instances answer.
import { Agent } from "node:http";
import type { CaseManifest, Identity } from "@evenbench/core";
import { missingServices, type RunningServices, startServices } from "@evenbench/host/services";
import { preflight } from "@evenbench/probe/preflight";
import { afterAll, describe, expect, test } from "vitest";
import { type Answer, accountOf, type ExchangeOptions, exchange, leaveAtFirstByte } from "./exchange.ts";
import { discoverTargets, type ServedTarget, useTargets } from "./targets.ts";

export const targets = await discoverTargets();
const needed = targets.flatMap(({ cases }) => cases.flatMap(({ services }) => services));
/** Services that are not installed: cases that talk to them are left out. */
export const missingOfServices = await missingServices(needed);

export type Served = readonly ServedTarget[];

export function text({ body }: Answer): string {
  return body.toString();
}

/** Asks all targets the same, expects the same of all their answers, and gives it. */
export async function askAlike<T>(
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

/** Expects all targets to refuse a request in equal words, and gives the problem as they describe it. */
export async function expectProblem(served: Served, status: number, path: string, options?: ExchangeOptions) {
  const read = (answer: Answer) => [answer.status, answer.headers["content-type"], text(answer)];
  const [actual, type, words] = await askAlike(served, read, path, options);
  expect([actual, type]).toEqual([status, "application/problem+json"]);
  return JSON.parse(`${words}`);
}

/** Tests an app on all platforms. @param more tests of this kind of app besides. */
export function testApp(app: string, more: (served: Served, cases: readonly CaseManifest[]) => void): void {
  describe(`the app ${app}`, () => {
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
      const leave = async ({ name, host }: ServedTarget) => {
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
      };
      await Promise.all(served.map(leave));
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

    more(served, cases);
  });
}
