// What a deployed target does with strangers, shown on the real local runtimes: every app on every platform, closed.
import type { Identity } from "@evenbench/core";
import { seededRandom } from "@evenbench/stats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { badQueries } from "./bad-queries.ts";
import { accountOf, exchange } from "./exchange.ts";
import { malformedRequest, sendBytes } from "./malformed.ts";
import { scratchFolder } from "./scratch.ts";
import { discoverTargets, type ServedTarget, serveTargets, stopTargets } from "./targets.ts";

const TOKEN = "0123456789abcdef0123456789abcdef0123456789abcdef";
const bearer = { authorization: `Bearer ${TOKEN}` };
const targets = await discoverTargets();

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
beforeAll(async () => {
  scratch = await scratchFolder();
});
afterAll(() => scratch[Symbol.asyncDispose]());

describe.each(targets.map((target) => [target.name, target] as const))(
  "%s, closed by a token",
  (_, target) => {
    let served: ServedTarget;
    beforeAll(async () => {
      [served] = (await serveTargets([target], scratch.path, { token: TOKEN })) as [ServedTarget];
    });
    afterAll(() => stopTargets([served]));
    const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
      exchange(served.host.url, path, { headers, method });
    // Without its service a case serves nobody, for another reason.
    const cases = target.cases.filter(({ services }) => services.length === 0);
    const plain = ["/", "/identity", "/no-such-case"];
    const paths = [...plain, ...target.cases.map(({ path }) => path)];

    test.each([
      ["no token", {}],
      ["an empty header", { authorization: "" }],
      ["an empty token", { authorization: "Bearer " }],
      ["a wrong token", { authorization: `Bearer ${TOKEN.replace("f", "e")}` }],
      ["the start of the token", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
      ["more than the token", { authorization: `Bearer ${TOKEN}0` }],
      ["another scheme", { authorization: `Basic ${TOKEN}` }],
      ["the token alone", { authorization: TOKEN }],
    ])("refuses %s everywhere, with a problem document", async (_name, headers) => {
      for (const path of paths) {
        const answer = await get(path, headers as Record<string, string>);
        expect(answer.status, path).toBe(401);
        expect(answer.headers["content-type"]).toBe("application/problem+json");
        expect(answer.headers["cache-control"]).toBe("no-store");
        expect(answer.headers["www-authenticate"]).toMatch(/^Bearer /);
        const problem = JSON.parse(answer.body.toString());
        expect(problem).toMatchObject({
          status: 401,
          detail: expect.stringContaining("Authorization: Bearer"),
        });
        expect(answer.body.toString()).not.toContain(TOKEN);
      }
    });

    test("refuses a token in the query: alone, and beside the right header", async () => {
      for (const name of ["token", "access_token", "TOKEN"]) {
        const alone = await get(`/empty?${name}=${TOKEN}`);
        expect(alone.status).toBe(401);
        expect(JSON.parse(alone.body.toString()).detail).toContain("in the URL");
        expect((await get(`/empty?x=1&${name}=${TOKEN}`, bearer)).status).toBe(400);
      }
    });

    test("answers strangers alike whatever their method, and HEAD without a body", async () => {
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
        expect((await get("/empty", {}, method)).status).toBe(401);
      const head = await get("/empty", {}, "HEAD");
      expect([head.status, head.body.length]).toEqual([401, 0]);
    });

    test("serves who has the token, whatever the case of the scheme's name", async () => {
      const identity: Identity = JSON.parse((await get("/identity", bearer)).body.toString());
      expect(`${identity.app}@${identity.platform}`).toBe(target.name);
      for (const { path } of cases) expect((await get(path, bearer)).status, path).toBeLessThan(300);
      expect((await get("/empty", { authorization: `bearer ${TOKEN}` })).status).toBe(204);
    });

    // One guard stands before all apps of a platform; the frameworks behind it take longer to answer.
    const requests = target.app === "bundle" ? 10_000 : 2000;
    test(`stays alive and correct through ${requests} malformed requests, and lets no stranger in`, async () => {
      const account = async () => {
        const empty = await get("/empty", bearer);
        expect(empty.status).toBe(204);
        return accountOf(empty);
      };
      const before = await account();
      const pids = served.host.pids();
      const queries = target.cases
        .flatMap(({ parameters }) => badQueries(parameters))
        .map(([query]) => query);
      const wrong = [
        null,
        "",
        "Bearer ",
        `Bearer ${TOKEN}x`,
        `Basic ${TOKEN}`,
        TOKEN,
        `Bearer ${"A".repeat(5000)}`,
      ];
      const asked = [...plain, ...cases.map(({ path }) => path)];
      const credentials = [bearer.authorization, ...wrong];
      const random = seededRandom(20_261_121);
      const faults: string[] = [];
      let refused = 0;
      let left = requests;
      const sender = async () => {
        while (left-- > 0) {
          const { bytes, authorized } = malformedRequest(random, { paths: asked, queries, credentials });
          const status = await sendBytes(served.host.url, bytes);
          if (status === 401) refused++;
          if (isFault(status, authorized, bytes))
            faults.push(`${status}: ${bytes.toString("latin1").slice(0, 300)}`);
        }
      };
      await Promise.all(Array.from({ length: 32 }, sender));
      expect(faults).toEqual([]);
      expect(refused).toBeGreaterThan(requests / 20);
      const after = await account();
      expect(served.host.pids()).toEqual(pids);
      expect(after?.instanceId).toBe(before?.instanceId);
      expect(after?.inFlight).toBe(0);
    });

    /**
     * 501 is workerd's answer to unknown methods. Frameworks answer some of what they cannot decode with a
     * 500 of their own.
     */
    function isFault(status: number | null, authorized: boolean, bytes: Buffer): boolean {
      if (status === null || status === 501) return false;
      if (status === 505 && target.platform.refusesWith505) return hasRequestLine(bytes);
      return authorized ? status >= 500 && target.app === "bundle" : status < 400 || status >= 500;
    }
  },
);

describe.each(targets.map((target) => [target.name, target] as const))("%s, without a token", (_, target) => {
  test("serves nobody and says how to set one", async () => {
    const [served] = (await serveTargets([target], scratch.path, { token: null })) as [ServedTarget];
    try {
      for (const headers of [{}, { authorization: "Bearer " }, bearer]) {
        for (const path of ["/", "/identity", "/empty"]) {
          const answer = await exchange(served.host.url, path, { headers });
          expect(answer.status).toBe(503);
          expect(JSON.parse(answer.body.toString()).detail).toMatch(
            /EVENBENCH_TOKEN.*npm run bench -- deploy/,
          );
        }
      }
    } finally {
      await stopTargets([served]);
    }
  });
});

function hasRequestLine(bytes: Buffer): boolean {
  return /^[!-~]+ [!-~]+ HTTP\/1\.1\r\n/.test(bytes.toString("latin1"));
}
