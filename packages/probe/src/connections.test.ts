import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { expectedOf, listen } from "../test/answers.ts";
import type { Exchange } from "./exchange.ts";
import { clientPauses, LONG_PAUSE_MS } from "./pauses.ts";
import { fetchWhole } from "./preflight/whole-response.ts";
import { createProbe, type ProbeOptions } from "./probe.ts";
import type { Expectation } from "./rules.ts";

const BODY = "hello";
const expected: Expectation = { ...expectedOf(BODY), contentType: null };
const OK = "HTTP/1.1 200 OK\r\n";
const ANSWER = `${OK}content-length: 5\r\n\r\n${BODY}`;

interface Conversation {
  readonly socket: Socket;
  /** Number of the connection, from 1. */
  readonly connection: number;
  /** Number of the request on this connection, from 1. */
  readonly request: number;
}

/**
 * Starts a server of bytes, which calls `answer` for each request's head, and counts connections and who
 * ended them.
 */
async function serve(answer: (conversation: Conversation) => void) {
  const seen = { connections: 0, endedByClient: 0 };
  const server = createServer((socket) => {
    const connection = ++seen.connections;
    let request = 0;
    let text = "";
    socket.on("error", () => {});
    socket.on("end", () => {
      if (!socket.writableEnded) {
        seen.endedByClient += 1;
      }
    });
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      if (!text.includes("\r\n\r\n")) {
        return;
      }
      text = "";
      request += 1;
      answer({ socket, connection, request });
    });
  });
  return { url: await listen(server), seen };
}

function openProbe(url: string, options?: ProbeOptions) {
  const probe = createProbe(url, options);
  onTestFinished(() => probe.close());
  return probe;
}

interface Asked {
  readonly times: number;
  readonly pauseMs?: number;
  readonly expected?: Expectation;
  readonly options?: ProbeOptions;
}

async function ask(url: string, { times, pauseMs = 0, expected: what = expected, options }: Asked) {
  const probe = openProbe(url, options);
  const exchanges: Exchange[] = [];
  for (let time = 0; time < times; time++) {
    if (time > 0 && pauseMs > 0) {
      await delay(pauseMs);
    }
    exchanges.push(await probe.exchange("/", what, { digest: true }));
  }
  return exchanges;
}

const method = (name: string, body: Uint8Array | null = null): ProbeOptions => {
  return { request: { method: name, headers: {}, body } };
};
const empty = (status: number): Expectation => ({ ...expected, status, bytes: 0 });

describe("a connection is kept until the server ends it", () => {
  test.each<[string, string, Partial<Asked>]>([
    ["with no hint", ANSWER, {}],
    ["hinted to be kept for 2 s", `${OK}keep-alive: timeout=2\r\ncontent-length: 5\r\n\r\n${BODY}`, {}],
    [
      "hinted to be kept for 1 s",
      `${OK}keep-alive: timeout=1\r\ncontent-length: 5\r\n\r\n${BODY}`,
      { pauseMs: 1100 },
    ],
    ["hinted to be kept for 0 s", `${OK}keep-alive: timeout=0\r\ncontent-length: 5\r\n\r\n${BODY}`, {}],
    [
      "hinted for a number of requests",
      `${OK}keep-alive: timeout=5, max=1\r\ncontent-length: 5\r\n\r\n${BODY}`,
      {},
    ],
    [
      "behind trailers",
      `${OK}trailer: x-sum\r\ntransfer-encoding: chunked\r\n\r\n5\r\n${BODY}\r\n0\r\nx-sum: 4\r\n\r\n`,
      {},
    ],
    [
      "of HTTP/1.0 that is asked to",
      `HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 5\r\n\r\n${BODY}`,
      {},
    ],
    ["behind 204", "HTTP/1.1 204 No Content\r\n\r\n", { expected: empty(204) }],
    [
      "behind 204 with a length",
      "HTTP/1.1 204 No Content\r\ncontent-length: 7\r\n\r\n",
      { expected: empty(204) },
    ],
    ["behind 304", 'HTTP/1.1 304 Not Modified\r\netag: "a"\r\n\r\n', { expected: empty(304) }],
    [
      "behind 304 with a length",
      "HTTP/1.1 304 Not Modified\r\nContent-Length: 512\r\n\r\n",
      { expected: empty(304) },
    ],
    [
      "behind 304 that is chunked",
      "HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\n\r\n",
      { expected: empty(304) },
    ],
    [
      "behind HEAD with a length",
      `${OK}content-length: 512\r\n\r\n`,
      { expected: empty(200), options: method("HEAD") },
    ],
    [
      "behind HEAD without one",
      `${OK}content-type: text/html\r\n\r\n`,
      { expected: { ...empty(200), contentType: "text/html" }, options: method("HEAD") },
    ],
    ["behind DELETE", ANSWER, { options: method("DELETE") }],
    ["behind a body of GET", ANSWER, { options: method("GET", Buffer.from("abc")) }],
    ["behind PATCH", ANSWER, { options: method("PATCH", Buffer.from("abc")) }],
    ["behind PROPFIND", ANSWER, { options: method("PROPFIND") }],
    [
      "behind interim answers",
      `HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n${"HTTP/1.1 102 Processing\r\n\r\n".repeat(50)}${ANSWER}`,
      {},
    ],
    ["behind 417", "HTTP/1.1 417 Expectation Failed\r\ncontent-length: 0\r\n\r\n", { expected: empty(417) }],
  ])("%s", async (_, answer, asked) => {
    const { url, seen } = await serve(({ socket }) => socket.write(answer));
    const exchanges = await ask(url, { times: 3, ...asked });
    expect(exchanges.map(({ error }) => error)).toEqual([null, null, null]);
    expect(exchanges.map(({ connectMs }) => connectMs !== null)).toEqual([true, false, false]);
    expect(seen).toEqual({ connections: 1, endedByClient: 0 });
  });
});

describe("a connection that the server ends", () => {
  const CLOSING = `${OK}connection: close\r\ncontent-length: 5\r\n\r\n${BODY}`;
  test.each<[string, (socket: Socket) => void]>([
    ["and says so", (socket) => socket.end(CLOSING)],
    ["without a length", (socket) => socket.end(`${OK}\r\n${BODY}`)],
    ["of HTTP/1.0", (socket) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${BODY}`)],
  ])("%s is opened again, which is said", async (_, answer) => {
    const { url, seen } = await serve(({ socket }) => answer(socket));
    expectOpenedAnew(await ask(url, { times: 3 }), seen);
  });

  test.each<[string, (socket: Socket) => unknown]>([
    ["while it idles", (socket) => socket.end()],
    ["by a reset behind its answer", (socket) => socket.resetAndDestroy()],
  ])("%s is opened again, which is said", async (_, end) => {
    const clients: Socket[] = [];
    const note = (message: unknown) => void clients.push((message as { readonly socket: Socket }).socket);
    subscribe("net.client.socket", note);
    onTestFinished(() => void unsubscribe("net.client.socket", note));
    const servers: Socket[] = [];
    const { url, seen } = await serve(({ socket }) => {
      servers.push(socket);
      socket.write(ANSWER);
    });
    const probe = openProbe(url);
    const exchanges: Exchange[] = [];
    for (let time = 0; time < 3; time++) {
      exchanges.push(await probe.exchange("/", expected, { digest: true }));
      // The next request is sent once the client has seen the end, however long that takes.
      const closed = new Promise((resolve) => clients[time]?.once("close", resolve));
      end(servers[time] as Socket);
      await closed;
    }
    expectOpenedAnew(exchanges, seen);
  });

  function expectOpenedAnew(exchanges: readonly Exchange[], seen: { readonly connections: number }): void {
    expect(exchanges.map(({ error }) => error)).toEqual([null, null, null]);
    expect(exchanges.map(({ connectMs }) => connectMs !== null)).toEqual([true, true, true]);
    expect(seen.connections).toBe(3);
  }

  /** Answers three requests, and ends the connection under the fourth. */
  const endsBehindThree = (answer: string) => {
    return ({ socket, request }: Conversation): void => {
      if (request > 3) {
        socket.resetAndDestroy();
      } else {
        socket.write(answer);
      }
    };
  };
  const EVERY_THIRD = [true, false, false, true, false, false, true];

  test.each(["GET", "HEAD", "PUT", "DELETE"])(
    "just as %s is sent on it is opened again, and the request marked as resent",
    async (name) => {
      const isHead = name === "HEAD";
      const { url, seen } = await serve(endsBehindThree(isHead ? `${OK}content-length: 5\r\n\r\n` : ANSWER));
      const options = method(name, name === "PUT" ? Buffer.from("abc") : null);
      const exchanges = await ask(url, { times: 7, expected: isHead ? empty(200) : expected, options });
      expect(exchanges.map(({ error }) => error)).toEqual(exchanges.map(() => null));
      expect(exchanges.map(({ connectMs }) => connectMs !== null)).toEqual(EVERY_THIRD);
      expect(exchanges.map(({ resent = false }) => resent)).toEqual([false, ...EVERY_THIRD.slice(1)]);
      expect(seen.connections).toBe(3);
    },
  );

  test.each(["POST", "PATCH"])(
    "just as %s is sent on it is an error that says so: the request is not sent again by itself",
    async (name) => {
      const { url, seen } = await serve(endsBehindThree(ANSWER));
      const exchanges = await ask(url, { times: 5, options: method(name, Buffer.from("abc")) });
      const detail = expect.stringMatching(
        new RegExp(`^its kept connection ended just as ${name} was sent.*RFC 9110, 9\\.2\\.2.*for longer`),
      );
      const ended = { kind: "connection", detail };
      expect(exchanges.map(({ error }) => error)).toEqual([null, null, null, ended, null]);
      expect(exchanges.map(({ resent }) => resent)).toEqual(exchanges.map(() => undefined));
      expect(seen.connections).toBe(2);
    },
  );

  test("over each request is an error after one more try, and so is a new one that ends without an answer", async () => {
    const { url, seen } = await serve(({ socket, connection, request }) => {
      if (connection === 1 && request === 1) {
        socket.write(ANSWER);
      } else {
        socket.resetAndDestroy();
      }
    });
    const [first, second, third] = await ask(url, { times: 3 });
    expect(first?.error).toBeNull();
    expect(second).toMatchObject({ error: { kind: "connection" }, resent: true });
    expect(third?.error?.kind).toBe("connection");
    expect(third?.resent).toBeUndefined();
    expect(seen.connections).toBe(3);
  });

  test("after it began its answer is an error, and nothing is sent again", async () => {
    const { url, seen } = await serve(({ socket, request }) => {
      if (request === 1) {
        socket.write(ANSWER);
      } else {
        socket.write("HTTP/1.1 20", () => socket.resetAndDestroy());
      }
    });
    const [, second] = await ask(url, { times: 2 });
    expect(second?.error?.kind).toBe("connection");
    expect(seen.connections).toBe(1);
  });

  test("counts with the time until then, where the server took it and gave no answer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await serve(({ socket, connection, request }) => {
      if (connection === 1 && request === 2) {
        vi.advanceTimersByTime(40);
        socket.resetAndDestroy();
      } else {
        vi.advanceTimersByTime(1);
        socket.write(ANSWER);
      }
    });
    const [, second] = await ask(url, { times: 2 });
    expect(second).toMatchObject({ error: null, resent: true });
    expect(second?.firstByteMs).toBeGreaterThanOrEqual(41);
    expect(second?.lastByteMs).toBeGreaterThanOrEqual(41);
  });

  test("has one limit of time for both tries", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await serve(({ socket, connection, request }) => {
      if (connection === 1 && request === 1) {
        socket.write(ANSWER);
      } else if (connection === 1) {
        vi.advanceTimersByTime(200);
        socket.resetAndDestroy();
      } else {
        vi.advanceTimersByTime(300);
      }
    });
    const probe = openProbe(url, { timeoutMs: 500 });
    await probe.exchange("/", expected);
    const { error, resent } = await probe.exchange("/", expected);
    expect(error).toEqual({ kind: "timeout", detail: "No complete response within 500 ms (ETIMEDOUT)" });
    expect(resent).toBe(true);
  });
});

describe("an answer before the end of an upload", () => {
  const upload = method("POST", Buffer.alloc(3_000_000, "x"));
  const refused = { ...expectedOf("big\n"), contentType: null, status: 413 };
  const REFUSAL = "HTTP/1.1 413 Content Too Large\r\ncontent-length: 4\r\n\r\nbig\n";

  test.each<[string, (socket: Socket) => unknown]>([
    ["destroyed", (socket) => socket.write(REFUSAL, () => socket.destroy())],
    [
      "reset a little later",
      (socket) => socket.write(REFUSAL, () => setTimeout(() => socket.resetAndDestroy(), 20)),
    ],
    ["closed as it says", (socket) => socket.end(REFUSAL.replace("\r\n", "\r\nconnection: close\r\n"))],
    [
      "destroyed between its parts",
      (socket) => {
        socket.write(REFUSAL.slice(0, 30), () => socket.write(REFUSAL.slice(30), () => socket.destroy()));
      },
    ],
  ])("is read where the connection is %s behind it", async (_, refuse) => {
    let cut = Promise.withResolvers<void>();
    const { url } = await serve(({ socket }) => {
      socket.once("close", () => cut.resolve());
      refuse(socket);
    });
    const probe = openProbe(url, upload);
    for (let time = 0; time < 4; time++) {
      const { error, status } = await probe.exchange("/", refused, { digest: true });
      expect(error ?? status).toBe(413);
      await cut.promise;
      cut = Promise.withResolvers();
    }
  });

  test("leaves the connection open where the server goes on reading", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        if (chunk.includes("POST ")) {
          socket.write(ANSWER);
        }
      });
    });
    const exchanges = await ask(await listen(server), { times: 4, options: upload });
    expect(exchanges.map(({ error }) => error)).toEqual([null, null, null, null]);
    expect(exchanges.map(({ connectMs }) => connectMs !== null)).toEqual([true, false, false, false]);
  });
});

describe("the first byte", () => {
  const INTERIM = "HTTP/1.1 103 Early Hints\r\nlink: </site.css>; rel=preload\r\n\r\n";
  test.each([
    [
      "is that of the final answer, not of an interim one before it",
      (socket: Socket) => {
        socket.write(`${INTERIM}HTTP/1.1 102 Processing\r\n\r\n`);
        setTimeout(() => socket.write(ANSWER), 100);
      },
    ],
    [
      "is that of the final answer where its head begins behind an interim one",
      (socket: Socket) => {
        setTimeout(() => socket.write(`${INTERIM}HTTP/1.1 20`), 100);
        setTimeout(() => socket.write(ANSWER.slice("HTTP/1.1 20".length)), 200);
      },
    ],
  ])("%s", async (_, answer) => {
    const { url } = await serve(({ socket }) => answer(socket));
    const [exchange] = await ask(url, { times: 1 });
    expect(exchange?.error).toBeNull();
    expect(exchange?.firstByteMs).toBeGreaterThan(95);
    expect(exchange?.firstByteMs).toBeLessThanOrEqual(exchange?.lastByteMs ?? 0);
  });
});

test("an unasked 100 Continue and the header Expect are refused with what they are", async () => {
  const { url } = await serve(({ socket }) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${ANSWER}`));
  const [continued] = await ask(url, { times: 1 });
  expect(continued?.error).toMatchObject({
    kind: "connection",
    detail: expect.stringContaining("100 Continue"),
  });
  const options = {
    request: { method: "POST", headers: { expect: "100-continue" }, body: Buffer.from("abc") },
  };
  const [expecting] = await ask(url, { times: 1, options });
  expect(expecting?.error?.detail).toContain("expect");
});

test("a client that stood still during an exchange takes it on itself, whether it was answered or timed out", async () => {
  clientPauses.longMs = LONG_PAUSE_MS;
  onTestFinished(() => {
    clientPauses.longMs = Number.POSITIVE_INFINITY;
  });
  const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  // This process is the client, too, whose request is here.
  const { url } = await serve(({ socket }) => {
    setTimeout(() => socket.write(ANSWER), 60);
    standStill(1300);
  });
  for (const timeoutMs of [30_000, 300]) {
    const { error, lastByteMs } = await openProbe(url, { timeoutMs }).exchange("/", expected);
    expect(error).toMatchObject({ kind: "client-pause", detail: expect.stringContaining("stood still") });
    expect(lastByteMs).toBeNull();
  }
});

test.each([
  ["with a length", ANSWER, true],
  ["in chunks", `${OK}transfer-encoding: chunked\r\n\r\n5\r\n${BODY}\r\n0\r\n\r\n`, true],
  ["of 204", "HTTP/1.1 204 No Content\r\n\r\n", true],
  ["that the connection's end ends", `${OK}\r\n${BODY}`, false],
  ["that says close", `${OK}connection: close\r\ncontent-length: 5\r\n\r\n${BODY}`, false],
])("preflight knows whether the connection goes on behind an answer %s", async (_, answer, isKept) => {
  const { url } = await serve(({ socket }) => socket.end(answer));
  expect((await fetchWhole(url, { timeoutMs: 30_000 })).keepAlive).toBe(isKept);
});
