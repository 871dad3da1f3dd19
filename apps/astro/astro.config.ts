import type { AstroIntegration } from "astro";
import { defineConfig, passthroughImageService } from "astro/config";

async function adapterFor(platform = "node"): Promise<AstroIntegration> {
  if (platform === "cloudflare") {
    const { default: cloudflare } = await import("@astrojs/cloudflare");
    return cloudflare({ imageService: "passthrough", prerenderEnvironment: "node" });
  }
  if (platform === "vercel") {
    return (await import("@astrojs/vercel")).default();
  }
  return (await import("@astrojs/node")).default({ mode: "standalone" });
}

/** Source maps in files that the code does not name: its bytes are the same with and without them. */
const serverSourceMaps = {
  name: "server-source-maps",
  applyToEnvironment: ({ config }: { config: { consumer: string } }) => config.consumer === "server",
  outputOptions: (options: object) => ({ ...options, sourcemap: "hidden" as const }),
};

/** Vite's own mode: Astro lets `import.meta.env.PROD` be changed by a variable of that name. */
const builtFor = {
  name: "built-for",
  config: (_: object, { mode }: { mode: string }) => ({ define: { BUILT_FOR: JSON.stringify(mode) } }),
};

/** Astro writes the path of the middleware between single quotes, and a clone's path may have one: "Tim's bench". */
const quotedMiddleware = {
  name: "quoted-middleware",
  enforce: "pre" as const,
  transform(code: string, id: string) {
    if (!id.endsWith("virtual:astro:middleware")) {
      return null;
    }
    return code.replace(/ from '(.*)';/g, (_, path: string) => ` from ${JSON.stringify(path)};`);
  },
};

export default defineConfig({
  /** The pin, for every page: rendered anew for each request, on every platform. Preflight proves it. */
  output: "server",
  adapter: await adapterFor(process.env.EVENBENCH_PLATFORM),
  outDir: "dist/astro",
  // Nothing here has sessions or images: without this each adapter would bring a store of its own.
  session: false,
  image: { service: passthroughImageService() },
  devToolbar: { enabled: false },
  vite: {
    plugins: [builtFor, quotedMiddleware, serverSourceMaps],
    ssr: { noExternal: [/^@evenbench\//] },
    // "undefined" under the server for developing: what has no value would not be defined at all.
    define: {
      BUILT_WITH: JSON.stringify(process.env.BUILT_WITH) ?? "undefined",
      EVENBENCH_PLATFORM: JSON.stringify(process.env.EVENBENCH_PLATFORM) ?? "undefined",
    },
  },
});
