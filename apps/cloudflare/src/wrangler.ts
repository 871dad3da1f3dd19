import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { accessVariables, type HostCommand, LOOPBACK, serverEnvironment } from "@evenbench/host";

/** The pinned wrangler's own script: to be run by Node.js. */
export const WRANGLER = join(
  dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
  "bin/wrangler.js",
);

/** The real `wrangler dev` in local mode, which asks nothing of anybody: neither of the terminal nor of the network. */
export function wranglerDev(deployable: string, port: number): HostCommand {
  const where = ["--ip", LOOPBACK, "--port", String(port), "--local", "--inspector-port", "0"];
  const variables = Object.entries(accessVariables(undefined)).flatMap(([name, value]) => [
    "--var",
    `${name}:${value}`,
  ]);
  return {
    file: process.execPath,
    args: [WRANGLER, "dev", ...where, ...variables, "--show-interactive-dev-session=false"],
    cwd: deployable,
    env: serverEnvironment({
      CI: "1",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_SEND_ERROR_REPORTS: "false",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
    }),
  };
}
