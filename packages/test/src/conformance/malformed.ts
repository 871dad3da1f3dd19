import { connect } from "node:net";
import { drawBelow } from "@evenbench/stats";

/** Only stops what hangs: a server that waits for more of a request that is never sent. */
const SILENT_AFTER_MS = 1500;

/** With something wrong in most of its parts. The first of the credentials is the right one. */
export function malformedRequest(
  random: () => number,
  parts: Readonly<{ paths: string[]; queries: string[]; credentials: (string | null)[] }>,
) {
  const { paths, queries, credentials } = parts;
  const one = <T>(values: readonly T[]): T => values[drawBelow(random, values.length)] as T;
  const chance = (oneIn: number): boolean => drawBelow(random, oneIn) === 0;
  const noise = (most: number): string =>
    String.fromCharCode(...Array.from({ length: drawBelow(random, most) }, () => drawBelow(random, 256)));
  const visible = (most: number): string => noise(most).replace(/[\0-\x20\x7f]/g, "%");

  const wellFormed = ["GET", "GET", "HEAD", "POST", "TRACE"];
  const method = one([...wellFormed, ...wellFormed, "get", "BREW", "G E T", "", visible(12)]);
  const path = one([
    `${one(paths)}?${one(queries)}`,
    `${one(paths)}?${visible(200)}=${visible(200)}&%zz=%`,
    `/${visible(60)}`,
    `//${one(paths)}/../..${one(paths)}`,
    `${one(paths)}/%00%2e%2e%2f${visible(10)}`,
    `http://other.example${one(paths)}?${one(queries)}`,
    `/${"a".repeat(drawBelow(random, 20_000))}`,
    `${one(paths)}#${visible(20)}?token=${visible(40)}`,
    "*",
    "",
    noise(40),
  ]);
  const credential = one(credentials);
  const oddHeaders = [
    `x-noise: ${noise(300)}\r\n${visible(10)}: x\r\nx-matched-path: ${one(paths)}`,
    "host: 127.0.0.1\r\nrange: bytes=9-1,-\r\nno colon in here",
    `content-length: ${one(["5", "-1"])}`,
    "transfer-encoding: chunked, chunked",
    "connection: upgrade\r\nupgrade: websocket\r\nexpect: 100-continue",
    `cookie: ${"c=".repeat(drawBelow(random, 5000))}`,
  ];
  const headers = [
    ...(chance(8) ? [] : ["host: 127.0.0.1"]),
    ...(credential === null ? [] : [`authorization: ${credential}`]),
    ...(chance(3) ? [one(oddHeaders)] : []),
    "connection: close",
  ];
  const version = chance(10) ? one(["HTTP/0.9", "HTTP/9.9", "", "HTTP/1.1 "]) : "HTTP/1.1";
  const body = chance(10) ? noise(100) : "";
  const text = `${method} ${path} ${version}\r\n${headers.join("\r\n")}\r\n\r\n${body}`;
  return { bytes: Buffer.from(text, "latin1"), authorized: credential === credentials[0] };
}

export function sendBytes(url: string, bytes: Buffer): Promise<number | null> {
  const { hostname, port } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
  let start = "";
  const end = (): void => {
    const status = /^(?:HTTP\/1\.1 100 .*\r\n\r\n)?HTTP\/1\.[01] (\d{3})/.exec(start)?.[1];
    resolve(status === undefined ? null : Number(status));
    socket.destroy();
  };
  socket.setTimeout(SILENT_AFTER_MS, end);
  socket.on("data", (chunk) => {
    if (start.length < 100) start += chunk.toString("latin1", 0, 100);
  });
  // A server that has answered already may reset what is still on its way to it.
  socket.once("error", end).once("close", end).once("end", end);
  return promise;
}
