import type { NextConfig } from "next";

export default {
  // What `node server.mjs` needs, and nothing else; the other platforms' adapters ask for it, too.
  output: "standalone",
  ...(process.env.NEXT_DIST_DIR === undefined ? {} : { distDir: process.env.NEXT_DIST_DIR }),
  // One build id on every platform: it stands in every page.
  generateBuildId: () => "evenbench",
  // Compression is the platform's business, and would be another workload.
  compress: false,
  poweredByHeader: false,
  // What next-isr keeps stays in memory: in the deployable, the next start would find it.
  experimental: { isrFlushToDisk: false },
  transpilePackages: [
    "@evenbench/bundle",
    "@evenbench/cases",
    "@evenbench/complex-page",
    "@evenbench/core",
    "@evenbench/landing-page",
    "@evenbench/bundle/framework",
  ],
  // Checked by `tsc` for the whole repository, and not in each of three builds.
  typescript: { ignoreBuildErrors: true },
  env: { BUILT_WITH: process.env.BUILT_WITH, EVENBENCH_PLATFORM: process.env.EVENBENCH_PLATFORM },
} satisfies NextConfig;
