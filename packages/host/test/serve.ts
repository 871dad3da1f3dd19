import { fileURLToPath } from "node:url";
import { type HostCommand, LOOPBACK, serverEnvironment, startHost } from "../src/index.ts";
import type { StartHostOptions } from "../src/start-host.ts";

/** A Node.js server with one child, which listens at that port; what it does else its behaviour says. */
export function commandOf(behaviour: string, port: number): HostCommand {
  const server = fileURLToPath(new URL("server.mjs", import.meta.url));
  const env = serverEnvironment({ HOST: LOOPBACK, PORT: String(port) });
  return { file: process.execPath, args: [server, behaviour], env };
}

export function serve(
  behaviour: string,
  options: Partial<StartHostOptions> & Pick<StartHostOptions, "logFile">,
) {
  const command = (port: number) => commandOf(behaviour, port);
  return startHost({ name: "test host", port: 0, cores: null, command, ...options });
}
