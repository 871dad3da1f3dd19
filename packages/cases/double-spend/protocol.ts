// memcached's text protocol (protocol.txt: "Retrieval commands", "version").

export type Reply =
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "miss" }
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "error"; readonly message: string };

/** As a program that writes them one by one would. */
export function getCommand(key: string): readonly string[] {
  return ["get ", key, "\r\n"];
}

export function versionCommand(): readonly string[] {
  return ["version", "\r\n"];
}

export function parseReply(text: string): Reply | null {
  const end = text.indexOf("\r\n");
  if (end === -1) return null;
  const [word = "", , , length] = text.slice(0, end).split(" ");
  if (word === "END") return { kind: "miss" };
  if (word === "VERSION") return { kind: "version", version: text.slice(word.length + 1, end) };
  if (word !== "VALUE") return { kind: "error", message: text.slice(0, end) };
  const valueEnd = end + 2 + Number(length);
  if (!text.startsWith("\r\nEND\r\n", valueEnd)) return null;
  return { kind: "value", value: text.slice(end + 2, valueEnd) };
}

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
