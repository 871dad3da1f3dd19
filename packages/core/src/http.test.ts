import { Agent } from "node:http";
import { createServer, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { ask, describeOwnLimit, describeWireError } from "./http.ts";

/** A server that says the same to each request, whatever it is, and may close the connection behind it. */
async function urlOf(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => answer(socket));
  });
  onTestFinished(() => {
    for (const socket of sockets) {
      socket.destroy();
    }
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const OK = "HTTP/1.1 200 OK\r\n";
const request = { headers: {}, agent: false, timeoutMs: 30_000 } as const;

const CUT_OFF = `${OK}content-length: 10\r\n\r\nhello`;

test.each([
  ["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", /another protocol/],
  ["HTTP/1.1 101 Switching Protocols\r\n\r\n", /another protocol/],
  ["HTTP/1.1 100 Continue\r\n\r\n", /100 Continue/],
  ["HTTP/1.1 000 Odd\r\ncontent-length: 0\r\n\r\n", /HTTP 0/],
  [CUT_OFF, /closed the connection/],
  [`${OK}x: ${"a".repeat(200_000)}\r\n\r\n`, /headers are longer/],
  [`${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`, /chunk/],
  [`${OK}this is no header\r\n\r\n`, /header/],
  ["SSH-2.0-OpenSSH_9.0\r\n", /other than HTTP\/1\.1/],
])("an answer %# that cannot be used ends the request, with what the server did", async (answer, words) => {
  const url = await urlOf((socket) => socket.end(answer));
  const error = await ask(url, request).catch((reason: unknown) => reason);
  const how = answer === CUT_OFF ? "failed" : "unusable";
  expect(error).toMatchObject({ how, isConnected: true, message: expect.stringMatching(words) });
  expect(error).toMatchObject({ message: expect.not.stringMatching(/HPE_|Parse Error/) });
});

test.each([
  [`${OK}content-length: 2\r\n\r\nok`.repeat(2), "GET"],
  [`${OK}content-length: 2\r\n\r\nok and more`, "GET"],
  [`${OK}content-length: 2\r\n\r\nok`, "HEAD"],
])("an answer %# that more follows is none", async (answer, method) => {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const url = await urlOf((socket) => socket.write(answer));
  await expect(ask(url, { ...request, agent, method })).rejects.toMatchObject({ how: "unusable" });
});

test("a connection that ends right behind its answer, unannounced, is no fault", async () => {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const url = await urlOf((socket) => socket.end(`${OK}content-length: 2\r\n\r\nok`));
  expect((await ask(url, { ...request, agent })).body.toString()).toBe("ok");
});

test("a request that nobody answers ends with its time, and with its signal", async () => {
  const over = new AbortController();
  const url = await urlOf(() => over.abort());
  const aborted = { how: "aborted", message: expect.stringContaining("does not answer") };
  await expect(ask(url, { ...request, signal: over.signal })).rejects.toMatchObject(aborted);
  await expect(ask(url, { ...request, timeoutMs: 20 })).rejects.toMatchObject({ how: "late" });
  await expect(ask(url, { ...request, signal: over.signal })).rejects.toMatchObject({ how: "aborted" });
});

test("on a kept connection that the server has closed meanwhile a request is sent again, and on no new one", async () => {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  let connections = 0;
  const url = await urlOf((socket) => {
    connections += 1;
    if (connections === 3) {
      return socket.resetAndDestroy();
    }
    socket.write(`${OK}content-length: 2\r\n\r\nok`);
    socket.on("data", () => socket.resetAndDestroy());
  });
  const kept = { ...request, agent };
  expect((await ask(url, kept)).status).toBe(200);
  expect((await ask(url, kept)).status).toBe(200);
  expect(connections).toBe(2);
  // It is sent again on the third connection, which is new, and ends it at once.
  await expect(ask(url, kept)).rejects.toMatchObject({ how: "failed", isConnected: true });
  expect(connections).toBe(3);
});

test("an answer before the end of an upload is read, also on the connection that the server ended behind it", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  let cut = Promise.withResolvers<void>();
  const url = await urlOf((socket) => {
    socket.once("close", () => cut.resolve());
    socket.write("HTTP/1.1 413 Content Too Large\r\ncontent-length: 4\r\n\r\nbig\n", () => socket.destroy());
  });
  const body = Buffer.alloc(3_000_000, "x");
  const upload = { ...request, method: "POST", headers: { "content-length": `${body.length}` }, body, agent };
  for (let time = 0; time < 5; time++) {
    const { status, body: answer } = await ask(url, upload);
    expect([status, answer.toString()]).toEqual([413, "big\n"]);
    await cut.promise;
    cut = Promise.withResolvers();
  }
});

test("where POST meets the end of its kept connection, it has failed, and is not sent again", async () => {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  let connections = 0;
  const url = await urlOf((socket) => {
    connections += 1;
    socket.write(`${OK}content-length: 2\r\n\r\nok`);
    socket.on("data", () => socket.resetAndDestroy());
  });
  const kept = { ...request, method: "POST", agent };
  expect((await ask(url, kept)).status).toBe(200);
  await expect(ask(url, kept)).rejects.toMatchObject({
    how: "failed",
    message: expect.stringMatching(/ended just as POST was sent.*RFC 9110, 9\.2\.2/),
  });
  expect(connections).toBe(1);
});

test("a request that is sent again has only the time that is left", async () => {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let connections = 0;
  let leftMs: number | null = null;
  const url = await urlOf((socket) => {
    connections += 1;
    // Only the first connection is answered on.
    if (connections === 1) {
      socket.write(`${OK}content-length: 2\r\n\r\nok`);
      socket.on("data", () => {
        vi.advanceTimersByTime(150);
        socket.resetAndDestroy();
      });
      return;
    }
    const before = performance.now();
    vi.advanceTimersToNextTimer();
    leftMs = performance.now() - before;
  });
  const kept = { ...request, agent, timeoutMs: 400 };
  await ask(url, kept);
  await expect(ask(url, kept)).rejects.toMatchObject({
    how: "late",
    message: expect.stringContaining("within 400 ms"),
  });
  expect(connections).toBe(2);
  expect(leftMs).toBe(250);
});

test("interim answers are passed over, and the body's start is that of the final answer", async () => {
  const url = await urlOf((socket) => {
    socket.write(
      "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n",
    );
    setTimeout(() => socket.end(`${OK}content-length: 2\r\n\r\nok`), 50);
  });
  const { status, bodyStartMs } = await ask(url, request);
  expect(status).toBe(200);
  expect(bodyStartMs).toBeGreaterThan(45);
});

test("a limit of the client itself is said to be one", () => {
  const error = Object.assign(new Error("connect EMFILE 127.0.0.1:80"), { code: "EMFILE" });
  expect(describeWireError(error)).toContain("this process has as many open files");
  expect(describeOwnLimit(error)).toContain("EMFILE");
  expect(describeOwnLimit(Object.assign(new Error(), { code: "ECONNRESET" }))).toBeNull();
});
