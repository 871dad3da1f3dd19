import { type Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { type Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";

export interface HttpAnswer {
  readonly status: number;
  readonly httpVersion: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly bodyStartMs: number;
  readonly elapsedMs: number;
}

export interface HttpRequest {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | null;
  readonly agent?: HttpAgent | HttpsAgent | false | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Why there is no whole answer. The message says what the server did. */
export class NoAnswerError extends Error {
  readonly how: "late" | "aborted" | "failed";
  readonly isConnected: boolean;

  constructor(how: NoAnswerError["how"], isConnected: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.how = how;
    this.isConnected = isConnected;
  }
}

/** No case comes near this; it bounds what a wrong URL can make us read. */
const MAXIMUM_BODY_BYTES = 256 * 1024 * 1024;

const NOTHING = { isConnected: false, bytes: () => 0, interim: 0, status: 0, bodyBytes: 0 };

/** Within this, in milliseconds, a close meets the request on its way: any round trip is shorter. */
const STALE_WITHIN_MS = 1000;

/**
 * Asks over HTTP/1.1, and follows no redirects. The promise settles however the server ends the request, and
 * after `timeoutMs` at the latest; it rejects with a {@link NoAnswerError}.
 *
 * An answer that comes before the request was sent to its end counts as any other (RFC 9112, 9.5). Interim
 * answers (102, 103) are passed over. Where the server closes a kept connection just as the request is sent on
 * it, the request is sent again in the time that is left, whatever its method: what is measured is sent
 * thousands of times, so that one time more is no harm.
 */
export async function ask(url: string, options: HttpRequest): Promise<HttpAnswer> {
  const endsAt = performance.now() + options.timeoutMs;
  for (;;) {
    const timeoutMs = Math.max(1, endsAt - performance.now());
    const answer = await askOnce(url, { ...options, timeoutMs }, options.timeoutMs);
    if (answer !== null) {
      return answer;
    }
  }
}

/** @returns null where the server had closed a kept connection before the request came. */
function askOnce(url: string, options: HttpRequest, givenMs: number): Promise<HttpAnswer | null> {
  const { method = "GET", headers, body = null, agent, timeoutMs, signal } = options;
  const startedAt = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer | null>();
  const send = url.startsWith("https:") ? httpsRequest : httpRequest;
  const request = send(url, { method, headers, ...(agent !== undefined && { agent }) });
  const seen = { ...NOTHING };
  let isOver = false;
  const end = (how: NoAnswerError["how"], message: string, cause?: unknown): void => {
    isOver = true;
    reject(new NoAnswerError(how, seen.isConnected, message, cause));
    request.destroy();
  };
  const fail = (error: unknown) => {
    if (isOver) {
      return;
    }
    const isStale =
      isReset(error) &&
      request.reusedSocket &&
      seen.bytes() === 0 &&
      performance.now() - startedAt < STALE_WITHIN_MS;
    if (isStale) {
      resolve(null);
    } else {
      end("failed", describeWireError(error), error);
    }
  };
  const onAbort = () => end("aborted", describeSeen(seen));
  // Node.js does not report every end of a request.
  const late = setTimeout(() => {
    end("late", `${describeSeen(seen)} (no complete response within ${givenMs} ms)`);
  }, timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) {
    onAbort();
  }

  request.on("error", (error) => {
    // Writing fails where an answer came before all was sent. Whether that answer is whole, it says itself.
    if (seen.status === 0 || !isReset(error)) {
      fail(error);
    }
  });
  // Without a listener Node.js closes the connection, and says nothing.
  request.on("upgrade", (_response, socket) => {
    socket.destroy();
    fail(new Error(UPGRADED));
  });
  request.on("information", ({ statusCode }) => {
    seen.interim = statusCode;
    // The probe's client takes no such answer.
    if (statusCode === 100) {
      fail(new Error("it sends HTTP 100 Continue, which nobody asked for"));
    }
  });
  request.on("socket", (socket) => {
    if (body !== null) {
      readBeforeFailing(socket);
    }
    const before = socket.bytesRead;
    seen.bytes = () => socket.bytesRead - before;
    seen.isConnected = !socket.connecting;
    if (!socket.connecting) {
      return;
    }
    socket.once("connect", () => {
      seen.isConnected = true;
    });
  });
  request.on("response", (response) => {
    const { statusCode: status = 0, httpVersion } = response;
    if (status === 101) {
      return fail(new Error(UPGRADED));
    }
    if (status < 200) {
      return fail(new Error(`it answers HTTP ${status}, which cannot end a request`));
    }
    const chunks: Buffer[] = [];
    let bodyStartMs: number | null = null;
    seen.status = status;
    response.on("data", (chunk: Buffer) => {
      bodyStartMs ??= performance.now() - startedAt;
      chunks.push(chunk);
      seen.bodyBytes += chunk.length;
      if (seen.bodyBytes > MAXIMUM_BODY_BYTES) {
        fail(new Error(`its body is longer than ${MAXIMUM_BODY_BYTES} bytes`));
      }
    });
    response.on("error", fail);
    response.on("end", () => {
      const elapsedMs = performance.now() - startedAt;
      const whole = { status, httpVersion, headers: response.headers, body: Buffer.concat(chunks) };
      resolve({ ...whole, bodyStartMs: bodyStartMs ?? elapsedMs, elapsedMs });
    });
  });
  request.end(body ?? undefined);
  return promise.finally(() => {
    clearTimeout(late);
    signal?.removeEventListener("abort", onAbort);
  });
}

/** How long a failed write waits for what there is to read, in milliseconds. */
const READ_WITHIN_MS = 100;

const READING_FIRST = new WeakSet<Socket>();

/**
 * Makes a socket read what has come before a write fails by a reset. A server may answer an upload early, and cut the
 * connection: Node.js otherwise throws away an answer that has arrived, where the next part of the upload fails first.
 */
export function readBeforeFailing(socket: Socket): void {
  if (READING_FIRST.has(socket)) {
    return;
  }
  READING_FIRST.add(socket);
  const write = socket._write.bind(socket);
  const writeAll = socket._writev?.bind(socket);
  const afterReading = (callback: WriteCallback): WriteCallback => {
    return (error) => {
      if (!error || !isReset(error) || socket.readableEnded || socket.destroyed) {
        return callback(error);
      }
      const fail = () => {
        clearTimeout(timer);
        socket.off("end", fail).off("close", fail);
        callback(error);
      };
      const timer = setTimeout(fail, READ_WITHIN_MS);
      socket.once("end", fail).once("close", fail);
    };
  };
  socket._write = (chunk, encoding, callback) => write(chunk, encoding, afterReading(callback));
  if (writeAll !== undefined) {
    socket._writev = (chunks, callback) => writeAll(chunks, afterReading(callback));
  }
}

type WriteCallback = (error?: Error | null) => void;

function isReset(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return code === "ECONNRESET" || code === "EPIPE";
}

function describeSeen({ isConnected, bytes, interim, status, bodyBytes }: typeof NOTHING): string {
  if (!isConnected) {
    return "there is no connection";
  }
  if (status > 0) {
    return `it answers HTTP ${status}, and its body does not end: ${bodyBytes} bytes came`;
  }
  if (interim > 0) {
    return `it sends HTTP ${interim}, and no final answer`;
  }
  if (bytes() > 0) {
    return "it begins an answer, and its headers do not end";
  }
  return "it accepts connections, and does not answer";
}

/**
 * Codes of a system that gives this process no further connection, and what it has none left of. They say nothing
 * of a server.
 */
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

const UPGRADED = "it switches to another protocol (HTTP 101), which nobody asked for";
const CUT_OFF = "it closed the connection before its answer was complete";
const TOO_MUCH_HEAD = "its headers are longer than the client takes (16 KB)";

/** By code of Node.js, of its parser (HPE_) and of undici; and by what undici says of sockets. */
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

/** What a server did, of which a client of HTTP says no more than a code. */
export function describeWireError(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { message, cause } = error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (message === "fetch failed" && cause !== undefined) {
    return describeWireError(cause);
  }
  const limit = describeOwnLimit(error);
  if (limit !== null) {
    return limit;
  }
  const did = CAUSE_BY_CODE.get(message) ?? CAUSE_BY_CODE.get(code);
  if (did !== undefined) {
    return SYSTEM_CODE.test(code)
      ? `${did} (${code === "ECONNREFUSED" && message !== "" ? message : code})`
      : did;
  }
  const [, nodeReason, parsers = nodeReason] = PARSER_ERROR.exec(message) ?? [];
  if (parsers !== undefined) {
    return `it sends something other than HTTP/1.1 (${parsers})`;
  }
  if (message === "") {
    return code || "it failed without a message";
  }
  return code === "" || message.includes(code) ? message : `${message} (${code})`;
}
