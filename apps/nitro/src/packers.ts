import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { usualConfiguration } from "@evenbench/app-cloudflare/build";
import { REDIRECT } from "@evenbench/app-cloudflare/own-configuration";
import { packAdaptedWorker, writeWorkerConfiguration } from "@evenbench/app-cloudflare/own-worker";
import { takeAdapterOutput } from "@evenbench/app-vercel/build";
import { copyServer, type OwnPacker, runBuildScript } from "@evenbench/bundle/deployable";
import { type OwnAppBuild, type OwnAppRoute, UserError } from "@evenbench/core";
import { OUTPUT } from "./finished.ts";

/** Nitro's presets by platform: its documents recommend the variable NITRO_PRESET for them. */
const PRESETS = { cloudflare: "cloudflare_module", node: "node_server", vercel: "vercel" };

/** Variables by which tools send nothing home. */
const QUIET = { NUXT_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false" };

/** The routes of an app of Nitro. */
export const ROUTES_OF_NITRO: readonly OwnAppRoute[] = [
  {
    path: "/*",
    kind: "dynamic",
    hasMiddleware: false,
    note: "The build does not say which paths the app knows.",
  },
];

/** The variable of Cloudflare's own builder, by which Nitro writes the Worker's configuration, and has Node.js's modules there. */
const CLOUDFLARE_BUILDS = { WORKERS_CI: "1" };

/** Packages of Nitro 2, which asks for a day by which it chooses what it builds. */
const DATED = ["nitropack", "nuxt"];
/** Files in which an app may name that day. */
const DATED_FILES = /^(?:(?:nitro|nuxt)\.config\.[cm]?[jt]s|package\.json)$/;

/**
 * Gives the variable with a recent day, where an app of Nitro 2 names none: it would make a Worker of the old kind, whose
 * files lie in a KV namespace.
 */
async function dayOf({ folder, source, note }: OwnAppBuild): Promise<Readonly<Record<string, string>>> {
  const names = source.files.filter((name) => DATED_FILES.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const isNamed = texts.some((text) => text.includes("compatibilityDate"));
  if (isNamed || !DATED.some((name) => source.rangeOf(name) !== null)) {
    return {};
  }
  const { compatibility_date: day } = await usualConfiguration();
  note(`For Workers its compatibilityDate is ${day} in the copy: its configuration names none.`);
  return { COMPATIBILITY_DATE: day };
}

/**
 * Runs the app's own build with a preset.
 *
 * @param made path of what it makes.
 * @param variables of the build beside the preset.
 * @throws {UserError} where the app has none, or it left nothing there.
 */
async function nitroBuild(
  build: OwnAppBuild,
  preset: string,
  made: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const output of [OUTPUT, ".vercel/output", REDIRECT]) {
    await rm(join(build.folder, output), { recursive: true, force: true });
  }
  await runBuildScript(build, { ...QUIET, ...variables, NITRO_PRESET: preset }, `, by the preset ${preset}`);
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

/** Packs an output for Node.js, with the server that starts it. @param output its absolute path. */
export async function packOutput(output: string, deployable: string): Promise<void> {
  await copyServer(output, deployable);
  await writeFile(join(deployable, "server.mjs"), SERVER_SOURCE);
}

/** Packs a build by Nitro as each platform's deployable, by platform. */
export const NITRO_PACKERS: Readonly<Record<"cloudflare" | "node" | "vercel", OwnPacker>> = {
  async cloudflare(build, deployable) {
    const variables = { ...CLOUDFLARE_BUILDS, ...(await dayOf(build)) };
    await nitroBuild(build, PRESETS.cloudflare, `${OUTPUT}/server/index.mjs`, variables);
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
    await packOutput(join(build.folder, OUTPUT), deployable);
  },

  /** The preset itself writes what the Vercel CLI would. */
  async vercel(build, deployable) {
    await nitroBuild(build, PRESETS.vercel, ".vercel/output/config.json");
    await takeAdapterOutput(build.folder, deployable);
  },
};
