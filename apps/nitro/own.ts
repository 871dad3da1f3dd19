import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packAdaptedWorker, writeWorkerConfiguration } from "@evenbench/app-cloudflare/own-worker";
import { takeBuildOutput } from "@evenbench/app-vercel/build";
import { copyServer, type OwnPacker, packEach } from "@evenbench/bundle/deployable";
import { defineOwnApp, type OwnAppBuild, UserError } from "@evenbench/core";

/** Names of what builds by Nitro, by the package that an app names; the first that it names counts. */
const FRAMEWORKS: Readonly<Record<string, string>> = {
  nuxt: "Nuxt",
  "@tanstack/react-start": "TanStack Start, by Nitro",
  "@tanstack/solid-start": "TanStack Start, by Nitro",
  nitropack: "Nitro",
  nitro: "Nitro",
};
/** Packages of which one builds the server. */
const BUILDERS = ["nuxt", "nitropack", "nitro"];

/** Nitro's presets by platform: its documents recommend the variable NITRO_PRESET for them. */
const PRESETS = { cloudflare: "cloudflare_module", node: "node_server", vercel: "vercel" };

/** The folder into which Nitro builds, but for Vercel. */
const OUTPUT = ".output";

/** The file by which a build leads wrangler to its configuration. */
const REDIRECT = ".wrangler/deploy/config.json";

/** Variables by which tools send nothing home. */
const QUIET = { NUXT_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false" };

/** Builds apps of Nitro, and of frameworks that build by it, that nobody here wrote. */
export default defineOwnApp({
  title: "Nuxt, and others by Nitro",
  order: 0,

  async detect(source) {
    if (!BUILDERS.some((name) => source.rangeOf(name) !== null)) {
      return null;
    }
    const name = Object.keys(FRAMEWORKS).find((found) => source.rangeOf(found) !== null);
    return { title: FRAMEWORKS[name ?? ""] ?? "Nitro", refusals: {}, keeps: [] };
  },

  /** Builds once for each platform: a preset belongs to the build. */
  async build(build) {
    const platforms = await packEach(build, PACKERS, {});
    build.note("Each platform's build is the app's own, with its preset of Nitro in NITRO_PRESET.");
    const note = "Nitro does not say which paths an app knows.";
    return { platforms, routes: [{ path: "/*", kind: "dynamic", hasMiddleware: false, note }] };
  },
});

/** Runs the app's own build with a preset. @throws {UserError} where it has none, or left nothing at a path. */
async function nitroBuild(build: OwnAppBuild, preset: string, made: string): Promise<void> {
  if (build.source.packageJson?.scripts?.build === undefined) {
    throw new UserError(
      'package.json has no script "build". Add the one that builds it, such as "nuxt build".',
    );
  }
  for (const output of [OUTPUT, ".vercel/output", REDIRECT]) {
    await rm(join(build.folder, output), { recursive: true, force: true });
  }
  const name = `the script "build" of package.json, by the preset ${preset}`;
  const env = { ...QUIET, NODE_ENV: "production", NITRO_PRESET: preset };
  await build.run(name, [process.execPath, "--run", "build"], { env });
  if (!existsSync(join(build.folder, made))) {
    throw new UserError(
      `The build with NITRO_PRESET=${preset} left no ${made}: the configuration names another preset, or nothing is rendered for a request.`,
    );
  }
}

/** Source text of the server for Node.js. Nitro 3 asks for a port of its own; a cluster's workers share their primary's. */
const SERVER_SOURCE = `import { Server } from "node:http";

const { listen } = Server.prototype;
Server.prototype.listen = function (options, ...rest) {
  const shared = typeof options === "object" && options !== null ? { ...options, exclusive: false } : options;
  return listen.call(this, shared, ...rest);
};
await import("./server/index.mjs");
`;

/** Packs a build as each platform's deployable, by platform. */
const PACKERS: Readonly<Record<string, OwnPacker>> = {
  async cloudflare(build, deployable) {
    await nitroBuild(build, PRESETS.cloudflare, `${OUTPUT}/server/index.mjs`);
    if (!existsSync(join(build.folder, REDIRECT))) {
      await writeWorkerConfiguration(build, {
        main: `${OUTPUT}/server/index.mjs`,
        assets: `${OUTPUT}/public`,
      });
    }
    await packAdaptedWorker(build, deployable);
  },

  async node(build, deployable) {
    await nitroBuild(build, PRESETS.node, `${OUTPUT}/server/index.mjs`);
    await copyServer(join(build.folder, OUTPUT), deployable);
    await writeFile(join(deployable, "server.mjs"), SERVER_SOURCE);
  },

  /** The preset itself writes what the Vercel CLI would. */
  async vercel(build, deployable) {
    await nitroBuild(build, PRESETS.vercel, ".vercel/output/config.json");
    await takeBuildOutput(build.folder, deployable);
  },
};
