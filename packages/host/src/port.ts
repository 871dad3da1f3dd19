import { createServer } from "node:net";
import { HostError, LOOPBACK } from "./loopback.ts";
import { claim } from "./port-claims.ts";

/**
 * Finds the loopback port for a host: the given one if nothing listens there, for 0 any free one that no other process has found.
 *
 * @throws {HostError} one line, when the given port is taken or may not be used.
 */
export async function claimPort(port: number): Promise<number> {
  for (;;) {
    const found = await tryListening(port);
    if (port !== 0 || claim(found)) return found;
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
