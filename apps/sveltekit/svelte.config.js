import { relative } from "node:path";
import cloudflare from "@sveltejs/adapter-cloudflare";
import node from "@sveltejs/adapter-node";
import vercel from "@sveltejs/adapter-vercel";

/**
 * The adapter takes the absolute path of its own entry files for a pattern of names: in a clone below
 * "Dropbox (Team)" it would find none of them, and write a server that does not start. A relative path is
 * taken as it is.
 * @param {import("@sveltejs/kit").Adapter} adapter
 * @returns {import("@sveltejs/kit").Adapter}
 */
function withRelativePaths(adapter) {
  return {
    ...adapter,
    adapt(builder) {
      const getBuildDirectory = (name) => relative("", builder.getBuildDirectory(name));
      return adapter.adapt({ ...builder, getBuildDirectory });
    },
  };
}

// No compression anywhere: that is the platform's business, and would be another workload.
const adapters = {
  cloudflare: () => cloudflare(),
  node: () => withRelativePaths(node({ precompress: false, out: "dist/server" })),
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
