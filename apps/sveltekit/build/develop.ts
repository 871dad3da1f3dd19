import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DevelopOptions, Host } from "@evenbench/core";
import { LOOPBACK, serverEnvironment, startHost } from "@evenbench/host";

const folder = fileURLToPath(new URL("..", import.meta.url));

/** `vite dev`, with its output in a folder of its own, so that builds go on beside it. */
export function develop(options: DevelopOptions): Promise<Host> {
  const vite = join(dirname(createRequire(import.meta.url).resolve("vite/package.json")), "bin/vite.js");
  return startHost({
    ...options,
    name: "vite dev",
    cores: null,
    readyWithinMs: 120_000,
    command: (port) => ({
      file: process.execPath,
      args: [vite, "dev", "--host", LOOPBACK, "--port", String(port), "--strictPort"],
      cwd: folder,
      env: serverEnvironment({ NODE_ENV: "development", SVELTEKIT_OUT_DIR: "dist/develop" }),
    }),
  });
}
