import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { serveIndex } from "./page.ts";

test.each([
  ["127.0.0.1", 200],
  ["localhost:9000", 200],
  ["evil.example", 403],
  ["127.0.0.1.evil.example", 403],
  ["localhost.evil.example:80", 403],
  ["192.168.0.7", 403],
])(
  "a request for the host %s is answered %i: a name of somebody else's may lead here",
  async (host, status) => {
    await using server = await serveIndex(0, { servers: [], faults: [] });
    const [response] = (await once(get(server.url, { headers: { host } }), "response")) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(status);
  },
);
