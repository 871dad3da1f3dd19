import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import { INSTANCE_HEADER, type InstanceAccount, parseInstanceHeader } from "@evenbench/core";

const HANGS_AFTER_MS = 120_000;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export function accountOf({ headers }: Answer): InstanceAccount | null {
  return parseInstanceHeader(headers[INSTANCE_HEADER]?.toString());
}

export interface ExchangeOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

/**
 * One request as it is written: nothing is decoded, followed or normalised on the way, unlike with fetch().
 */
export function exchange(url: string, path: string, options: ExchangeOptions = {}): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const outgoing = request(
    { hostname, port, path, agent: false, signal: AbortSignal.timeout(HANGS_AFTER_MS), ...options },
    async (incoming) => {
      try {
        const body = Buffer.concat(await incoming.toArray());
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
      } catch (error) {
        reject(error);
      }
    },
  );
  outgoing.once("error", reject).end();
  return promise;
}

export function leaveAtFirstByte(url: string, path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const outgoing = request(
    new URL(path, url),
    { agent: false, signal: AbortSignal.timeout(HANGS_AFTER_MS) },
    (incoming) => {
      incoming.once("close", resolve).once("data", () => incoming.destroy());
    },
  );
  outgoing.once("error", reject).end();
  return promise;
}
