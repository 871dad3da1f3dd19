import type { Reply } from "./protocol.ts";

export interface Connection {
  ask(parts: readonly string[]): Promise<Reply>;
  close(): void;
}

export interface ConnectOptions {
  readonly address: string;
  readonly noDelay: boolean;
}

/** A store that is silent for so long is down. */
export const ANSWERS_WITHIN_MS = 5000;
