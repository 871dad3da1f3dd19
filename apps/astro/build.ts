import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packWorker } from "@evenbench/app-cloudflare/build";
import { vercelBuild } from "@evenbench/app-vercel/build";
import { buildApp, keepSourceMaps } from "@evenbench/bundle/deployable";
import packageJson from "./package.json" with { type: "json" };

const { devDependencies: versions } = packageJson;

/** Adapter and CLI leave their own copies and notes beside them. */
const PARTS = ["config.json", "functions", "static"];

export const builders = await buildApp(import.meta, {
  outputs: [".astro", ".vercel", ".wrangler", "dist/astro"],
  env: { ASTRO_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false", CI: "1" },
  builtWith: {
    cloudflare: `@astrojs/cloudflare ${versions["@astrojs/cloudflare"]}`,
    node: `@astrojs/node ${versions["@astrojs/node"]}`,
    vercel: `@astrojs/vercel ${versions["@astrojs/vercel"]}`,
  },
  builders: {
    async cloudflare(source, deployable, build, env) {
      await build.run("astro build", ["astro", "build"], { cwd: source, env });
      const server = join(source, "dist/astro/server");
      await writeFile(join(server, "wrangler.jsonc"), await uploadConfiguration(server));
      // Both would be found before it.
      await rm(join(server, "wrangler.json"));
      await rm(join(source, ".wrangler"), { recursive: true });
      await packWorker(build, server, deployable);
      await keepSourceMaps(deployable, [{ deployed: join(deployable, "upload"), maps: server }]);
    },

    async node(source, deployable, build, env) {
      await build.run("astro build", ["astro", "build"], { cwd: source, env });
      const output = join(source, "dist/astro");
      // Source maps are read by nobody there, and would stand in the size.
      await cp(output, deployable, { recursive: true, filter: (file) => !file.endsWith(".map") });
      await keepSourceMaps(deployable, [{ deployed: deployable, maps: output }]);
      await writeFile(join(deployable, "package.json"), '{"private":true,"type":"module"}\n');
      await cp(fileURLToPath(new URL("./server.mjs", import.meta.url)), join(deployable, "server.mjs"));
    },

    async vercel(source, deployable, build, env) {
      await vercelBuild(build, source, { framework: "astro", buildCommand: "astro build" }, env);
      const output = join(source, ".vercel/output");
      await mkdir(deployable);
      for (const part of PARTS) await rename(join(output, part), join(deployable, part));
      // The copy has the source maps, and lies as deep as what it is a copy of.
      const deployed = join(deployable, "functions/_render.func");
      await keepSourceMaps(deployable, [{ deployed, maps: join(output, "_functions") }]);
    },
  },
});

/** Without its notes for itself: paths of this machine, and what is empty. */
async function uploadConfiguration(server: string): Promise<string> {
  const written: Record<string, unknown> = JSON.parse(await readFile(join(server, "wrangler.json"), "utf8"));
  const { name, main, compatibility_date, compatibility_flags, no_bundle, rules, assets, vars } = written;
  return JSON.stringify({
    name,
    main,
    compatibility_date,
    compatibility_flags,
    no_bundle,
    rules,
    assets,
    vars,
  });
}
