import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { answersIdentity, waitForAnswer } from "./readiness.ts";
import { claimPort, startAll } from "./start-host.ts";

async function urlOf(answer: (response: ServerResponse, requests: number) => void): Promise<string> {
  let requests = 0;
  const server = createServer((_request, response) => answer(response, ++requests));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// What the end of the time cuts off says nothing of a server that was heard before.
test.each([
  [
    "answers with an error",
    "refusing",
    (response: ServerResponse) => response.writeHead(500).end(),
    /^HTTP 500$/,
  ],
  [
    "cuts its answers",
    "unanswered",
    (response: ServerResponse) =>
      response.writeHead(200, { "content-length": 10 }).write("hello", () => response.destroy()),
    /before its answer was complete/,
  ],
  ["takes a request and never answers", "unanswered", null, /^it accepts connections, and does not answer$/],
])("a server that %s is told so when the time is over", async (_, how, first, words) => {
  const over = new AbortController();
  const url = await urlOf((response, requests) => {
    if (requests === 1 && first !== null) {
      first(response);
    } else {
      over.abort();
    }
  });
  const seen = await answersIdentity().wait(url, over.signal);
  expect(seen).toEqual({ how, message: expect.stringMatching(words) });
});

test("a server whose every answer takes longer than a first attempt may is ready when it has answered", async () => {
  const url = await urlOf((response) => setTimeout(() => response.end(), 100));
  const asked = { headers: {}, answerWithinMs: 10 };
  expect(await waitForAnswer(url, asked, () => true, AbortSignal.timeout(60_000))).toBeNull();
});

test("all are started side by side and given in their order; where some fail, the others are stopped and all reasons told", async () => {
  const both = Promise.withResolvers<void>();
  // One after the other would wait here for good.
  const first = () => both.promise.then(() => "a");
  const second = async () => {
    both.resolve();
    return "b";
  };
  expect(await startAll([first, second], async () => expect.unreachable())).toEqual(["a", "b"]);

  const stopped: string[] = [];
  const late = () => new Promise<string>((resolve) => setTimeout(() => resolve("late"), 5));
  const attempt = startAll(
    [async () => "early", () => Promise.reject("no port"), late, () => Promise.reject("no words")],
    async (name) => stopped.push(name),
    (reasons) => [...reasons],
  );
  await expect(attempt).rejects.toEqual([
    [1, "no port"],
    [3, "no words"],
  ]);
  expect(stopped.toSorted()).toEqual(["early", "late"]);
});

test("free ports are none that systems give to whoever asks for any, and none is given twice", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => claimPort(0)));
  expect(new Set(ports).size).toBe(50);
  expect(ports.every((port) => port >= 20_000 && port < 32_768)).toBe(true);
});
