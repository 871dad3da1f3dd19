import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packBuiltWorker } from "@evenbench/app-cloudflare/build";
import { vercelBuild } from "@evenbench/app-vercel/build";
import { buildFrameworkApp, copyServer, keepSourceMaps, REFUSED_BY_VITE } from "@evenbench/bundle/deployable";
import packageJson from "./package.json" with { type: "json" };

/** Builders of the app's deployables, by platform. */
export const builders = await buildFrameworkApp(import.meta, {
  outputs: [".astro", ".vercel", ".wrangler", "dist/astro"],
  env: { ASTRO_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false", CI: "1" },
  refusedInPath: REFUSED_BY_VITE,
  builtWith: { cloudflare: "@astrojs/cloudflare", node: "@astrojs/node", vercel: "@astrojs/vercel" },
  builders: {
    async cloudflare(source, deployable, build, env) {
      await build("astro build", ["astro", "build"], { cwd: source, env });
      const server = join(source, "dist/astro/server");
      await packBuiltWorker(build, server, deployable);
      await keepSourceMaps(deployable, [{ deployed: join(deployable, "upload"), maps: server }]);
    },

    async node(source, deployable, build, env) {
      await build("astro build", ["astro", "build"], { cwd: source, env });
      await copyServer(join(source, "dist/astro"), deployable);
      await cp(fileURLToPath(new URL("./server.mjs", import.meta.url)), join(deployable, "server.mjs"));
    },

    async vercel(source, deployable, build, env) {
      const settings = { framework: "astro", buildCommand: "astro build" };
      const keepsRuntime = `@astrojs/vercel ${packageJson.devDependencies["@astrojs/vercel"]} takes no newer one`;
      await vercelBuild(build, { directory: source, deployable, settings, env, keepsRuntime });
      // The copy has the source maps, and lies as deep as what it is a copy of.
      const deployed = join(deployable, "functions/_render.func");
      await keepSourceMaps(deployable, [{ deployed, maps: join(source, ".vercel/output/_functions") }]);
    },
  },
});
