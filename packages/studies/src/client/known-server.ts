// A server with known delays that stamps its own reads and writes on the clock that all processes share
// (`process.hrtime`: CLOCK_MONOTONIC). Plain sockets, so that nothing lies between a stamp and the kernel.
// Run by fork.
import { createServer, type Socket } from "node:net";

/** Nanoseconds on the shared clock. */
export interface ServerStamps {
  readonly requestRead: bigint;
  readonly firstWrite: bigint;
  readonly lastWrite: bigint;
}

export interface KnownAnswer {
  readonly headersAfterMs: number;
  readonly lastByteAfterMs: number;
  readonly bodyBytes: number;
}

export type ServerMessage = { readonly url: string } | { readonly stamps: ServerStamps[] };

const known: KnownAnswer = JSON.parse(process.argv[2] ?? "{}");
const FIRST_PART_BYTES = 1000;
const head = `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${known.bodyBytes}\r\n\r\n`;
const firstPart = Buffer.concat([Buffer.from(head), Buffer.alloc(FIRST_PART_BYTES, "x")]);
const lastPart = Buffer.alloc(known.bodyBytes - FIRST_PART_BYTES, "x");
let stamps: ServerStamps[] = [];

const server = createServer({ noDelay: true }, (socket) => {
  let request = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    request += chunk.toString("latin1");
    if (!request.endsWith("\r\n\r\n")) return;
    request = "";
    answer(socket, process.hrtime.bigint());
  });
});

function answer(socket: Socket, requestRead: bigint): void {
  setTimeout(() => {
    // Before the call: it is inside the call that the loopback interface delivers.
    const firstWrite = process.hrtime.bigint();
    socket.write(firstPart);
    setTimeout(() => {
      let lastWrite = 0n;
      socket.write(lastPart, () => {
        // Zero: it did not all fit into the kernel's buffer at once, and the last of it was taken just now.
        stamps.push({ requestRead, firstWrite, lastWrite: lastWrite || process.hrtime.bigint() });
      });
      // After the call: the last byte cannot arrive before the kernel has taken it.
      if (socket.writableLength === 0) lastWrite = process.hrtime.bigint();
    }, known.lastByteAfterMs - known.headersAfterMs);
  }, known.headersAfterMs);
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") tell({ url: `http://127.0.0.1:${address.port}` });
});
process.on("message", () => {
  tell({ stamps });
  stamps = [];
});
process.on("disconnect", () => process.exit(0));

function tell(message: ServerMessage): void {
  process.send?.(message);
}
