import { frameworkApp, LOOPBACK } from "@evenbench/host";
import { manifests } from "./src/cases.ts";

export default frameworkApp(import.meta, {
  title: "Next.js",
  adapters: /^@opennextjs\//,
  cases: async () => manifests,
  command: "next/dist/bin/next",
  developOn: (port) => ["--hostname", LOOPBACK, "--port", String(port)],
  // In a folder of its own, so that builds go on beside it.
  developIn: { NEXT_DIST_DIR: "dist/develop", NEXT_TELEMETRY_DISABLED: "1" },
});
