import { frameworkApp, LOOPBACK } from "@evenbench/host";
import { manifests } from "./src/lib/cases.ts";

export default frameworkApp(import.meta, {
  title: "Astro",
  adapters: /^@astrojs\/(cloudflare|node|vercel)$/,
  cases: async () => manifests,
  command: "astro/bin/astro.mjs",
  // Astro lets one of them run at a time, and one that was killed leaves its lock behind.
  developOn: (port) => ["--ignore-lock", "--host", LOOPBACK, "--port", String(port)],
  developIn: { ASTRO_TELEMETRY_DISABLED: "1" },
});
