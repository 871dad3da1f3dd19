// memcached's text protocol (protocol.txt: "Retrieval commands", "version").

/** The first line of a whole reply; null where there is more to come. */
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

export interface Connection {
  /** Each part as a write of its own. */
  ask(parts: readonly string[]): Promise<string>;
  close(): void;
}

export interface ConnectOptions {
  readonly address: string;
  readonly noDelay: boolean;
}

/** A store that is silent for so long is down. */
export const ANSWERS_WITHIN_MS = 5000;
