import { existsSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { packWorker, usualConfiguration, writeWranglerConfiguration } from "@evenbench/app-cloudflare/build";
import type { MissingBinding } from "@evenbench/app-cloudflare/missing-bindings";
import {
  namesOfLocal,
  type OwnConfiguration,
  readOwnConfiguration,
} from "@evenbench/app-cloudflare/own-configuration";
import { filesOf, keepSourceMaps } from "@evenbench/bundle/deployable";
import {
  defineOwnApp,
  messageOf,
  type OwnAppBuild,
  type OwnAppDeployable,
  type OwnAppSource,
  type PlatformId,
  UserError,
} from "@evenbench/core";
import { bundleHandler, bundleServer } from "./src/bundle.ts";
import { findEntry, type HandlerEntry } from "./src/find-entry.ts";
import { routesOf } from "./src/routes.ts";
import type { HandlerSettings } from "./src/settings.ts";

/** The one module from which the apps of three platforms are made. */
interface OwnHandler {
  readonly build: OwnAppBuild;
  readonly configuration: OwnConfiguration | null;
  readonly settings: HandlerSettings;
  /** Absolute path of the user's bundle. */
  readonly bundle: string;
  /** Absolute path of files that are served as they are; null where there are none. */
  readonly assets: string | null;
}

/** It makes one bundle for all platforms. */
const BUNDLER_PACKAGES = ["esbuild"];

export default defineOwnApp({
  title: "a module with fetch, or Hono",
  order: 5,
  tools: { cloudflare: BUNDLER_PACKAGES, node: BUNDLER_PACKAGES, vercel: BUNDLER_PACKAGES },

  async detect(source) {
    const entry = await entryOf(source);
    if (entry === null) {
      return null;
    }
    const what = source.rangeOf("hono") === null ? "A module with fetch" : "Hono";
    return { title: `${what} (${entry.file})`, refusals: {}, keeps: [entry.file] };
  },

  async build(build) {
    const configuration = await readOwnConfiguration(build.folder);
    const entry = await findEntry({ ...build.source, folder: build.folder }, configuration?.main ?? null);
    if (entry === null) {
      throw new UserError("The module is not in the private copy: .gitignore leaves it out.");
    }
    // The Worker's entry imports it from there, and its source map names sources from there.
    const bundle = join(stagedIn(build), "handler.mjs");
    const imported = await bundleHandler({ folder: build.folder, entry, outfile: bundle, configuration });
    const assets = assetsOf(build.folder, configuration);
    const handler: OwnHandler = {
      build,
      configuration,
      bundle,
      assets,
      settings: {
        vars: configuration?.vars ?? {},
        names: Object.keys(build.environment),
        bindings: configuration?.bindings ?? [],
        assets: assets === null ? [] : (await filesOf(assets)).map((path) => `/${path}`),
      },
    };
    noteWhatDiffers(handler, entry);
    const platforms: Record<PlatformId, OwnAppDeployable> = {};
    for (const platform of build.platforms) {
      platforms[platform] = await buildFor(platform, handler, imported);
    }
    const routes = imported.length > 0 ? [] : await routesOf(bundle, build.environment);
    return { platforms, routes };
  },
});

/** Gives the folder that the Worker is packed from: it has the user's bundle, and an entry beside it. */
function stagedIn({ folder }: OwnAppBuild): string {
  return join(folder, ".evenbench/worker");
}

async function entryOf(source: OwnAppSource): Promise<HandlerEntry | null> {
  const configuration = await readOwnConfiguration(source.folder);
  return findEntry(source, configuration?.main ?? null);
}

/**
 * Finds the folder of static files: that of the wrangler configuration, else the folder that Vercel, and most
 * templates, serve. null where it is not there.
 */
function assetsOf(folder: string, configuration: OwnConfiguration | null): string | null {
  const path = join(folder, configuration?.assets?.directory ?? "public");
  return existsSync(path) ? path : null;
}

/** Notes how the app on platforms differs from the app as its user starts it. */
function noteWhatDiffers({ build, settings, configuration }: OwnHandler, entry: HandlerEntry): void {
  const { bindings, assets } = settings;
  if (entry.kind === "served") {
    build.note(`${entry.file} calls serve of @hono/node-server; each platform's own server takes its place.`);
  }
  const isMissing = isMissingIn(configuration);
  const missing = bindings.filter(isMissing);
  const atWorkers = bindings.filter((binding) => !isMissing(binding));
  if (missing.length > 0) {
    build.note(`Not there on any platform: ${bindingNames(missing)}. Only a path that uses one is refused.`);
  }
  if (atWorkers.length > 0) {
    build.note(
      `Workers alone have: ${bindingNames(atWorkers)}. On other platforms a path that uses one is refused. What stores anything is simulated by Miniflare, and empty at each start: its time and memory are of this machine, and count as the Worker's.`,
    );
  }
  if (configuration === null && build.platforms.includes("cloudflare")) {
    build.note("It has no wrangler configuration: the Worker gets the flag nodejs_compat and a recent date.");
  }
  if (assets.length > 0) {
    build.note(`Files that are served before the handler is asked: ${assets.length}.`);
  }
}

/** Makes a function that tells whether the Worker's local host lacks a binding, too. */
function isMissingIn(configuration: OwnConfiguration | null): (binding: MissingBinding) => boolean {
  const local = namesOfLocal(configuration?.local ?? {});
  return ({ name }) => !local.includes(name);
}

function bindingNames(bindings: readonly MissingBinding[]): string {
  return bindings.map(({ kind, name }) => `${kind} ${name}`).join(", ");
}

async function buildFor(
  platform: PlatformId,
  handler: OwnHandler,
  imported: readonly string[],
): Promise<OwnAppDeployable> {
  const make = MAKERS[platform];
  if (make === undefined) {
    return { refusal: "A module with fetch is not built for it." };
  }
  const foreign = imported.filter((name) => !(platform === "cloudflare" && name.startsWith("cloudflare:")));
  if (foreign.length > 0) {
    return { refusal: `The module imports ${foreign.join(", ")}, which only another runtime has.` };
  }
  const place = handler.build.placeFor(platform);
  try {
    await mkdir(place, { recursive: true });
    await make(handler, place);
    return { deployable: place };
  } catch (error) {
    if (!(error instanceof UserError)) {
      throw error;
    }
    return { refusal: messageOf(error) };
  }
}

const MAKERS: Readonly<Record<PlatformId, (handler: OwnHandler, place: string) => Promise<void>>> = {
  async node({ bundle, settings, assets }, place) {
    await cp(bundle, join(place, "handler.mjs"));
    await keepSourceMaps(place, [{ deployed: place, maps: dirname(bundle) }]);
    await bundleServer("node", join(place, "server.mjs"), settings);
    if (assets !== null) {
      await cp(assets, join(place, "public"), { recursive: true });
    }
  },

  async vercel({ bundle, settings, assets }, place) {
    const folder = join(place, "functions/index.func");
    await mkdir(folder, { recursive: true });
    await cp(bundle, join(folder, "handler.mjs"));
    await keepSourceMaps(place, [{ deployed: folder, maps: dirname(bundle) }]);
    await bundleServer("vercel", join(folder, "index.mjs"), settings);
    const functionConfiguration = { runtime: "nodejs26.x", handler: "index.mjs", launcherType: "Nodejs" };
    await writeFile(join(folder, ".vc-config.json"), `${JSON.stringify(functionConfiguration, null, 2)}\n`);
    const routes = [{ handle: "filesystem" }, { src: "/.*", dest: "/index" }];
    await writeFile(join(place, "config.json"), `${JSON.stringify({ version: 3, routes }, null, 2)}\n`);
    if (assets !== null) {
      await cp(assets, join(place, "static"), { recursive: true });
    }
  },

  async cloudflare({ build, configuration, settings, assets }, place) {
    const staged = stagedIn(build);
    const bindings = settings.bindings.filter(isMissingIn(configuration));
    await bundleServer("cloudflare", join(staged, "entry.mjs"), { ...settings, bindings });
    if (assets !== null) {
      await cp(assets, join(staged, "assets"), { recursive: true });
    }
    // A recent date, that of the repository's own Worker.
    const usual = await usualConfiguration();
    await writeWranglerConfiguration(staged, {
      name: configuration?.name ?? "worker",
      main: "entry.mjs",
      compatibility_date: configuration?.compatibilityDate ?? usual.compatibility_date,
      compatibility_flags: configuration === null ? ["nodejs_compat"] : configuration.compatibilityFlags,
      vars: { ...configuration?.vars },
      ...(assets !== null && { assets: { ...configuration?.assets, directory: "assets" } }),
      ...configuration?.local,
    });
    await packWorker(build.run, staged, place);
  },
};
