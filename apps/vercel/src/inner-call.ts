import {
  type IncomingHttpHeaders,
  IncomingMessage,
  type OutgoingHttpHeaders,
  ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** A function that answers as a listener of Node.js's server does. */
export type Invoke = (request: IncomingMessage, response: ServerResponse, ...rest: unknown[]) => unknown;

/** A call of a function that no client made: to render something ahead, or the rest of a page. */
export interface InnerCall {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The body, whole; empty for none. */
  readonly body: Buffer;
}

/** Takes the answer of an inner call, part by part. */
export interface InnerAnswer {
  /** Is called once, before the first part of the body. */
  head(status: number, headers: OutgoingHttpHeaders): void;
  /** Is called with each part of the body. The call goes on when the promise resolves. */
  part(chunk: Buffer): Promise<void>;
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** Stands for the connection: it takes what Node.js writes, and leaves the head out. */
class InnerSocket extends Duplex {
  readonly #take: (chunk: Buffer) => Promise<void>;
  #head: Buffer | null = Buffer.alloc(0);

  constructor(take: (chunk: Buffer) => Promise<void>) {
    super();
    this.#take = take;
  }

  override _read(): void {
    // There is nothing to read: a request is handed over whole.
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    const body = this.#withoutHead(chunk);
    if (body.length === 0) {
      done();
      return;
    }
    this.#take(body).then(() => done(), done);
  }

  #withoutHead(chunk: Buffer): Buffer {
    if (this.#head === null) {
      return chunk;
    }
    this.#head = Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(HEAD_END);
    if (end === -1) {
      return Buffer.alloc(0);
    }
    const body = this.#head.subarray(end + HEAD_END.length);
    this.#head = null;
    return body;
  }
}

/**
 * Calls a function without a connection, as HTTP/1.0, so that its body comes in no chunks.
 *
 * @returns a promise that resolves when the whole answer was taken.
 */
export async function callInside(invoke: Invoke, call: InnerCall, answer: InnerAnswer): Promise<void> {
  let hasHead = false;
  const socket = new InnerSocket((chunk) => {
    giveHead();
    return answer.part(chunk);
  });
  const request = new IncomingMessage(socket as unknown as Socket);
  request.method = call.method;
  request.url = call.url;
  request.headers = call.headers;
  request.httpVersionMajor = 1;
  request.httpVersionMinor = 0;
  // Without it a reader that comes to the end of the request would take it for broken off.
  request.complete = true;
  request.push(call.body);
  request.push(null);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as unknown as Socket);
  const finished = new Promise<void>((resolve, reject) => {
    response.once("finish", resolve);
    response.once("close", () => reject(new Error("The function closed its answer before its end.")));
    socket.once("error", reject);
  });
  // It may fail before anybody waits for it.
  finished.catch(() => {});
  await invoke(request, response);
  await finished;
  giveHead();

  function giveHead(): void {
    if (!hasHead) {
      hasHead = true;
      answer.head(response.statusCode, response.getHeaders());
    }
  }
}
