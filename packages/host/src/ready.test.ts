import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { waitForIdentity } from "./supervised.ts";

let server: Server;
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function urlOf(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("an attempt that the end of the time cuts off says nothing of a server that answers", async () => {
  const over = new AbortController();
  let asked = 0;
  const url = await urlOf((_request, response) => {
    asked += 1;
    if (asked === 1) response.writeHead(500).end();
    else over.abort();
  });
  expect(await waitForIdentity(url, over.signal)).toBe("HTTP 500");
});

test("nor of one that cut its answers", async () => {
  const over = new AbortController();
  let asked = 0;
  const url = await urlOf((_request, response) => {
    asked += 1;
    if (asked === 1)
      response.writeHead(200, { "content-length": 10 }).write("hello", () => response.destroy());
    else over.abort();
  });
  expect(await waitForIdentity(url, over.signal)).toMatch(/before its answer was complete/);
});

test("a server that takes a request and never answers is told from one that is not there", async () => {
  const over = new AbortController();
  const url = await urlOf(() => over.abort());
  expect(await waitForIdentity(url, over.signal)).toBe("it accepts connections, and does not answer");
});

test("it waits until the answer is 200", async () => {
  let asked = 0;
  const url = await urlOf((_request, response) => {
    asked += 1;
    response.writeHead(asked < 3 ? 503 : 200).end();
  });
  expect(await waitForIdentity(url, new AbortController().signal)).toBeNull();
  expect(asked).toBe(3);
});
