import { frameworkApp, LOOPBACK } from "@evenbench/host";
import { manifests } from "./src/cases.ts";

export default frameworkApp(import.meta, {
  title: "vinext",
  adapters: /^(?:vinext|nitro|srvx|h3)$/,
  cases: async () => manifests,
  casesOf: "next",
  command: "vite/bin/vite.js",
  developOn: (port) => ["--host", LOOPBACK, "--port", String(port), "--strictPort"],
});
