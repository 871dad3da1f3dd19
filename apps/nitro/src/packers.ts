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

type Platform = "cloudflare" | "node" | "vercel";

/** A framework whose own build is led to a platform by variables, and what it makes there. */
export interface LedBuild {
  /** The variables that lead it, by platform. */
  readonly variables: Readonly<Record<Platform, Readonly<Record<string, string>>>>;
  /** The folder of its output, from the app's folder on, but for Vercel. */
  readonly output: string;
  /** A file that is always in the output, from it on: the module by which it starts, or a configuration that names it. */
  readonly server: Readonly<Record<"cloudflare" | "node", string>>;
}

/** The variable of Cloudflare's own builder, by which frameworks write the Worker's configuration. */
const CLOUDFLARE_BUILDS = { WORKERS_CI: "1" };

/** Makes a build that Nitro's presets lead. @param variable that names the preset. @param output its folder. */
function ledByPreset(variable: string, output: string): LedBuild {
  return {
    variables: {
      // With it Nitro has Node.js's modules there, too.
      cloudflare: { ...CLOUDFLARE_BUILDS, [variable]: "cloudflare_module" },
      node: { [variable]: "node_server" },
      vercel: { [variable]: "vercel" },
    },
    output,
    server: { cloudflare: SERVER, node: SERVER },
  };
}

/** Nitro's own: its documents recommend the variable. */
export const NITRO: LedBuild = ledByPreset("NITRO_PRESET", OUTPUT);

/** Builds of frameworks that are led otherwise, by the package that an app names. */
export const LED_OTHERWISE: Readonly<Record<string, LedBuild>> = {
  "@analogjs/platform": ledByPreset("BUILD_PRESET", "dist/analog"),
  // It takes the adapter of the platform that builds it.
  waku: {
    variables: { cloudflare: CLOUDFLARE_BUILDS, node: {}, vercel: { VERCEL: "1" } },
    output: "dist",
    // An older version without an adapter for Workers makes no configuration.
    server: { cloudflare: "server/wrangler.json", node: "serve-node.js" },
  },
};

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

/** Packages of Nitro 2, which asks for a day by which it chooses what it builds. */
const DATED = ["nitropack", "nuxt"];
/** Files in which an app may name that day. */
const DATED_FILES = /^(?:(?:nitro|nuxt)\.config\.[cm]?[jt]s|package\.json)$/;

/**
 * Gives the variable with a recent day where an app of Nitro 2 names none: its Worker's files would lie in a KV
 * namespace.
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

/** The folder and the file of every output for Vercel. */
const VERCEL_OUTPUT = ".vercel/output";
const VERCEL_FILE = "config.json";

/** Runs the app's own build for a platform. @throws {UserError} where it has none, or it left nothing for the platform. */
async function buildLed(
  build: OwnAppBuild,
  { variables, output, server }: LedBuild,
  platform: Platform,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const path of [output, VERCEL_OUTPUT, REDIRECT]) {
    await rm(join(build.folder, path), { recursive: true, force: true });
  }
  const led = Object.entries(variables[platform]).map(([name, value]) => `${name}=${value}`);
  const how = led.length === 0 ? "" : `, with ${led.join(" and ")}`;
  await runBuildScript(build, { ...QUIET, ...more, ...variables[platform] }, how);
  const [made, file] = platform === "vercel" ? [VERCEL_OUTPUT, VERCEL_FILE] : [output, server[platform]];
  const preset = presetOf(join(build.folder, made));
  const isForIt = preset === null || hostOf(preset) === platform;
  if (!isForIt || !existsSync(join(build.folder, made, file))) {
    throw new UserError(
      `The build${how} left no ${made}/${file} for it: its configuration, or its version, builds for another platform, or nothing is rendered for a request.`,
    );
  }
}

/** Gives the first word of a preset: "cloudflare" of "cloudflare-module" and of "cloudflare_durable". */
function hostOf(preset: string): string | undefined {
  return preset.split(/[-_]/)[0];
}

/** Makes the source text of the server for Node.js. Nitro 3 asks for a port; workers share their primary's. */
function serverSource(module: string): string {
  return `import { Server } from "node:http";

const { listen } = Server.prototype;
Server.prototype.listen = function (options, ...rest) {
  const shared = typeof options === "object" && options !== null ? { ...options, exclusive: false } : options;
  return listen.call(this, shared, ...rest);
};
await import("./${module}");
`;
}

/** Packs an output for Node.js, with the server that starts it. @param output its absolute path. */
export async function packOutput(output: string, deployable: string): Promise<void> {
  await copyServer(output, deployable);
  await writeFile(join(deployable, "server.mjs"), serverSource(SERVER));
}

/** Makes what packs a build as each platform's deployable, by platform. */
export function packersOf(led: LedBuild): Readonly<Record<Platform, OwnPacker>> {
  const { output, server } = led;
  return {
    async cloudflare(build, deployable) {
      await buildLed(build, led, "cloudflare", await dayOf(build));
      if (!existsSync(join(build.folder, REDIRECT))) {
        const main = `${output}/${server.cloudflare}`;
        await writeWorkerConfiguration(build, { main, assets: `${output}/public` });
      }
      await packAdaptedWorker(build, deployable);
    },

    async node(build, deployable) {
      await buildLed(build, led, "node");
      await copyServer(join(build.folder, output), deployable, output);
      await writeFile(join(deployable, "server.mjs"), serverSource(`${output}/${server.node}`));
    },

    /** The build itself writes what the Vercel CLI would. */
    async vercel(build, deployable) {
      await buildLed(build, led, "vercel");
      await takeAdapterOutput(build.folder, deployable);
    },
  };
}
