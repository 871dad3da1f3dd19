import {
  type ClientRequest,
  type Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { type Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { describeStale, mayBeSentAgain, readBeforeFailing, untilEndsAreRead } from "./connection-ends.ts";
import { describeWireError, isReset, isUnusable, UPGRADED } from "./wire-errors.ts";

export { describeStale, mayBeSentAgain, readBeforeFailing, untilEndsAreRead } from "./connection-ends.ts";
export { describeOwnLimit, describeWireError } from "./wire-errors.ts";

/** A whole answer over HTTP. */
export interface HttpAnswer {
  readonly status: number;
  /** "1.0" or "1.1". */
  readonly httpVersion: string;
  /** Headers by name in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Milliseconds until the body's first part came; those until its end where there was none. */
  readonly bodyStartMs: number;
  /** Milliseconds until the end of the body. */
  readonly elapsedMs: number;
}

/** A request, apart from its URL. */
export interface HttpRequest {
  /** @default "GET" */
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** null: the request has no body, as by default. */
  readonly body?: Uint8Array | null;
  /** Keeps connections; false: a connection of its own. Default: Node.js's own agent. */
  readonly agent?: HttpAgent | HttpsAgent | false | undefined;
  /** Milliseconds within which the whole answer has to come. */
  readonly timeoutMs: number;
  /** Gives up when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** The error where there is no whole answer. Its message says what the server did. */
export class NoAnswerError extends Error {
  /**
   * "late": its time was over; "aborted": by the signal; "unusable": what came is no answer that the client takes;
   * "failed": by the server, or on the way to it.
   */
  readonly how: "late" | "aborted" | "unusable" | "failed";
  /** True where there was a connection: something listens there. */
  readonly isConnected: boolean;

  constructor(how: NoAnswerError["how"], isConnected: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.how = how;
    this.isConnected = isConnected;
  }
}

/** The longest body that is read, in bytes. No case comes near this; it bounds what a wrong URL can make us read. */
const MAXIMUM_BODY_BYTES = 256 * 1024 * 1024;

/**
 * Asks over HTTP/1.1, and follows no redirects. The promise settles however the server ends the request, and
 * after `timeoutMs` at the latest; it rejects with a {@link NoAnswerError}.
 *
 * An answer that comes before the request was sent to its end counts as any other (RFC 9112, 9.5). Interim
 * answers (102, 103) are passed over. Where the server closes a kept connection just as the request is sent on
 * it, the request is sent again in the time that is left if its method is idempotent, and has failed if it is not.
 */
export async function ask(url: string, options: HttpRequest): Promise<HttpAnswer> {
  const { method = "GET" } = options;
  const endsAt = performance.now() + options.timeoutMs;
  if (!mayBeSentAgain(method)) {
    await untilEndsAreRead();
  }
  for (;;) {
    const leftMs = Math.max(1, endsAt - performance.now());
    const answer = await new RequestOnce(url, options, leftMs).answer;
    if (answer !== null) {
      return answer;
    }
    if (!mayBeSentAgain(method)) {
      throw new NoAnswerError("failed", true, describeStale(method));
    }
  }
}

/** A request on one connection, from its start until it is over. */
class RequestOnce {
  /** The whole answer; null where the server had closed a kept connection before the request came. */
  readonly answer: Promise<HttpAnswer | null>;
  readonly #startedAt = performance.now();
  readonly #request: ClientRequest;
  readonly #resolve: (answer: HttpAnswer | null) => void;
  readonly #reject: (error: NoAnswerError) => void;
  #isOver = false;
  #isConnected = false;
  /** Bytes that came on this connection for this request. */
  #receivedBytes: () => number = () => 0;
  /** Status of the last interim answer; 0 where none came. */
  #interimStatus = 0;
  /** Status of the final answer; 0 until its head has come. */
  #status = 0;
  #bodyBytes = 0;

  constructor(url: string, options: HttpRequest, leftMs: number) {
    const { method = "GET", headers, body = null, agent, timeoutMs, signal } = options;
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer | null>();
    this.#resolve = resolve;
    this.#reject = reject;
    const send = url.startsWith("https:") ? httpsRequest : httpRequest;
    this.#request = send(url, { method, headers, ...(agent !== undefined && { agent }) });
    const abort = () => this.#end("aborted", this.#describeSeen());
    // Node.js does not report every end of a request.
    const late = setTimeout(() => {
      this.#end("late", `${this.#describeSeen()} (no complete response within ${timeoutMs} ms)`);
    }, leftMs);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) {
      abort();
    }
    this.#listen(body !== null);
    this.#request.end(body ?? undefined);
    this.answer = promise.finally(() => {
      clearTimeout(late);
      signal?.removeEventListener("abort", abort);
    });
  }

  #listen(hasBody: boolean): void {
    this.#request.on("error", (error) => {
      // Writing fails where an answer came before all was sent. Whether that answer is whole, it says itself.
      if (this.#status === 0 || !isReset(error)) {
        this.#fail(error);
      }
    });
    // Without a listener Node.js closes the connection, and says nothing.
    this.#request.on("upgrade", (_response, socket) => {
      socket.destroy();
      this.#end("unusable", UPGRADED);
    });
    this.#request.on("information", ({ statusCode }) => {
      this.#interimStatus = statusCode;
      // The probe's client takes no such answer.
      if (statusCode === 100) {
        this.#end("unusable", "it sends HTTP 100 Continue, which nobody asked for");
      }
    });
    this.#request.on("socket", (socket) => {
      if (hasBody) {
        readBeforeFailing(socket);
      }
      this.#watch(socket);
    });
    this.#request.on("response", (response) => this.#read(response));
  }

  #watch(socket: Socket): void {
    const before = socket.bytesRead;
    this.#receivedBytes = () => socket.bytesRead - before;
    this.#isConnected = !socket.connecting;
    if (!socket.connecting) {
      return;
    }
    socket.once("connect", () => {
      this.#isConnected = true;
    });
  }

  #read(response: IncomingMessage): void {
    const { statusCode: status = 0, httpVersion, headers } = response;
    if (status === 101) {
      this.#end("unusable", UPGRADED);
      return;
    }
    if (status < 200) {
      this.#end("unusable", `it answers HTTP ${status}, which cannot end a request`);
      return;
    }
    this.#status = status;
    // Servers end the connection behind an error that they answer before they have read the upload (RFC 9112, 9.5), often
    // unannounced. No other request is to meet that end.
    const { socket } = response;
    const isLast = status >= 400 || !this.#request.writableFinished;
    const chunks: Buffer[] = [];
    let bodyStartMs: number | null = null;
    response.on("data", (chunk: Buffer) => {
      bodyStartMs ??= performance.now() - this.#startedAt;
      chunks.push(chunk);
      this.#bodyBytes += chunk.length;
      if (this.#bodyBytes > MAXIMUM_BODY_BYTES) {
        this.#end("unusable", `its body is longer than ${MAXIMUM_BODY_BYTES} bytes`);
      }
    });
    response.on("error", (error) => this.#fail(error));
    response.on("end", () => {
      const elapsedMs = performance.now() - this.#startedAt;
      // Node.js ends a connection at once where more follows behind an answer, such as another one.
      if (socket.destroyed && this.#request.shouldKeepAlive && !isLast) {
        this.#end("unusable", "it sends more behind the end of its answer, such as a second one");
        return;
      }
      const body = Buffer.concat(chunks);
      if (isLast) {
        socket.destroy();
      }
      this.#resolve({ status, httpVersion, headers, body, bodyStartMs: bodyStartMs ?? elapsedMs, elapsedMs });
    });
  }

  #fail(error: unknown): void {
    const wasClosedBefore = isReset(error) && this.#request.reusedSocket && this.#receivedBytes() === 0;
    if (wasClosedBefore) {
      this.#resolve(null);
    } else {
      this.#end(isUnusable(error) ? "unusable" : "failed", describeWireError(error), error);
    }
  }

  #end(how: NoAnswerError["how"], message: string, cause?: unknown): void {
    if (this.#isOver) {
      return;
    }
    this.#isOver = true;
    this.#reject(new NoAnswerError(how, this.#isConnected, message, cause));
    this.#request.destroy();
  }

  #describeSeen(): string {
    if (!this.#isConnected) {
      return "there is no connection";
    }
    if (this.#status > 0) {
      return `it answers HTTP ${this.#status}, and its body does not end: ${this.#bodyBytes} bytes came`;
    }
    if (this.#interimStatus > 0) {
      return `it sends HTTP ${this.#interimStatus}, and no final answer`;
    }
    if (this.#receivedBytes() > 0) {
      return "it begins an answer, and its headers do not end";
    }
    return "it accepts connections, and does not answer";
  }
}
