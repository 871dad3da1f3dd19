import { frameworkApp, LOOPBACK } from "@evenbench/host";
import { manifests } from "./src/lib/cases.ts";

export default frameworkApp(import.meta, {
  title: "SvelteKit",
  adapters: /^@sveltejs\/adapter-/,
  generated: [
    // SvelteKit names what it makes of a route's files after them.
    { path: /(?:^|\/)entries\/(?:pages|endpoints)\//, from: "case" },
    { path: /(?:^|\/)\.svelte-kit\/adapter-node\//, from: { package: "@sveltejs/adapter-node" } },
    { path: /(?:^|\/)\.svelte-kit\/vercel-tmp\//, from: { package: "@sveltejs/adapter-vercel" } },
    { path: /(?:^|\/)\.svelte-kit\/cloudflare\//, from: { package: "@sveltejs/adapter-cloudflare" } },
  ],
  cases: async () => manifests,
  command: "vite/bin/vite.js",
  developOn: (port) => ["--host", LOOPBACK, "--port", String(port), "--strictPort"],
  // In a folder of its own, so that builds go on beside it.
  developIn: { SVELTEKIT_OUT_DIR: "dist/develop" },
  developsNotBelow: "'",
});
