// What a deployed target does with strangers, shown on the real local runtimes: every app on every platform, closed.
import type { Identity } from "@evenbench/core";
import { describe, expect, test } from "vitest";
import { accountOf, exchange, requestOf, sendBytes } from "./exchange.ts";
import { discoverTargets, type ServedTarget, useTargets } from "./targets.ts";

const TOKEN = "0123456789abcdef0123456789abcdef0123456789abcdef";
const bearer = { authorization: `Bearer ${TOKEN}` };
const targets = (await discoverTargets()).map((target) => [target.name, target] as const);

/** Request lines and headers as no client of HTTP writes them, and those that servers answer by other ways. */
const MALFORMED: readonly (readonly [line: string, ...headers: string[]])[] = [
  ["GET /empty?bytes=%zz&__proto__=1&=% HTTP/1.1"],
  ["GET //empty/../..//empty HTTP/1.1"],
  ["GET /empty/%00%2e%2e%2f\x80\xff HTTP/1.1"],
  ["GET http://other.example/empty?token=x HTTP/1.1"],
  ["GET /empty#x?token=x HTTP/1.1"],
  [`GET /${"a".repeat(20_000)} HTTP/1.1`],
  ["GET * HTTP/1.1"],
  ["GET  HTTP/1.1"],
  ["G E T /empty HTTP/1.1"],
  ["get /empty HTTP/1.1"],
  ["BREW /empty HTTP/1.1"],
  ["TRACE /empty HTTP/1.1"],
  ["GET /empty HTTP/0.9"],
  ["GET /empty HTTP/9.9"],
  ["GET /empty"],
  ["\x00\x16\x03\x01 noise \xff"],
  ["GET /empty HTTP/1.1", "no colon in here"],
  ["GET /empty HTTP/1.1", "x-noise: \x01\x7f\xe9", "\xe9: x"],
  ["GET /empty HTTP/1.1", "host: 127.0.0.1", "range: bytes=9-1,-"],
  ["GET /empty HTTP/1.1", "x-matched-path: /identity", `cookie: ${"c=".repeat(5000)}`],
  ["GET /empty HTTP/1.1", "connection: upgrade", "upgrade: websocket"],
  ["POST /empty HTTP/1.1", "expect: 100-continue", "content-length: 5"],
  ["POST /empty HTTP/1.1", "content-length: -1"],
  ["POST /empty HTTP/1.1", "transfer-encoding: chunked, chunked"],
];

/**
 * Cases that a platform's own cache answers, by target: what is rendered for it gets no header of who asks, so that a
 * closed function lets nobody in.
 */
const CLOSED_TO_ALL: ReadonlySet<string> = new Set(["next@vercel next-isr"]);

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
  const isClosedToAll = (id: string) => CLOSED_TO_ALL.has(`${target.name} ${id}`);
  const guarded = target.cases.filter(({ id }) => !isClosedToAll(id));
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
    const expected = {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "www-authenticate": expect.stringMatching(/^Bearer /),
    };
    const detail = expect.stringContaining("Authorization: Bearer");
    for (const path of [...plain, ...guarded.map(({ path }) => path)]) {
      const answer = await get(path, headers);
      expect(answer, path).toMatchObject({ status: 401, headers: expected });
      expect(JSON.parse(answer.body.toString())).toMatchObject({ status: 401, detail });
      expect(answer.body.toString()).not.toContain(TOKEN);
    }
    for (const { path } of target.cases.filter(({ id }) => isClosedToAll(id))) {
      expect((await get(path, headers)).status, path).toBe(401);
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
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
      expect((await get("/empty", {}, method)).status).toBe(401);
    }
    expect(await get("/empty", {}, "HEAD")).toMatchObject({ status: 401, body: { length: 0 } });
  });

  test("serves who has the token, whatever the case of the scheme's name", async () => {
    const identity: Identity = JSON.parse((await get("/identity", bearer)).body.toString());
    expect(`${identity.app}@${identity.platform}`).toBe(target.name);
    // The door is before all cases: what each of them does behind it is tested without a token.
    const asked = cases.filter(
      ({ id, sends }, index) => index < 2 || sends !== undefined || isClosedToAll(id),
    );
    for (const manifest of asked) {
      const { id, path } = manifest;
      const { status } = await exchange(host().url, path, requestOf(manifest, bearer));
      if (isClosedToAll(id)) {
        expect(status, path).toBe(401);
      } else {
        expect(status, path).toBeLessThan(300);
      }
    }
    expect((await get("/empty", { authorization: `bearer ${TOKEN}` })).status).toBe(204);
  });

  test("stays alive and correct through malformed requests, and lets no stranger in", async () => {
    const account = async () => accountOf(await get("/empty", bearer));
    const before = await account();
    const pids = host().pids();
    const wrong = [null, "", "Bearer ", `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN, "A".repeat(5000)];
    const faults: string[] = [];
    let refused = 0;
    const send = async (credential: string | null, text: string) => {
      const status = await sendBytes(host().url, Buffer.from(text, "latin1"));
      if (status === 401) {
        refused++;
      }
      if (isFault(status, credential === bearer.authorization, text)) {
        faults.push(`${status}: ${text}`);
      }
    };
    for (const credential of [bearer.authorization, ...wrong]) {
      const header = credential === null ? [] : [`authorization: ${credential}`];
      const texts = MALFORMED.flatMap(([line, ...more]) => {
        const ended = [...header, ...more, "connection: close", "\r\n"];
        return [
          [line, "host: 127.0.0.1", ...ended],
          [line, ...ended],
        ].map((lines) => lines.join("\r\n"));
      });
      await Promise.all(texts.map((text) => send(credential, text)));
    }
    expect(faults).toEqual([]);
    expect(refused).toBeGreaterThan(50);
    expect(await account()).toMatchObject({ instanceId: before?.instanceId, inFlight: 0 });
    expect(host().pids()).toEqual(pids);
  });

  /** 501 is workerd's answer to unknown methods. Frameworks answer what they cannot decode with a 500 of their own. */
  function isFault(status: number | null, authorized: boolean, request: string): boolean {
    if (status === null || status === 501) {
      return false;
    }
    if (status === 505 && target.platform.refusesWith505) {
      return /^[!-~]+ [!-~]+ HTTP\/1\.1\r\n/.test(request);
    }
    return authorized ? status >= 500 && target.app === "bundle" : status < 400 || status >= 500;
  }
});

// The door is the platform's, before whichever app.
describe.each(targets.filter(([, { app }]) => app === "bundle"))("%s, without a token", (_, target) => {
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
