import { accessVariables, type HostCommand, LOOPBACK, serverEnvironment } from "@evenbench/host";
import { WRANGLER } from "./wrangler.ts";

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
