import type { Agent } from "node:http";
import { connect } from "node:net";
import {
  type CaseManifest,
  INSTANCE_HEADER,
  type InstanceAccount,
  parseInstanceHeader,
  sentText,
} from "@evenbench/core";
import { ask, type HttpAnswer } from "@evenbench/core/http";

export type Answer = Pick<HttpAnswer, "status" | "headers" | "body">;

export function accountOf({ headers }: Answer): InstanceAccount | null {
  return parseInstanceHeader(headers[INSTANCE_HEADER]?.toString());
}

export interface ExchangeOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | null;
  readonly agent?: Agent;
}

/** The request of a case: its method, with its body. @param headers what it has besides. */
export function requestOf(
  { sends }: Pick<CaseManifest, "sends">,
  headers: Readonly<Record<string, string>> = {},
): ExchangeOptions {
  if (sends === undefined) {
    return { headers };
  }
  const body = Buffer.from(sentText(sends));
  const described = { "content-type": sends.contentType, "content-length": `${body.length}` };
  return { method: sends.method, body, headers: { ...headers, ...described } };
}

/** Sends one request as it is written: nothing is decoded or followed on the way, unlike with fetch(). */
export function exchange(url: string, path: string, options: ExchangeOptions = {}): Promise<Answer> {
  return ask(url + path, { headers: {}, agent: false, timeoutMs: 120_000, ...options });
}

export async function leaveAtFirstByte(
  url: string,
  { path, sends }: Pick<CaseManifest, "path" | "sends">,
): Promise<void> {
  const request = sends === undefined ? {} : { method: sends.method, body: sentText(sends) };
  const reader = (await fetch(url + path, request)).body?.getReader();
  await reader?.read();
  await reader?.cancel();
}

/** Only stops what hangs: a server that waits for more of a request that is never sent. */
const SILENT_AFTER_MS = 1500;

/** @returns the status of what is answered, or null where it is no HTTP. */
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
    if (start.length < 100) {
      start += chunk.toString("latin1", 0, 100);
    }
  });
  // A server that has answered already may reset what is still on its way to it.
  socket.once("error", end).once("close", end).once("end", end);
  return promise;
}
