import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";

export type Fault = "gzip" | "truncated" | "silent" | "endless 1xx" | "HTTP 503" | "closing";

/** A connection that ends while the client sends is an error: more often, and a target would be dropped for these. */
const CLOSES_EVERY = 40;

export interface FaultyProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Passes so many exchanges with cases on whole before it goes wrong; `/identity` stays sound. */
export async function startFaultyProxy(
  upstream: string,
  fault: Fault | null,
  soundExchanges: number,
  afterwards: () => void = () => {},
): Promise<FaultyProxy> {
  let exchanges = 0;
  const server = createServer((incoming, response) => {
    const isCase = incoming.url !== "/identity";
    if (isCase) exchanges++;
    const isSound = isCase ? exchanges <= soundExchanges : soundExchanges > 0;
    if (!isSound && fault === "silent") return;
    if (!isSound && fault === "endless 1xx") return sayProcessing(response);
    if (isCase && exchanges === soundExchanges) response.once("finish", afterwards);
    if (isCase && fault === "closing" && exchanges % CLOSES_EVERY === 0)
      response.once("finish", () => incoming.socket.end());
    passOn(upstream, incoming, response, isSound ? null : fault);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => close(server) };
}

function sayProcessing(response: ServerResponse): void {
  const again = setInterval(() => response.writeProcessing(), 5);
  response.once("close", () => clearInterval(again));
}

function passOn(
  upstream: string,
  { url = "/", headers }: Pick<IncomingMessage, "url" | "headers">,
  response: ServerResponse,
  fault: Fault | null,
): void {
  const onward = request(upstream + url, { headers, agent: false }, async (answer) => {
    const body = await buffer(answer);
    const status = fault === "HTTP 503" ? 503 : answer.statusCode;
    const sent = fault === "gzip" ? gzipSync(body) : body;
    if (fault === "gzip") response.setHeader("content-encoding", "gzip");
    response.writeHead(status ?? 502, { ...answer.headers, "content-length": sent.length });
    if (fault === "truncated") response.write(sent.subarray(0, sent.length / 2), () => response.destroy());
    else response.end(sent);
  });
  // A target whose worker is replaced is away for a moment.
  onward.once("error", () => setTimeout(() => passOn(upstream, { url, headers }, response, fault), 20));
  onward.end();
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
