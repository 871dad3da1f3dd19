// What a deployed target does with strangers, shown on the real local runtimes: every app on every platform, closed.
import type { Identity } from "@evenbench/core";
import { seededRandom } from "@evenbench/stats";
import { describe, expect, test } from "vitest";
import { accountOf, exchange } from "./exchange.ts";
import { malformedRequest, sendBytes } from "./malformed.ts";
import { discoverTargets, type ServedTarget, useTargets } from "./targets.ts";

const TOKEN = "0123456789abcdef0123456789abcdef0123456789abcdef";
const bearer = { authorization: `Bearer ${TOKEN}` };
const targets = (await discoverTargets()).map((target) => [target.name, target] as const);

describe.each(targets)("%s, closed by a token", (_, target) => {
  const served = useTargets(
    () => [target],
    () => ({ token: TOKEN }),
  );
  const host = () => (served[0] as ServedTarget).host;
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    exchange(host().url, path, { headers, method });
  // Without its service a case serves nobody, for another reason.
  const cases = target.cases.filter(({ services }) => services.length === 0);
  const plain = ["/", "/identity", "/no-such-case"];

  test.each<[string, Record<string, string>]>([
    ["no token", {}],
    ["an empty header", { authorization: "" }],
    ["an empty token", { authorization: "Bearer " }],
    ["a wrong token", { authorization: `Bearer ${TOKEN.replace("f", "e")}` }],
    ["the start of the token", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ["more than the token", { authorization: `Bearer ${TOKEN}0` }],
    ["another scheme", { authorization: `Basic ${TOKEN}` }],
    ["the token alone", { authorization: TOKEN }],
  ])("refuses %s everywhere, with a problem document", async (_name, headers) => {
    const told = {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "www-authenticate": expect.stringMatching(/^Bearer /),
    };
    const detail = expect.stringContaining("Authorization: Bearer");
    for (const path of [...plain, ...target.cases.map((one) => one.path)]) {
      const answer = await get(path, headers);
      expect(answer, path).toMatchObject({ status: 401, headers: told });
      expect(JSON.parse(answer.body.toString())).toMatchObject({ status: 401, detail });
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
    expect(await get("/empty", {}, "HEAD")).toMatchObject({ status: 401, body: { length: 0 } });
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
    const account = async () => accountOf(await get("/empty", bearer));
    const before = await account();
    const pids = host().pids();
    const wrong = [null, "", "Bearer ", `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN, "A".repeat(5000)];
    const parts = {
      paths: [...plain, ...cases.map(({ path }) => path)],
      queries: ["bytes=-1", "bytes=%zz", "n=1e3", "n=", "how=surely-no-choice", "__proto__=1", "n=1&n=1"],
      credentials: [bearer.authorization, ...wrong],
    };
    const random = seededRandom(20_261_121);
    const faults: string[] = [];
    let refused = 0;
    let left = requests;
    const sender = async () => {
      while (left-- > 0) {
        const { bytes, authorized } = malformedRequest(random, parts);
        const status = await sendBytes(host().url, bytes);
        if (status === 401) refused++;
        if (isFault(status, authorized, bytes.toString("latin1")))
          faults.push(`${status}: ${bytes.toString("latin1", 0, 300)}`);
      }
    };
    await Promise.all(Array.from({ length: 32 }, sender));
    expect(faults).toEqual([]);
    expect(refused).toBeGreaterThan(requests / 20);
    expect(await account()).toMatchObject({ instanceId: before?.instanceId, inFlight: 0 });
    expect(host().pids()).toEqual(pids);
  });

  /** 501 is workerd's answer to unknown methods. Frameworks answer what they cannot decode with a 500 of their own. */
  function isFault(status: number | null, authorized: boolean, request: string): boolean {
    if (status === null || status === 501) return false;
    if (status === 505 && target.platform.refusesWith505)
      return /^[!-~]+ [!-~]+ HTTP\/1\.1\r\n/.test(request);
    return authorized ? status >= 500 && target.app === "bundle" : status < 400 || status >= 500;
  }
});

describe.each(targets)("%s, without a token", (_, target) => {
  const served = useTargets(
    () => [target],
    () => ({ token: null }),
  );

  test("serves nobody and says how to set one", async () => {
    const url = served[0]?.host.url ?? "";
    for (const headers of [{}, { authorization: "Bearer " }, bearer]) {
      for (const path of ["/", "/identity", "/empty"]) {
        const { status, body } = await exchange(url, path, { headers });
        expect(status).toBe(503);
        expect(JSON.parse(body.toString()).detail).toMatch(/EVENBENCH_TOKEN.*npm run bench -- deploy/);
      }
    }
  });
});
