import type { Socket } from "node:net";
import { readBeforeFailing } from "@evenbench/core/http";
import { buildConnector } from "undici";

/** Bytes that are read at a time. */
const READ_BYTES = 65_536;
/** Number of buffers that reads share: a head may lie in two reads. */
const SHARED_BUFFERS = 4;

/** The option `onread` of a socket of Node.js: where bytes are read to, and what takes them. */
interface SharedReads {
  buffer(): Buffer;
  callback(this: Socket, bytes: number, buffer: Uint8Array): boolean;
}

/**
 * Node.js takes new memory for each read of a socket, and every 64 MB of it cost a full collection in the client, while
 * a target is timed. So reads share a few buffers: what was read is handed on, and used, before the next one.
 */
function sharedReads(handOn: (bytes: Buffer) => Buffer): { readonly onread: SharedReads } {
  const buffers = Array.from({ length: SHARED_BUFFERS }, () => Buffer.allocUnsafeSlow(READ_BYTES));
  let next = 0;
  return {
    onread: {
      buffer: () => buffers[next++ % SHARED_BUFFERS] as Buffer,
      callback(this: Socket, bytes: number, buffer: Uint8Array) {
        const isUsed = this.readableLength === 0;
        const read = handOn((buffer as Buffer).subarray(0, bytes));
        this.push(isUsed ? read : Buffer.from(read));
        return true;
      },
    },
  };
}

/** The start of an answer that has no body whatever its headers say. */
const BODILESS = /^HTTP\/1\.1 (?:204|304) /;
/** The first line of a final answer. */
const STATUS_LINE = /^HTTP\/1\.1 [2-5]\d\d[^\n]*\n/;
/** The length of "HTTP/1.1 204 " and "HTTP/1.1 304 ". */
const STATUS_BYTES = 13;
/** The place of the status's last digit. It is looked at first, since most answers have another one. */
const LAST_DIGIT_AT = 11;
/** The last digit of 204 and 304. */
const FOUR = "4".charCodeAt(0);

/**
 * Changes the head of an answer so that undici keeps the connection where HTTP does. Answers to HEAD, and 204
 * and 304, have no body whatever their headers say (RFC 9112, 6.3), so that the connection goes on. undici
 * ends it behind a 204 or 304 with a length, and behind an answer to HEAD without one: it is given these
 * heads without what it ends it for. A head that comes in more than one read is given as it is.
 */
function keepingOpen(bytes: Buffer, method: string): Buffer {
  const isBodiless =
    bytes[LAST_DIGIT_AT] === FOUR && BODILESS.test(bytes.toString("latin1", 0, STATUS_BYTES));
  if (!isBodiless && method !== "HEAD") {
    return bytes;
  }
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) {
    return bytes;
  }
  const head = bytes.toString("latin1", 0, end + 2);
  return Buffer.concat([
    Buffer.from(withKeptConnection(head, isBodiless), "latin1"),
    bytes.subarray(end + 2),
  ]);
}

/** Changes the lines of a head. @param isBodiless true for 204 and 304; else it answers a HEAD. */
function withKeptConnection(head: string, isBodiless: boolean): string {
  if (isBodiless) {
    return head.replace(/^(?:content-length|transfer-encoding):[^\n]*\n/gim, "");
  }
  if (/^connection:/im.test(head)) {
    return head;
  }
  return head.replace(STATUS_LINE, "$&connection: keep-alive\r\n");
}

/** The request that is under way, to which a connector reports. */
export interface WatchedRequest {
  /** Its method, such as "GET". */
  readonly method: string;
  /** True where the request has a body. */
  readonly hasBody: boolean;
  /** True where the final answer's head has not come yet. */
  readonly isHeadDue: boolean;
  /** Is called when a connection was opened for the request. @param ms how long that took. */
  onConnected(ms: number): void;
  /** Is called whenever the socket has bytes. */
  onReadable(): void;
}

/**
 * Makes a connector for undici that reports to the request under way.
 *
 * @param timeoutMs milliseconds within which a connection has to be open.
 * @param underWay gives the request that is under way; null: there is none.
 */
export function stampedConnector(
  timeoutMs: number,
  underWay: () => WatchedRequest | null,
): buildConnector.connector {
  const reads = sharedReads((bytes) => {
    const request = underWay();
    return request?.isHeadDue === true ? keepingOpen(bytes, request.method) : bytes;
  });
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs, ...reads } as never);
  return (options, callback) => {
    const startedAt = performance.now();
    connect(options, (error, socket) => {
      if (error !== null) {
        return callback(error, null);
      }
      underWay()?.onConnected(performance.now() - startedAt);
      if (underWay()?.hasBody === true) {
        readBeforeFailing(socket);
      }
      // The end of a connection is readable too, but brings no bytes.
      socket.prependListener("readable", () => {
        if (socket.readableLength > 0) {
          underWay()?.onReadable();
        }
      });
      callback(null, socket);
    });
  };
}
