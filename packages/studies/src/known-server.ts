// A server whose answers take known times, to the microsecond: the last part of each wait is a loop, not a
// timer. It has plain sockets, so that nothing lies between a time and the kernel. `node known-server.ts`,
// with PORT.
import { createServer } from "node:net";

/** Times of an answer from the request on, in milliseconds. */
export const KNOWN_MS: Readonly<Record<"firstByteMs" | "lastByteMs", number>> = {
  firstByteMs: 5,
  lastByteMs: 25,
};
/** Length of a body. */
const BYTES = 200_000;
/** Length of its part that is sent first. */
const FIRST_BYTES = 1000;
const RESPONSE_HEAD = `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${BYTES}\r\n\r\n`;
const FIRST = Buffer.from(RESPONSE_HEAD + "x".repeat(FIRST_BYTES));
const REST_OF_BODY = Buffer.alloc(BYTES - FIRST_BYTES, "x");

/** Milliseconds at the end of a wait that are a loop: a timer is late by one or so. */
const LOOP_MS = 2;

if (process.argv[1] === import.meta.filename) {
  createServer({ noDelay: true }, (socket) => {
    let request = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      request += chunk.toString("latin1");
      if (!request.endsWith("\r\n\r\n")) {
        return;
      }
      request = "";
      const readAt = performance.now();
      runAt(readAt + KNOWN_MS.firstByteMs, () => socket.write(FIRST));
      runAt(readAt + KNOWN_MS.lastByteMs, () => socket.write(REST_OF_BODY));
    });
  }).listen(Number(process.env.PORT), "127.0.0.1");
}

/** Does work at a time. @param time by `performance.now()`. */
function runAt(time: number, work: () => void): void {
  const waitMs = time - performance.now() - LOOP_MS;
  setTimeout(() => {
    while (performance.now() < time) {}
    work();
  }, waitMs);
}
