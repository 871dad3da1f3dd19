import type { Agent } from "node:http";
import { INSTANCE_HEADER, type InstanceAccount, parseInstanceHeader } from "@evenbench/core";
import { ask, type HttpAnswer } from "@evenbench/core/http";

export type Answer = Pick<HttpAnswer, "status" | "headers" | "body">;

export function accountOf({ headers }: Answer): InstanceAccount | null {
  return parseInstanceHeader(headers[INSTANCE_HEADER]?.toString());
}

export interface ExchangeOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

/** One request as it is written: nothing is decoded or followed on the way, unlike with fetch(). */
export function exchange(url: string, path: string, options: ExchangeOptions = {}): Promise<Answer> {
  return ask(url + path, { headers: {}, agent: false, timeoutMs: 120_000, ...options });
}

export async function leaveAtFirstByte(url: string, path: string): Promise<void> {
  const reader = (await fetch(url + path)).body?.getReader();
  await reader?.read();
  await reader?.cancel();
}
