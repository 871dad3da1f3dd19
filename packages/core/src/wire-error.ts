export const UPGRADED = "it switches to another protocol (HTTP 101), which nobody asked for";
const CUT_OFF = "it closed the connection before its answer was complete";
const TOO_MUCH_HEAD = "its headers are longer than the client takes (16 KB)";
const LINE_ENDS = "its lines do not end with CR LF";
const TWO_LENGTHS = "it says the length of its body twice (content-length, transfer-encoding)";

/** By code of Node.js, of its parser (HPE_) and of undici; and by what undici says of sockets. */
const DID: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ECONNREFUSED: "nothing listens there",
    ECONNRESET: CUT_OFF,
    EPIPE: CUT_OFF,
    EPROTO: "it does not speak TLS there",
    ERR_ASSERTION: "its answer breaks HTTP/1.1",
    HPE_CHUNK_EXTENSIONS_OVERFLOW: "its chunk extensions are longer than the client takes",
    HPE_CLOSED_CONNECTION: "it sends more after an answer that closes the connection",
    HPE_CR_EXPECTED: LINE_ENDS,
    HPE_HEADER_OVERFLOW: TOO_MUCH_HEAD,
    HPE_INVALID_CHUNK_SIZE: "it sends a chunk without a size",
    HPE_INVALID_CONSTANT:
      "it sends what is no HTTP/1.1 (another protocol, or more bytes than an answer's body has)",
    HPE_INVALID_CONTENT_LENGTH: "its content-length is no length",
    HPE_INVALID_EOF_STATE: CUT_OFF,
    HPE_INVALID_HEADER_TOKEN: "a header of it has what no header may have",
    HPE_INVALID_STATUS: "its status line has no status",
    HPE_INVALID_TRANSFER_ENCODING: TWO_LENGTHS,
    HPE_INVALID_VERSION: "it answers with a version of HTTP that does not exist",
    HPE_LF_EXPECTED: LINE_ENDS,
    HPE_STRICT: LINE_ENDS,
    HPE_UNEXPECTED_CONTENT_LENGTH: TWO_LENGTHS,
    UND_ERR_HEADERS_OVERFLOW: TOO_MUCH_HEAD,
    UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "its body is not as long as its content-length says",
    "bad response": "it sends HTTP 100 Continue, which nobody asked for",
    "bad upgrade": UPGRADED,
    "other side closed": CUT_OFF,
  }),
);

const OF_SYSTEM = /^E[A-Z]+$/;
/** As Node.js and undici say what their parser says. */
const PARSERS = /^(?:Parse Error: (.+)|Response does not match the HTTP\/1\.1 protocol \((.+)\))$/;

/** What a server did, of which a client of HTTP says no more than a code. */
export function describeWireError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // All that fetch() says itself.
  if (message === "fetch failed" && cause !== undefined) return describeWireError(cause);
  const did = DID.get(message) ?? DID.get(code);
  if (did !== undefined)
    return OF_SYSTEM.test(code)
      ? `${did} (${code === "ECONNREFUSED" && message !== "" ? message : code})`
      : did;
  const [, ofNode, parsers = ofNode] = PARSERS.exec(message) ?? [];
  if (parsers !== undefined) return `it sends what is no HTTP/1.1 (${parsers})`;
  if (message === "") return code || "it failed without a message";
  return code === "" || message.includes(code) ? message : `${message} (${code})`;
}
