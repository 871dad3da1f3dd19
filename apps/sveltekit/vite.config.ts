import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig, type Plugin } from "vite";

/** Writes source maps of the server in files that the code does not name: its bytes stay the same. */
const serverSourceMaps: Plugin = {
  name: "server-source-maps",
  applyToEnvironment: ({ config }) => config.consumer === "server",
  outputOptions: (options) => ({ ...options, sourcemap: "hidden" }),
};

export default defineConfig({
  plugins: [sveltekit(), serverSourceMaps],
  ssr: { noExternal: [/^@evenbench\//] },
  define: {
    BUILT_WITH: JSON.stringify(process.env.BUILT_WITH),
    EVENBENCH_PLATFORM: JSON.stringify(process.env.EVENBENCH_PLATFORM),
  },
});
