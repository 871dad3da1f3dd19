import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { renderMarker } from "@evenbench/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { expectedOf, listen } from "../test/answers.ts";
import { maskedDigest } from "./body.ts";
import { checkBody, type Exchange } from "./exchange.ts";
import { createProbe, type ProbeOptions } from "./probe.ts";
import { type AskedTarget, runRound } from "./round.ts";
import { type Expectation, interleave } from "./rules.ts";

const BODY = Buffer.from("x".repeat(10_000));
const expected = expectedOf(BODY);

/** A TCP server that answers every request with what `answer` writes. */
function listenTcp(answer: (socket: Socket) => void): Promise<string> {
  return listen(createTcpServer((socket) => socket.on("error", () => {}).on("data", () => answer(socket))));
}

async function probeOf(listener: RequestListener, options?: ProbeOptions) {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/plain; charset=utf-8");
    listener(request, response);
  });
  return openProbe(await listen(server), options);
}

function openProbe(url: string, options?: ProbeOptions) {
  const created = createProbe(url, options);
  onTestFinished(() => created.close());
  return created;
}

describe("an exchange with a page", () => {
  const account = { instanceId: "0123456789abcdef", served: 7, inFlight: 1, renderId: "f".repeat(16) };
  const page = `<html>${renderMarker(account)}${"x".repeat(40_000)}</html>`;
  const rendered: Expectation = { ...expectedOf(page), isPage: true };

  test("finds who rendered it at the start of its body, also where that comes in two pieces", async () => {
    const probe = await probeOf((_request, response) => {
      response.write(page.slice(0, 50));
      setTimeout(() => response.end(page.slice(50)), 20);
    });
    const { instanceId, served, inFlight } = account;
    expect(await probe.exchange("/", rendered)).toMatchObject({ error: null, instanceId, served, inFlight });
  });

  test("takes a length that the case lets vary, keeps such a body whole, and refuses one further off", async () => {
    const variation = { reason: "", normalForm: "react-stream", lengthWithin: 0.1 } as const;
    const varying: Expectation = { ...rendered, variation };
    let body = `${page.slice(0, -7)}<script>$RC("B:1","S:1")</script></html>`;
    const probe = await probeOf((_request, response) => response.end(body));
    const longer = await probe.exchange("/", varying, { digest: true });
    expect(longer.error).toBeNull();
    checkBody(longer, { ...varying, sha256: maskedDigest(Buffer.from(page), varying) });
    expect(longer.error).toBeNull();
    body = page.slice(0, page.length * 0.8);
    const cut = await probe.exchange("/", varying, { digest: true });
    expect(cut.error).toMatchObject({ kind: "length", detail: expect.stringContaining("±") });
  });
});

describe("an exchange", () => {
  test("has each byte of a body in its place where a head comes in two reads and others are read meanwhile", async () => {
    const body = Buffer.from(Array.from({ length: 400_000 }, (_, place) => `${place};`).join(""));
    const large = expectedOf(body);
    const url = await listenTcp((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/pl");
      setTimeout(() => {
        socket.write(`ain\r\ncontent-length: ${body.length}\r\n\r\n`);
        socket.write(body);
      }, 20);
    });
    const probes = Array.from({ length: 8 }, () => openProbe(url));
    for (let round = 0; round < 3; round++) {
      const exchanges = await Promise.all(
        probes.map((probe) => probe.exchange("/", large, { digest: true })),
      );
      for (const exchange of exchanges) {
        checkBody(exchange, large);
      }
      expect(exchanges.map(({ error }) => error)).toEqual(probes.map(() => null));
    }
  });

  test("stamps the first byte when it arrives and the last byte when the body ends", async () => {
    const probe = await probeOf(async (_request, response) => {
      response.write(BODY.subarray(0, 10));
      // However long this process stood still, the client has seen the first part before the wait begins.
      for (let turn = 0; turn < 20; turn++) {
        await new Promise(setImmediate);
      }
      await delay(100);
      response.end(BODY.subarray(10));
    });
    const exchange = await probe.exchange("/", expected);
    expect(exchange.error).toBeNull();
    expect((exchange.lastByteMs ?? 0) - (exchange.firstByteMs ?? 0)).toBeGreaterThan(90);
  });

  test("asks on one kept connection, for no compression, and has times, status, length, the instance's account and what a cache says", async () => {
    const connections = new Set<unknown>();
    const encodings = new Set<unknown>();
    const probe = await probeOf((request, response) => {
      connections.add(request.socket);
      encodings.add(request.headers["accept-encoding"]);
      response.setHeader("x-evenbench-instance", "0123456789abcdef; served=0; in-flight=2");
      response.setHeader("X-Nextjs-Cache", "HIT");
      response.end(BODY);
    });
    const first = await probe.exchange("/", expected);
    const second = await probe.exchange("/", expected);
    expect([connections.size, ...encodings]).toEqual([1, "identity"]);
    // What connecting took is said only once.
    expect(first.connectMs).toBeGreaterThan(0);
    expect(second).toMatchObject({ connectMs: null, status: 200, bodyBytes: BODY.length, error: null });
    expect(second).toMatchObject({
      instanceId: "0123456789abcdef",
      served: 0,
      inFlight: 2,
      cacheSaid: "hit",
    });
    expect(second.firstByteMs).toBeGreaterThan(0);
    expect(second.lastByteMs).toBeGreaterThanOrEqual(second.firstByteMs ?? Number.NaN);
  });

  test("keeps the connection behind an answer to HEAD, too, and ends it where the server does", async () => {
    const expectedHead = { ...expected, unchecked: "body" } as const;
    const request = { method: "HEAD", headers: {}, body: null };
    const listener: RequestListener = ({ url }, response) =>
      response.writeHead(200, url === "/last" ? { connection: "close" } : {}).end(BODY);
    const probe = await probeOf(listener, { request });
    const exchanges: Exchange[] = [];
    for (const path of ["/", "/", "/last", "/"]) {
      exchanges.push(await probe.exchange(path, expectedHead));
    }
    expect(exchanges.map(({ connectMs }) => connectMs !== null)).toEqual([true, false, false, true]);
    for (const { error, lastByteMs } of exchanges) {
      expect([error, lastByteMs === null]).toEqual([null, false]);
    }
  });
});

describe("an error", () => {
  const short = Buffer.alloc(BODY.length - 1, "x");
  const long = Buffer.alloc(BODY.length + 1, "x");
  test.each<[string, string, RequestListener]>([
    ["another status", "status", (_request, response) => response.writeHead(500).end(BODY)],
    [
      "a server that compresses all the same",
      "encoding",
      (_request, response) => response.setHeader("content-encoding", "gzip").end(gzipSync(BODY)),
    ],
    ["a body that is too short", "length", (_request, response) => response.end(short)],
    ["a body that is too long", "length", (_request, response) => response.end(long)],
  ])("of %s is of kind %s", async (_, kind, listener) => {
    const probe = await probeOf(listener);
    const { error } = await probe.exchange("/", expected, { digest: true });
    expect(error).toMatchObject({ kind, detail: expect.stringMatching(/ instead of |accepted/) });
  });

  test("of another content type is of kind content-type, and its parameters do not count", async () => {
    const probe = await probeOf(({ url }, response) => {
      if (url === "/error") {
        response.setHeader("content-type", "text/html");
      }
      response.end(BODY);
    });
    expect((await probe.exchange("/", expected)).error).toBeNull();
    const detail = "content type text/html instead of text/plain";
    const { error } = await probe.exchange("/error", expected);
    expect(error).toEqual({ kind: "content-type", detail });
    expect((await probe.exchange("/error", { ...expected, variesInType: true })).error).toBeNull();
  });

  const begun = { status: 200, bodyBytes: 5, firstByteMs: expect.any(Number) };
  const headless = { status: null, bodyBytes: null, firstByteMs: null };
  const length = "HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\nshort";
  const chunk = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nshort\r\n";
  test.each<[string, (socket: Socket) => void, object]>([
    ["a body shorter than its content-length", (socket) => socket.end(length), begun],
    ["a body without its last chunk", (socket) => socket.end(chunk), begun],
    ["a connection killed before the head", (socket) => socket.resetAndDestroy(), headless],
    ["an answer that is no HTTP", (socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"), headless],
  ])("of %s is of kind connection", async (_, answer, seen) => {
    const exchange = await openProbe(await listenTcp(answer)).exchange("/", expected);
    expect(exchange).toMatchObject({ ...seen, lastByteMs: null, error: { kind: "connection" } });
  });

  test.each(["head", "body"])("of a server that never ends its %s is of kind timeout", async (part) => {
    const listener: RequestListener = ({ url }, response) => {
      if (url === "/sound") {
        response.end(BODY);
      } else if (part === "body") {
        response.write("x");
      }
    };
    const probe = await probeOf(listener, { timeoutMs: 700 });
    const { error, lastByteMs } = await probe.exchange("/", expected);
    expect([error?.kind, lastByteMs]).toEqual(["timeout", null]);
    expect((await probe.exchange("/sound", expected)).error).toBeNull();
  });

  test("of a probe that is closed meanwhile is of kind connection", async () => {
    const probe = await probeOf(() => {});
    const exchange = probe.exchange("/", expected);
    await delay(20);
    await probe.close();
    expect((await exchange).error?.kind).toBe("connection");
    expect((await probe.exchange("/", expected)).error?.kind).toBe("connection");
  });
});

test("targets are asked in the order of the round, one at a time, and their bodies checked when all are done", async () => {
  const log: string[] = [];
  let underWay = 0;
  const right = expectedOf("right");
  const targets: AskedTarget[] = [];
  for (const name of ["cloudflare", "node", "node~copy", "vercel"]) {
    const server = createServer((_request, response) => {
      log.push(name);
      expect(++underWay).toBe(1);
      setTimeout(() => {
        underWay--;
        response.setHeader("content-type", "text/plain");
        response.end(name === "vercel" ? "wrong" : "right");
      }, 2);
    });
    targets.push({ name, probe: openProbe(await listen(server)), path: "/", expected: right });
  }

  const next = interleave(targets, 42);
  const names: string[] = [];
  for (let round = 0; round < 8; round++) {
    const order = next();
    names.push(...order.map((target) => target.name));
    const withDigest = round % 4 === 0;
    const done = await runRound(order, { digest: withDigest });
    const failed = done.filter(({ exchange }) => exchange.error !== null);
    // Nothing of it was ever proven, so that each body is compared.
    expect(failed.map(({ target }) => target.name)).toEqual(["vercel"]);
  }
  expect(log).toEqual(names);

  const stop = new AbortController();
  stop.abort();
  expect(await runRound(next(), { digest: true }, stop.signal)).toEqual([]);
});

test("a masked digest ignores marked text and sees every other byte, also of what is no text", () => {
  const digest = (text: string) => maskedDigest(Buffer.from(text, "latin1"));
  expect(digest("a [eb[1]eb] b")).toBe(digest("a [eb[22]eb] b"));
  expect(digest("a [eb[1]eb] b")).not.toBe(digest("a [eb[1]eb] c"));
  expect(digest("\xfe")).not.toBe(digest("\xff"));
});

describe("the body of an answer", () => {
  const masks = [{ name: "mask 1", pattern: "req-[0-9]+", replacement: "" }];
  const page = (request: string) => `<p>${request}</p>${"x".repeat(2000)}`;
  const masked: Expectation = {
    ...expected,
    masks,
    bytes: page("req-1").length,
    sha256: maskedDigest(Buffer.from(page("req-1")), { masks, variation: null }),
    unchecked: "length",
  };

  /** Asks for each of these bodies in turn, of one probe. */
  async function ask(bodies: readonly string[], wanted: Expectation, digest = false) {
    const probe = await probeOf(({ url }, response) => response.end(bodies[Number(url?.slice(1))]));
    const seen: string[] = [];
    for (const index of bodies.keys()) {
      const exchange = await probe.exchange(`/${index}`, wanted, { digest });
      checkBody(exchange, wanted);
      expect(exchange.body).toBeNull();
      const { error, isChecked } = exchange;
      const accepted = isChecked ? "right" : "not checked";
      seen.push(error?.kind ?? accepted);
    }
    return seen;
  }

  test("is compared each time where all are the same: one of equal length that differs in a byte is found", async () => {
    const right = BODY.toString();
    const wrong = `${right.slice(0, 5000)}y${right.slice(5001)}`;
    expect(await ask([right, wrong, right, right], expected)).toEqual(["right", "digest", "right", "right"]);
  });

  test("that is wrong is told by where it differs from the last right one, and not by what it says, which may be a secret", async () => {
    const details: string[] = [];
    for (const wrong of [`${"x".repeat(9_990)}10:00:01xx`, Buffer.alloc(BODY.length, 0xff)]) {
      const probe = await probeOf(({ url }, response) => response.end(url === "/" ? BODY : wrong));
      for (const path of ["/", "/wrong"]) {
        const exchange = await probe.exchange(path, expected);
        checkBody(exchange, expected);
        if (exchange.error !== null) {
          details.push(exchange.error.detail);
        }
      }
    }
    const all = "another body than in preflight (10000 bytes instead of 10000; it differs from byte ";
    expect(details).toEqual([`${all}9990)`, `${all}0)`]);
  });

  test("is never right by its length alone where something is masked", async () => {
    const bodies = [page("req-1"), "<h1>Internal Server Error</h1>", page("req-1000"), ""];
    expect(await ask(bodies, masked)).toEqual(["right", "digest", "right", "digest"]);
  });

  test("of equal length, where right ones vary, is compared only where that is asked for, and says so", async () => {
    const bodies = ["req-1", "req-2", "req-3", "bad-4"].map(page);
    expect(await ask(bodies, masked)).toEqual(["right", "right", "not checked", "not checked"]);
    expect(await ask(bodies, masked, true)).toEqual(["right", "right", "right", "digest"]);
  });

  test("that has no end is not kept without an end", async () => {
    const bodies = [page("req-1"), "x".repeat(1_000_000)];
    expect(await ask(bodies, masked)).toEqual(["right", "length"]);
  });

  test("is not compared where no two are the same, or its digest is not known", async () => {
    expect(await ask(["a", "bb"], { ...expected, unchecked: "body" })).toEqual(["right", "right"]);
    expect(await ask(["a", "bb"], { ...expected, bytes: 1, unchecked: "digest" })).toEqual([
      "right",
      "length",
    ]);
  });

  test("whose flight data was cut off is another body, and no exception", async () => {
    const variation = { reason: "", normalForm: "react-stream", lengthWithin: 1 } as const;
    const whole = '<p></p><script>self.__next_f.push([1,"a \\"text\\" b"])</script>';
    const cut = '<p></p><script>self.__next_f.push([1,"a \\u00"])</script>';
    const sha256 = maskedDigest(Buffer.from(whole), { masks: [], variation });
    const streamed: Expectation = { ...expected, bytes: whole.length, variation, sha256 };
    expect(await ask([whole, cut], streamed)).toEqual(["right", "digest"]);
  });
});

test("a round asks what an exchange cost right after it, and keeps that", async () => {
  const steps: string[] = [];
  const probe = await probeOf((_request, response) => {
    steps.push("request");
    response.end(BODY);
  });
  const target: AskedTarget = {
    name: "measured",
    probe,
    path: "/",
    expected,
    readCost() {
      steps.push("cost");
      return { cpuMs: 3, minorFaults: 1 };
    },
  };
  const [done] = await runRound([target], {});
  expect(steps).toEqual(["request", "cost"]);
  expect(done?.exchange).toMatchObject({ error: null, cost: { cpuMs: 3, minorFaults: 1 } });
});
