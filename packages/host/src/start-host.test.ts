import { writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testFolder } from "../test/folder.ts";
import { quoteLog } from "./host-log.ts";
import { answersIdentity } from "./readiness.ts";
import { claimPort, startAll } from "./start-host.ts";

const folder = testFolder();

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
  const url = await urlOf((response, requests) => {
    if (requests === 1 && first !== null) {
      first(response);
    } else {
      over.abort();
    }
  });
  expect(await answersIdentity().wait(url, over.signal)).toMatch(words);
});

test("of a log the last lines are quoted, and of an error the words and the first frame of its stack", async () => {
  const file = join(folder, "server.log");
  const words = ["started", "Error: listen EADDRINUSE: address already in use :::3177"];
  const frame = "    at resolve (node:internal/modules/esm/resolve:12:11)";
  const lines = [...words, ...Array(14).fill(frame), "    at file.mjs:3:1", "  code: 'EADDRINUSE',", "look"];
  await writeFile(file, lines.join("\n"));
  const quoted = [...words, frame, "  code: 'EADDRINUSE',", "look"].map((line) => `\n  | ${line}`);
  expect(quoteLog(file)).toBe(`Last lines of ${file}:${quoted.join("")}`);
  expect(quoteLog(file, 0, 1)).toBe(`Last lines of ${file}:\n  | look`);
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

test("a log that was removed meanwhile is named, and hides nothing else", () => {
  const file = join(folder, "removed.log");
  expect(quoteLog(file)).toBe(`${file} cannot be read (ENOENT).`);
});

test("free ports are none that systems give to whoever asks for any, and none is given twice", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => claimPort(0)));
  expect(new Set(ports).size).toBe(50);
  expect(ports.every((port) => port >= 20_000 && port < 32_768)).toBe(true);
});
