import { cp, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { packWorker } from "@evenbench/app-cloudflare/build";
import { vercelBuild } from "@evenbench/app-vercel/build";
import { buildFrameworkApp } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";

const OPEN_NEXT = join(import.meta.dirname, "node_modules/@opennextjs/cloudflare/dist/cli/index.js");
const QUOTED_PATHS = new URL("src/quoted-paths.ts", import.meta.url).href;

/** Builders of the app's deployables, by platform. */
export const builders = await buildFrameworkApp(import.meta, {
  outputs: [".next", ".open-next", ".vercel"],
  env: { NEXT_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false", CI: "1" },
  builtWith: { cloudflare: "@opennextjs/cloudflare", node: "next", vercel: "vercel" },
  builders: {
    async cloudflare(source, deployable, build, env) {
      const args = ["--import", QUOTED_PATHS, OPEN_NEXT, "build", "--skipWranglerConfigCheck"];
      const command = [process.execPath, ...args] as const;
      await build("opennextjs-cloudflare build", command, { cwd: source, env });
      await packWorker(build, source, deployable);
    },

    async node(source, deployable, build, env) {
      const output = join(source, ".next");
      await build("next build", ["next", "build"], { cwd: source, env });
      // Standalone output repeats the folders from the repository's root on, where dependencies are.
      const app = relative(repositoryRoot, source);
      await cp(join(output, "standalone"), deployable, { recursive: true, verbatimSymlinks: true });
      await cp(join(output, "static"), join(deployable, app, ".next/static"), { recursive: true });
      await writeFile(join(deployable, "server.mjs"), `import "./${join(app, "server.js")}";\n`);
    },

    async vercel(source, deployable, build, env) {
      const isCopy = relative(import.meta.dirname, source) !== "";
      const settings = { framework: "nextjs", buildCommand: "next build" };
      await vercelBuild(build, { directory: source, deployable, isCopy, settings, env });
      // The function of proxy.ts is CommonJS and has no package.json: here it would get the type of this app's.
      await writeFile(join(deployable, "package.json"), '{"private":true,"type":"commonjs"}\n');
    },
  },
});
