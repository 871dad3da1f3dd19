import { frameworkApp, LOOPBACK } from "@evenbench/host";
import { manifests } from "./src/cases.ts";

export default frameworkApp(import.meta, {
  title: "Next.js",
  adapters: /^@opennextjs\//,
  generated: [
    // What OpenNext generates and puts beside its handler.mjs, which is a bundle of everything.
    { path: /\.open-next\/(?!.*\.next\/server\/)(?:.*\/)?handler\.mjs$/, from: null },
    { path: /\.open-next\/(?!.*\.next\/server\/)/, from: { package: "@opennextjs/cloudflare" } },
    // Turbopack names its chunks after what is in them: "0c8l_next_dist_client_components_…".
    {
      path: /\.next\/server\/(?:.*\/)?(?:\[turbopack\]_runtime|[^/]*_next_dist_)[^/]*$/,
      from: { package: "next" },
    },
    { path: /\.next\/server\/(?:.*\/)?(?:packages_cases|apps_next_app)_[^/]*$/, from: "case" },
    { path: /\.next\/server\/(?:.*\/)?packages_[^/]*$/, from: "harness" },
    { path: /\.next\/server\//, from: null },
  ],
  cases: async () => manifests,
  command: "next/dist/bin/next",
  developOn: (port) => ["--hostname", LOOPBACK, "--port", String(port)],
  // In a folder of its own, so that builds go on beside it.
  developIn: { NEXT_DIST_DIR: "dist/develop", NEXT_TELEMETRY_DISABLED: "1" },
});
