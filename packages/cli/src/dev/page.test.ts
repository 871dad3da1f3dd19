import { get } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveIndex } from "./page.ts";

let server: Awaited<ReturnType<typeof serveIndex>>;
beforeAll(async () => {
  server = await serveIndex(0, { servers: [], faults: [] });
});
afterAll(() => server[Symbol.asyncDispose]());

function statusOf(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(`${server.url}${path}`, { headers }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode));
    }).once("error", reject);
  });
}

test.each(["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "192.168.0.7"])(
  "a request for the host %s is refused everywhere: a name of somebody else's leads here",
  async (host) => {
    for (const path of ["/", "/nothing"]) expect(await statusOf(path, { host })).toBe(403);
  },
);

test("the page is answered, also through a forwarded port", async () => {
  for (const headers of [{}, { host: "localhost:9000" }]) expect(await statusOf("/", headers)).toBe(200);
});
