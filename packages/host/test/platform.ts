import { fileURLToPath } from "node:url";
import { definePlatform } from "@evenbench/core";
import { LOOPBACK, serverEnvironment, startHost } from "../src/index.ts";

/** The smallest platform: a Node.js server with one child. The deployable's name is what the server is to do. */
export default definePlatform({
  title: "Test",
  description: "A server with a child process.",
  serve: (options) =>
    startHost({
      ...options,
      name: "test host",
      readyWithinMs: options.deployable === "broken" ? 4000 : 30_000,
      command: (port) => ({
        file: process.execPath,
        args: [fileURLToPath(new URL("server.mjs", import.meta.url)), options.deployable],
        env: serverEnvironment({ HOST: LOOPBACK, PORT: String(port) }),
      }),
    }),
  close: async () => {},
  size: async () => ({ bytes: 0, gzipBytes: 0, limit: null }),
});
