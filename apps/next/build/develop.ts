import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { DevelopOptions, Host } from "@evenbench/core";
import { LOOPBACK, serverEnvironment, startHost } from "@evenbench/host";

const folder = fileURLToPath(new URL("..", import.meta.url));

/** `next dev`, with its output in a folder of its own, so that builds go on beside it. */
export function develop(options: DevelopOptions): Promise<Host> {
  const next = createRequire(import.meta.url).resolve("next/dist/bin/next");
  return startHost({
    ...options,
    name: "next dev",
    cores: null,
    readyWithinMs: 120_000,
    command: (port) => ({
      file: process.execPath,
      args: [next, "dev", "--hostname", LOOPBACK, "--port", String(port)],
      cwd: folder,
      env: serverEnvironment({
        NODE_ENV: "development",
        NEXT_DIST_DIR: "dist/develop",
        NEXT_TELEMETRY_DISABLED: "1",
      }),
    }),
  });
}
