import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DevelopOptions, Host } from "@evenbench/core";
import { LOOPBACK, serverEnvironment, startHost } from "@evenbench/host";

const folder = fileURLToPath(new URL("..", import.meta.url));

/** `astro dev`. */
export function develop(options: DevelopOptions): Promise<Host> {
  const { resolve } = createRequire(import.meta.url);
  const astro = join(dirname(resolve("astro/package.json")), "bin/astro.mjs");
  return startHost({
    ...options,
    name: "astro dev",
    cores: null,
    readyWithinMs: 120_000,
    command: (port) => ({
      file: process.execPath,
      // Astro lets one of them run at a time, and one that was killed leaves its lock behind.
      args: [astro, "dev", "--ignore-lock", "--host", LOOPBACK, "--port", String(port)],
      cwd: folder,
      env: serverEnvironment({ NODE_ENV: "development", ASTRO_TELEMETRY_DISABLED: "1" }),
    }),
  });
}
