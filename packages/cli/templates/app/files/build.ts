// `node build.ts <platform>`: makes the platform's deployable of the one source.
import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packWorker } from "@evenbench/app-cloudflare/build";
import { vercelBuild } from "@evenbench/app-vercel/build";
import { type Builder, buildApp } from "@evenbench/bundle/deployable";
import { build as bundle } from "esbuild";
import vercel from "vercel/package.json" with { type: "json" };
import wrangler from "wrangler/package.json" with { type: "json" };
import app from "./app.ts";
import packageJson from "./package.json" with { type: "json" };

/** Bundles a platform's entry with NODE_ENV defined. `builtWith` names the adapter: `/identity` tells it. */
async function bundleEntry(source: string, platform: string, builtWith: string, outfile: string) {
  await bundle({
    absWorkingDir: source,
    entryPoints: [`src/entry/${platform}.ts`],
    outfile,
    bundle: true,
    format: "esm",
    platform: platform === "cloudflare" ? "neutral" : "node",
    target: "es2024",
    tsconfigRaw: {},
    define: {
      "process.env.NODE_ENV": '"production"',
      "process.env.EVENBENCH_PLATFORM": JSON.stringify(platform),
      "process.env.BUILT_WITH": JSON.stringify(builtWith),
    },
    logLevel: "warning",
  });
}

export const builders: Readonly<Record<string, Builder>> = {
  async node(source, deployable, build) {
    await build.step("esbuild", () =>
      bundleEntry(source, "node", `srvx ${packageJson.dependencies.srvx}`, join(deployable, "server.mjs")),
    );
  },

  async cloudflare(source, deployable, build) {
    const staged = join(source, "dist/worker");
    await build.step("esbuild", () =>
      bundleEntry(source, "cloudflare", `wrangler ${wrangler.version}`, join(staged, "index.mjs")),
    );
    await packWorker(build, source, deployable);
    await rm(staged, { recursive: true });
  },

  async vercel(source, deployable, build) {
    const staged = join(source, "dist/function");
    await rm(staged, { recursive: true, force: true });
    await mkdir(join(staged, "public"), { recursive: true });
    await build.step("esbuild", () =>
      bundleEntry(source, "vercel", `vercel build ${vercel.version}`, join(staged, "api/index.mjs")),
    );
    await cp(join(source, "vercel.json"), join(staged, "vercel.json"));
    await writeFile(join(staged, "package.json"), '{"private":true,"type":"module"}\n');
    await writeFile(join(staged, "public/robots.txt"), "User-agent: *\nDisallow: /\n");
    await vercelBuild(build, staged, { framework: null, outputDirectory: "public" });
    await mkdir(deployable, { recursive: true });
    for (const part of ["config.json", "functions", "static"]) {
      await rename(join(staged, ".vercel/output", part), join(deployable, part));
    }
    await rm(staged, { recursive: true });
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  process.exitCode = await buildApp(app, folder, builders, process.argv[2] ?? "");
}
