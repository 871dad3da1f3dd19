import cloudflare from "@sveltejs/adapter-cloudflare";
import node from "@sveltejs/adapter-node";
import vercel from "@sveltejs/adapter-vercel";

// No compression anywhere: that is the platform's business, and would be another workload.
const adapters = {
  cloudflare: () => cloudflare(),
  node: () => node({ precompress: false, out: "dist/server" }),
  vercel: () => vercel({ runtime: "nodejs24.x" }),
};

/** @type {import("@sveltejs/kit").Config} */
export default {
  kit: {
    adapter: adapters[process.env.EVENBENCH_PLATFORM ?? "node"](),
    outDir: process.env.SVELTEKIT_OUT_DIR ?? ".svelte-kit",
    // One name on every platform: it stands in every page.
    version: { name: "evenbench" },
  },
};
