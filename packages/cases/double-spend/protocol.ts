// memcached's text protocol (protocol.txt: "Retrieval commands", "version").

/** Finds the first line of a whole reply; null where there is more to come. */
export function parseReply(text: string): string | null {
  const end = text.indexOf("\r\n");
  if (end === -1) {
    return null;
  }
  const line = text.slice(0, end);
  const [word, , , length] = line.split(" ");
  const isWhole = word !== "VALUE" || text.startsWith("\r\nEND\r\n", end + 2 + Number(length));
  return isWhole ? line : null;
}

/** A connection to memcached, for one command at a time. */
export interface Connection {
  /** Sends a command, each part as a write of its own. @returns the first line of the reply. */
  ask(parts: readonly string[]): Promise<string>;
  close(): void;
}

/** How a connection is made. */
export interface ConnectOptions {
  /** "host:port". */
  readonly address: string;
  /** True where TCP_NODELAY is on: small writes are sent at once (RFC 9293, section 3.7.4). */
  readonly noDelay: boolean;
}

/** Milliseconds after which a silent store is taken to be down. */
export const ANSWERS_WITHIN_MS = 5000;
