import { createServer } from "node:net";
import { HostError, LOOPBACK } from "./loopback.ts";
import { claim } from "./port-claims.ts";

/** Looks for a free port that nobody has claimed: more than enough where any are left. */
const LOOKS = 2000;

/**
 * Finds the loopback port for a host: the given one if nothing listens there, for 0 any free one that no
 * other process has found.
 */
export async function claimPort(port: number): Promise<number> {
  for (let look = 0; look < LOOKS; look++) {
    const found = await tryListening(port);
    if (port !== 0 || claim(found)) return found;
  }
  throw new HostError(
    `No free port on ${LOOPBACK}: other processes have just claimed all that the system gives. Try again in five minutes.`,
  );
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
