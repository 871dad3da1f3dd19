import { fileURLToPath } from "node:url";
import type { Host } from "@evenbench/core";
import { type HostCommand, LOOPBACK, serverEnvironment, startHost } from "../src/index.ts";
import type { StartHostOptions } from "../src/start-host.ts";

/** Makes the command of a Node.js server with one child. @param behaviour a name in server.mjs of what it does. */
export function commandOf(behaviour: string, port: number): HostCommand {
  const server = fileURLToPath(new URL("server.mjs", import.meta.url));
  const env = serverEnvironment({ HOST: LOOPBACK, PORT: String(port) });
  return { file: process.execPath, args: [server, behaviour], env };
}

/** Starts such a server. @throws {HostError} where it does not become ready. */
export function serve(
  behaviour: string,
  options: Partial<StartHostOptions> & Pick<StartHostOptions, "logFile">,
): Promise<Host> {
  const command = (port: number) => commandOf(behaviour, port);
  return startHost({ name: "test host", port: 0, cores: null, command, ...options });
}
