import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packBuiltWorker } from "@evenbench/app-cloudflare/build";
import { vercelBuild } from "@evenbench/app-vercel/build";
import { buildFrameworkApp, REFUSED_BY_VITE } from "@evenbench/bundle/deployable";

/** Builders of the app's deployables, by platform: each as vinext's documentation says. */
export const builders = await buildFrameworkApp(import.meta, {
  outputs: [
    ".nitro",
    ".output",
    ".vercel",
    ".wrangler",
    "dist/client",
    "dist/server",
    "dist/standalone",
    "next-env.d.ts",
  ],
  env: { NEXT_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false", CI: "1" },
  refusedInPath: REFUSED_BY_VITE,
  builtWith: { cloudflare: "@cloudflare/vite-plugin", node: "vinext", vercel: "nitro" },
  builders: {
    async cloudflare(source, deployable, build, env) {
      await build("vite build", ["vite", "build"], { cwd: source, env });
      await packBuiltWorker(build, join(source, "dist/server"), deployable);
    },

    async node(source, deployable, build, env) {
      await build("vite build", ["vite", "build"], { cwd: source, env });
      await cp(join(source, "dist/standalone"), deployable, { recursive: true });
      await rm(join(deployable, "server.js"));
      // Nitro would take a file of the name that it gets here for a part of its own build.
      const server = fileURLToPath(new URL("./node-server.mjs", import.meta.url));
      await cp(server, join(deployable, "server.mjs"));
    },

    async vercel(source, deployable, build, env) {
      const settings = { framework: "nitro", buildCommand: "vite build" };
      await vercelBuild(build, { directory: source, deployable, settings, env });
    },
  },
});
