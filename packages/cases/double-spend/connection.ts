import type { Reply } from "./protocol.ts";

export interface Connection {
  ask(parts: readonly string[]): Promise<Reply>;
  close(): void;
}

export interface ConnectOptions {
  /** "127.0.0.1:11211" */
  readonly address: string;
  /** Whether Nagle's algorithm is off, where the runtime lets a program choose. */
  readonly noDelay: boolean;
}

/** A store that is silent for so long is down. */
export const ANSWERS_WITHIN_MS = 5000;
