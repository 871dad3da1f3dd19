import type { AstroIntegration } from "astro";
import { defineConfig, passthroughImageService } from "astro/config";

/** Only the one that is needed is loaded. */
const adapters: Readonly<Record<string, () => Promise<AstroIntegration>>> = {
  cloudflare: async () =>
    (await import("@astrojs/cloudflare")).default({ imageService: "passthrough", prerenderEnvironment: "node" }),
  node: async () => (await import("@astrojs/node")).default({ mode: "standalone" }),
  vercel: async () => (await import("@astrojs/vercel")).default(),
};

/** Source maps of the server alone, in files that the code does not name: its bytes are the same with and without them. */
const serverSourceMaps = {
  name: "server-source-maps",
  applyToEnvironment: ({ config }: { config: { consumer: string } }) => config.consumer === "server",
  outputOptions: (options: object) => ({ ...options, sourcemap: "hidden" as const }),
};

export default defineConfig({
  /** The pin, for every page: rendered anew for each request, on every platform. Preflight proves it. */
  output: "server",
  adapter: await adapters[process.env.EVENBENCH_PLATFORM ?? "node"]?.(),
  outDir: "dist/astro",
  // Nothing here has sessions or images: without this each adapter would bring a store of its own.
  session: false,
  image: { service: passthroughImageService() },
  devToolbar: { enabled: false },
  vite: {
    plugins: [serverSourceMaps],
    // The workspace's packages are TypeScript sources.
    ssr: { noExternal: [/^@evenbench\//] },
    define: {
      BUILT_WITH: JSON.stringify(process.env.BUILT_WITH),
      EVENBENCH_PLATFORM: JSON.stringify(process.env.EVENBENCH_PLATFORM),
    },
  },
});
