import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packWorker } from "@evenbench/app-cloudflare/build";
import { vercelBuild } from "@evenbench/app-vercel/build";
import {
  buildFrameworkApp,
  copyServer,
  keepSourceMaps,
  type MappedFolder,
  REFUSED_BY_VITE,
} from "@evenbench/bundle/deployable";
import { entriesBelow } from "@evenbench/host";
import packageJson from "./package.json" with { type: "json" };

/** Builders of the app's deployables, by platform. */
export const builders = await buildFrameworkApp(import.meta, {
  outputs: [".svelte-kit", ".vercel", "dist/server"],
  env: {},
  refusedInPath: REFUSED_BY_VITE,
  builtWith: {
    cloudflare: "@sveltejs/adapter-cloudflare",
    node: "@sveltejs/adapter-node",
    vercel: "@sveltejs/adapter-vercel",
  },
  builders: {
    async cloudflare(source, deployable, build, env) {
      await build("vite build", ["vite", "build"], { cwd: source, env });
      await packWorker(build, source, deployable);
    },

    async node(source, deployable, build, env) {
      await build("vite build", ["vite", "build"], { cwd: source, env });
      await copyServer(join(source, "dist/server"), deployable);
      await writeFile(join(deployable, "server.mjs"), 'import "./index.js";\n');
    },

    async vercel(source, deployable, build, env) {
      const settings = { framework: "sveltekit-1", buildCommand: "vite build" };
      // 6.3.5 takes nodejs26.x.
      const keepsRuntime = `@sveltejs/adapter-vercel ${packageJson.devDependencies["@sveltejs/adapter-vercel"]} takes no newer one`;
      await vercelBuild(build, { directory: source, deployable, settings, env, keepsRuntime });
      await keepSourceMaps(deployable, await serverFolders(source, deployable));
    },
  },
});

async function serverFolders(source: string, deployable: string): Promise<readonly MappedFolder[]> {
  const maps = join(source, ".svelte-kit/output/server");
  const entries = await entriesBelow(join(deployable, "functions"));
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((folder) => folder.endsWith(join(".svelte-kit", "output", "server")))
    .map((deployed) => ({ deployed, maps }));
}
