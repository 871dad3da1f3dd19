// Errors of the network in words.

/** Tells whether an error says that the other side cut the connection. */
export function isReset(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return code === "ECONNRESET" || code === "EPIPE";
}

/** Limits of the client itself, by a system's error code. They say nothing of a server. */
const OWN_LIMITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EMFILE: "this process has as many open files as it may have (ulimit -n)",
    ENFILE: "this machine has as many open files as it may have",
    EADDRNOTAVAIL: "this machine has no free local port for another connection",
    ENOBUFS: "this machine has no buffers left for another connection",
    ENOMEM: "this machine has no memory left for another connection",
  }),
);

/** Says which limit of the client itself an error is about; null where it is about none. */
export function describeOwnLimit(error: unknown): string | null {
  const { code = "" } = (error ?? {}) as NodeJS.ErrnoException;
  const limit = OWN_LIMITS.get(code);
  return limit === undefined ? null : `${limit} (${code})`;
}

/** The words for an answer that is none of HTTP any more. */
export const UPGRADED = "it switches to another protocol (HTTP 101), which nobody asked for";
const CUT_OFF = "it closed the connection before its answer was complete";
const TOO_MUCH_HEAD = "its headers are longer than the client takes (16 KB)";

/**
 * Causes of network errors in plain words, by code of the system, Node.js, its parser (HPE_) or undici, or by undici's
 * message.
 */
const CAUSE_BY_CODE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ECONNREFUSED: "nothing listens there",
    ECONNRESET: CUT_OFF,
    EPIPE: CUT_OFF,
    EPROTO: "it does not speak TLS there",
    ERR_ASSERTION: "its answer breaks HTTP/1.1",
    HPE_HEADER_OVERFLOW: TOO_MUCH_HEAD,
    HPE_INVALID_EOF_STATE: CUT_OFF,
    UND_ERR_HEADERS_OVERFLOW: TOO_MUCH_HEAD,
    UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "its body is not as long as its content-length says",
    "bad response": "it sends HTTP 100 Continue, which nobody asked for",
    "bad upgrade": UPGRADED,
    "other side closed": CUT_OFF,
  }),
);

const SYSTEM_CODE = /^E[A-Z]+$/;
const PARSER_ERROR = /^(?:Parse Error: (.+)|Response does not match the HTTP\/1\.1 protocol \((.+)\))$/;

/** Tells whether an error is that of Node.js's parser of HTTP, which was given something else, or too much. */
export function isUnusable(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return code.startsWith("HPE_") && CAUSE_BY_CODE.get(code) !== CUT_OFF;
}

/** Describes a network error in plain words: what the server did, or which limit the client reached. */
export function describeWireError(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { message, cause } = error;
  if (message === "fetch failed" && cause !== undefined) {
    return describeWireError(cause);
  }
  const limit = describeOwnLimit(error);
  if (limit !== null) {
    return limit;
  }
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const known = CAUSE_BY_CODE.get(message) ?? CAUSE_BY_CODE.get(code);
  if (known !== undefined) {
    return SYSTEM_CODE.test(code) ? `${known} (${detailOf(code, message)})` : known;
  }
  const [, byNode, byUndici] = PARSER_ERROR.exec(message) ?? [];
  const parserReason = byUndici ?? byNode;
  if (parserReason !== undefined) {
    return `it sends something other than HTTP/1.1 (${parserReason})`;
  }
  if (message === "") {
    return code || "it failed without a message";
  }
  return code === "" || message.includes(code) ? message : `${message} (${code})`;
}

/** Gives what is shown of an error with a known cause: its code; of a refused connection the address, too. */
function detailOf(code: string, message: string): string {
  return code === "ECONNREFUSED" && message !== "" ? message : code;
}
