import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { waitForIdentity } from "./supervised.ts";

async function urlOf(answer: (response: ServerResponse, asked: number) => void): Promise<string> {
  let asked = 0;
  const server = createServer((_request, response) => answer(response, ++asked));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// What the end of the time cuts off says nothing of a server that was heard before.
test.each([
  ["answers with an error", (response: ServerResponse) => response.writeHead(500).end(), /^HTTP 500$/],
  [
    "cuts its answers",
    (response: ServerResponse) =>
      response.writeHead(200, { "content-length": 10 }).write("hello", () => response.destroy()),
    /before its answer was complete/,
  ],
  ["takes a request and never answers", null, /^it accepts connections, and does not answer$/],
])("a server that %s is told so when the time is over", async (_, first, words) => {
  const over = new AbortController();
  const url = await urlOf((response, asked) => {
    if (asked === 1 && first !== null) first(response);
    else over.abort();
  });
  expect(await waitForIdentity(url, over.signal)).toMatch(words);
});

test("it waits until the answer is 200", async () => {
  const url = await urlOf((response, asked) => response.writeHead(asked < 3 ? 503 : 200).end());
  expect(await waitForIdentity(url, new AbortController().signal)).toBeNull();
});
