import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Host, Platform } from "@evenbench/core";
import { serverEnvironment, startHost } from "@evenbench/host";

const bareNode = fileURLToPath(new URL("bare-node.mjs", import.meta.url));
const bareWorker = fileURLToPath(new URL("bare-worker.mjs", import.meta.url));

/**
 * Starts the bare server of a platform's runtime: node:http for everything that runs on Node.js, a one-line
 * Worker in workerd for Cloudflare. Neither has a line of ours in its way.
 */
export async function startBare(platform: Platform, cores: string | null, logFile: string): Promise<Host> {
  const options = { port: 0, cores, logFile };
  if (platform.id !== "cloudflare") {
    return startHost({
      ...options,
      name: "bare node:http server",
      command: (port) => ({
        file: process.execPath,
        args: [bareNode],
        env: serverEnvironment({ PORT: String(port) }),
      }),
    });
  }
  const deployable = await mkdtemp(join(tmpdir(), "evenbench-bare-"));
  await mkdir(join(deployable, "upload"));
  await copyFile(bareWorker, join(deployable, "upload/worker.mjs"));
  const configuration = {
    name: "bare",
    main: "upload/worker.mjs",
    base_dir: "upload",
    no_bundle: true,
    compatibility_date: "2026-11-01",
  };
  await writeFile(join(deployable, "wrangler.jsonc"), JSON.stringify(configuration));
  const host = await platform.serve({ ...options, deployable, workers: 1, v8Flags: [] });
  return {
    ...host,
    async stop() {
      await host.stop();
      await rm(deployable, { recursive: true, force: true });
    },
  };
}
