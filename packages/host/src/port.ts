import { createServer } from "node:net";
import { HostError, LOOPBACK } from "./loopback.ts";

/** Ports that this process has handed out: two hosts that start side by side must not get the same one. */
const handedOut = new Set<number>();

/**
 * Finds the loopback port for a host: the given one if nothing listens there, any free one for 0.
 *
 * @throws {HostError} one line, when the given port is taken or may not be used.
 */
export async function claimPort(port: number): Promise<number> {
  for (;;) {
    const found = await tryListening(port);
    if (port !== 0) return found;
    if (handedOut.has(found)) continue;
    handedOut.add(found);
    // The system picks at random among tens of thousands: a few remembered ports are enough.
    if (handedOut.size > 1000) handedOut.clear();
    return found;
  }
}

function tryListening(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => reject(portError(port, error)));
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      const address = server.address();
      const found = typeof address === "object" && address !== null ? address.port : port;
      server.close(() => resolve(found));
    });
  });
}

function portError(port: number, error: NodeJS.ErrnoException): HostError {
  const why =
    error.code === "EADDRINUSE"
      ? "is taken: another server listens there"
      : error.code === "EACCES"
        ? "may not be used by this user"
        : `cannot be used (${error.message})`;
  return new HostError(`Port ${port} on ${LOOPBACK} ${why}. Choose another port, or 0 for a free one.`);
}
