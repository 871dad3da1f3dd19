import { fileURLToPath } from "node:url";
import { TYPE_STRIPPING } from "#supervisor-file";
import { HostError } from "./loopback.ts";
import type { HostCommand } from "./protocol.ts";

const PRIMARY = fileURLToPath(new URL("port-sharing.ts", import.meta.url));

/**
 * A server as one process; or as several behind one port, for a runtime that has no cluster, but can share a
 * port by SO_REUSEPORT.
 */
export function sharedPortCommand(
  server: Pick<HostCommand, "file" | "args">,
  workers: number,
): Pick<HostCommand, "file" | "args" | "reportsWorkers"> {
  if (workers === 1) return server;
  if (process.platform !== "linux") {
    throw new HostError(`${server.file} can have several workers on Linux alone. Start one worker.`);
  }
  return {
    file: process.execPath,
    args: [...TYPE_STRIPPING, PRIMARY, String(workers), server.file, ...server.args],
    reportsWorkers: true,
  };
}
