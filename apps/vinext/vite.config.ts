import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import vinext from "vinext";
import { defineConfig, type PluginOption } from "vite";
import packageJson from "./package.json" with { type: "json" };

/** The app whose pages are built: nothing of it is copied. */
const PAGES_OF = dirname(fileURLToPath(import.meta.resolve("@evenbench/app-next/package.json")));

/** Gives the plugins that vinext documents ("Deployment") for a platform; none for another. */
async function pluginsFor(id: string | undefined): Promise<PluginOption[]> {
  if (id === "cloudflare") {
    const { cloudflare } = await import("@cloudflare/vite-plugin");
    // vinext refuses to build for other platforms beside such a file in the app's own folder.
    const configPath = "worker/wrangler.json";
    return [cloudflare({ configPath, viteEnvironment: { name: "rsc", childEnvironments: ["ssr"] } })];
  }
  if (id === "vercel") {
    const { nitro } = await import("nitro/vite");
    return [nitro({ preset: "vercel" })];
  }
  return [];
}

const platform = process.env.EVENBENCH_PLATFORM;

export default defineConfig({
  plugins: [
    vinext({
      appDir: PAGES_OF,
      nextConfig: {
        // What Node.js is given. Beside Nitro there would be nothing to make it of.
        ...(platform === "node" ? { output: "standalone" } : {}),
        // One build id on every platform: it stands in every page.
        generateBuildId: () => "evenbench",
        // Compression is the platform's business, and would be another workload.
        compress: false,
        poweredByHeader: false,
        env: {
          BUILT_WITH: process.env.BUILT_WITH ?? "",
          EVENBENCH_PLATFORM: platform ?? "",
          VINEXT_VERSION: packageJson.dependencies.vinext,
          REACT_VERSION: packageJson.dependencies.react,
        },
      },
    }),
    await pluginsFor(platform),
  ],
  resolve: {
    alias: [{ find: /^\.\/framework\.ts$/, replacement: join(import.meta.dirname, "src/framework.ts") }],
  },
  // vinext would empty the folder "dist", in which the deployables of other platforms lie.
  build: { emptyOutDir: false },
});
