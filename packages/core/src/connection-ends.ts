// Connections that end while a request is sent: whether it is sent again, and that what came before is read.
import type { Socket } from "node:net";
import { isReset } from "./wire-errors.ts";

/** The idempotent methods (RFC 9110, 9.2.2): one request and several of them are meant to have the same effect. */
const IDEMPOTENT_METHODS = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"];

/**
 * Tells whether a client may send a request again by itself, where its connection ended before an answer: only with
 * an idempotent method (RFC 9110, 9.2.2), since the server may have done what was asked.
 */
export function mayBeSentAgain(method: string): boolean {
  return IDEMPOTENT_METHODS.includes(method);
}

/**
 * Waits for a turn of the event loop, in which the ends of kept connections are read that have come. A request that
 * is not sent again by itself waits so, or it would meet an end that is there already.
 */
export function untilEndsAreRead(): Promise<void> {
  // Sockets are read between two immediates: the first one may still be of the present turn.
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** Says what became of a request that met the end of its kept connection, and is not sent again. */
export function describeStale(method: string): string {
  return (
    `its kept connection ended just as ${method} was sent, which is not sent again by itself (RFC 9110, 9.2.2): ` +
    "let the server keep connections open for longer, or announce their end (Connection: close)"
  );
}

/** Sockets that read first already. */
const READING_FIRST = new WeakSet<Socket>();

/**
 * Makes a socket read what has come before a write fails by a reset. A server may answer an upload early, and cut the
 * connection: Node.js otherwise throws away an answer that has arrived, where the next part of the upload fails
 * first.
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
      onceNothingIsRead(socket, () => callback(error));
    };
  };
  socket._write = (chunk, encoding, callback) => write(chunk, encoding, afterReading(callback));
  if (writeAll !== undefined) {
    socket._writev = (chunks, callback) => writeAll(chunks, afterReading(callback));
  }
}

/** The function that a socket calls when a write is over. */
type WriteCallback = (error?: Error | null) => void;

/**
 * Calls back once a turn of the event loop has read nothing from a socket. What the other side sent before its reset
 * has arrived before that, so that it is there to be read: no time has to pass for it, however busy the machine is.
 */
function onceNothingIsRead(socket: Socket, callback: () => void): void {
  const before = socket.bytesRead;
  const callOrWait = (): void => {
    if (socket.bytesRead === before || socket.destroyed) {
      callback();
    } else {
      onceNothingIsRead(socket, callback);
    }
  };
  void untilEndsAreRead().then(callOrWait);
}
