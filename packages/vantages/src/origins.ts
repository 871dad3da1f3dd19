import { isIPv4 } from "node:net";
import { UserError } from "@evenbench/core";

/**
 * Gives the origin of an HTTP server that a text names; null where it says more: a user, a password, a path, a
 * query.
 */
export function originOf(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return null;
  }
  return url.href === `${url.origin}/` ? url.origin : null;
}

/** Tells whether an origin is that of the machine itself, so that it is another server on each machine. */
export function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * Writes the same origin in another way: k6 keeps connections by host and port as they are written.
 *
 * @throws {UserError} where there is no other way.
 */
export function secondOrigin(origin: string): string {
  const { protocol, hostname, port } = new URL(origin);
  const other = isIPv4(hostname) ? `[::ffff:${hostname}]` : hostname.toUpperCase();
  if (other === hostname) {
    throw new UserError(
      `The A/A copy of ${hostname} would share its connections. Give the target by a name.`,
    );
  }
  return `${protocol}//${other}${port === "" ? "" : `:${port}`}`;
}
