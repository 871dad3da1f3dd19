import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [sveltekit()],
  // The workspace's packages are TypeScript sources.
  ssr: { noExternal: [/^@evenbench\//] },
  define: { BUILT_WITH: JSON.stringify(process.env.BUILT_WITH) },
});
