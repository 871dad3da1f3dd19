import { frameworkApp, LOOPBACK } from "@evenbench/host";
import { manifests } from "./src/lib/cases.ts";

export default frameworkApp(import.meta, {
  title: "SvelteKit",
  adapters: /^@sveltejs\/adapter-/,
  cases: async () => manifests,
  command: "vite/bin/vite.js",
  developOn: (port) => ["--host", LOOPBACK, "--port", String(port), "--strictPort"],
  // In a folder of its own, so that builds go on beside it.
  developIn: { SVELTEKIT_OUT_DIR: "dist/develop" },
});
