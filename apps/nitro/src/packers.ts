import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { usualConfiguration } from "@evenbench/app-cloudflare/build";
import { REDIRECT } from "@evenbench/app-cloudflare/own-configuration";
import { packAdaptedWorker, writeWorkerConfiguration } from "@evenbench/app-cloudflare/own-worker";
import { takeAdapterOutput } from "@evenbench/app-vercel/build";
import { copyServer, type OwnPacker, runBuildScript } from "@evenbench/bundle/deployable";
import { type OwnAppBuild, type OwnAppRoute, UserError } from "@evenbench/core";
import { OUTPUT, presetOf, SERVER } from "./finished.ts";

/** A preset of Nitro, and what it makes. */
interface Preset {
  readonly name: string;
  /** The folder of its output, from the app's folder on. */
  readonly output: string;
  /** A file that is always in it. */
  readonly file: string;
}

/** Nitro's presets by platform: its documents recommend the variable NITRO_PRESET for them. */
const PRESETS = {
  cloudflare: { name: "cloudflare_module", output: OUTPUT, file: SERVER },
  node: { name: "node_server", output: OUTPUT, file: SERVER },
  vercel: { name: "vercel", output: ".vercel/output", file: "config.json" },
} as const satisfies Readonly<Record<string, Preset>>;

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
 * @param variables of the build beside the preset.
 * @throws {UserError} where the app has no build, or it left nothing for the preset's platform.
 */
async function nitroBuild(
  build: OwnAppBuild,
  { name, output, file }: Preset,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const path of [OUTPUT, ".vercel/output", REDIRECT]) {
    await rm(join(build.folder, path), { recursive: true, force: true });
  }
  await runBuildScript(build, { ...QUIET, ...variables, NITRO_PRESET: name }, `, by the preset ${name}`);
  const made = join(build.folder, output);
  const isForIt = platformOf(presetOf(made) ?? name) === platformOf(name);
  if (!isForIt || !existsSync(join(made, file))) {
    throw new UserError(
      `The build with NITRO_PRESET=${name} left no ${output}/${file} for it: the configuration names another preset, or nothing is rendered for a request.`,
    );
  }
}

/** Gives the first word of a preset: "cloudflare" of "cloudflare-module" and of "cloudflare_durable". */
function platformOf(preset: string): string | undefined {
  return preset.split(/[-_]/)[0];
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
    await nitroBuild(build, PRESETS.cloudflare, variables);
    if (!existsSync(join(build.folder, REDIRECT))) {
      await writeWorkerConfiguration(build, {
        main: `${OUTPUT}/${SERVER}`,
        assets: `${OUTPUT}/public`,
      });
    }
    await packAdaptedWorker(build, deployable);
  },

  async node(build, deployable) {
    await nitroBuild(build, PRESETS.node);
    await packOutput(join(build.folder, OUTPUT), deployable);
  },

  /** The preset itself writes what the Vercel CLI would. */
  async vercel(build, deployable) {
    await nitroBuild(build, PRESETS.vercel);
    await takeAdapterOutput(build.folder, deployable);
  },
};
