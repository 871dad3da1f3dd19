import { existsSync } from "node:fs";
import { join } from "node:path";
import { bindingNames, noteSimulated } from "@evenbench/app-cloudflare/own-bindings";
import { type OwnConfiguration, readOwnConfiguration } from "@evenbench/app-cloudflare/own-configuration";
import { missingPart } from "@evenbench/app-cloudflare/own-worker";
import { filesOf, isWithin, namedPath, packEach } from "@evenbench/bundle/deployable";
import {
  defineOwnApp,
  type OwnAppBuild,
  type OwnAppDeployable,
  type OwnAppRead,
  type OwnAppRoute,
  type PlatformId,
  UserError,
} from "@evenbench/core";
import { type BundledFor, bundleHandler, OF_RUNTIMES } from "./src/bundle.ts";
import { findEntry, type HandlerEntry } from "./src/find-entry.ts";
import { type Bundle, type OwnHandler, packersOf, whyNotFor } from "./src/packers.ts";
import { askHandler } from "./src/routes.ts";

/** It makes the bundles. */
const BUNDLER_PACKAGES = ["esbuild"];

export default defineOwnApp({
  title: "a module with fetch, or Hono",
  order: 5,
  tools: { cloudflare: BUNDLER_PACKAGES, node: BUNDLER_PACKAGES, vercel: BUNDLER_PACKAGES },

  async detect(source) {
    const configuration = await readOwnConfiguration(source.folder, source.variables);
    const entry = findEntry(source, configuration?.main ?? null);
    if (entry === null) {
      return null;
    }
    const what = source.rangeOf("hono") === null ? "A module with fetch" : "Hono";
    const keeps = [entry.file, ...(configuration?.assets == null ? [] : [configuration.assets.directory])];
    return {
      title: `${what} (${entry.file})`,
      refusals: {},
      keeps: keeps.filter((path) => existsSync(join(source.folder, path))),
      ...(configuration?.buildCommand != null && { buildCommand: configuration.buildCommand }),
      read: configuration === null ? [] : [readWith(configuration, entry.file, source.folder)],
    };
  },

  async build(build) {
    const { folder, source } = build;
    const configuration = await readOwnConfiguration(folder, source.variables);
    const entry = findEntry(source, configuration?.main ?? null);
    if (entry === null) {
      throw new UserError("The module is not in the private copy: .gitignore leaves it out.");
    }
    const missing = configuration === null ? null : missingPart(configuration);
    if (missing !== null) {
      return { platforms: refusedForAll(build, missing), routes: [] };
    }
    const assets = assetsOf(build, configuration);
    const inAssets = assets === null ? [] : await filesOf(assets);
    const rules = inAssets.filter((path) => RULES_OF_WORKERS.includes(path));
    const files = inAssets.filter((path) => !rules.includes(path)).map((path) => `/${path}`);
    const bundles = {
      node: await bundleFor("node", build, entry, configuration),
      worker: await bundleFor("worker", build, entry, configuration),
    };
    const facts =
      "file" in bundles.node && !bundles.node.imported.some((name) => OF_RUNTIMES.test(name))
        ? await askHandler(bundles.node.file, folder, source.variables)
        : null;
    if (facts?.hasFetch === false) {
      const why = `The default export of ${entry.file} has no method fetch, so no platform can ask it. For a server that a command starts, add --start "npm start".`;
      return { platforms: refusedForAll(build, why), routes: [] };
    }
    const handler: OwnHandler = {
      build,
      entry,
      configuration,
      bundles,
      assets,
      settings: {
        vars: configuration?.vars ?? {},
        names: Object.keys(source.variables),
        bindings: configuration?.bindings ?? [],
        assets: files,
      },
    };
    noteWhatDiffers(handler, rules);
    const refused = build.platforms.flatMap((platform) => {
      const refusal = whyNotFor(platform, handler);
      return refusal === null ? [] : [[platform, { refusal }] as const];
    });
    const platforms = await packEach(build, packersOf(handler), Object.fromEntries(refused));
    const fileRoutes = files.map(
      (path): OwnAppRoute => ({ path, kind: "static", hasMiddleware: false, note: null }),
    );
    return { platforms, routes: [...(facts?.routes ?? []), ...fileRoutes] };
  },
});

/** Says what of a configuration counts, and whether its main module is the one that is bundled. */
function readWith({ folder, main, read }: OwnConfiguration, bundled: string, app: string): OwnAppRead {
  if (main === null || main === bundled || folder !== app) {
    return read;
  }
  const replaced = { what: `main ${main}`, why: `${bundled} is bundled in its place` };
  return { ...read, notApplied: [...read.notApplied, replaced] };
}

function refusedForAll({ platforms }: OwnAppBuild, refusal: string): Record<PlatformId, OwnAppDeployable> {
  return Object.fromEntries(platforms.map((platform) => [platform, { refusal }]));
}

/** Names of files beside static ones by which Workers say how these are served. */
const RULES_OF_WORKERS = ["_headers", "_redirects", ".assetsignore"];

/** Bundles the module for a runtime. One that cannot have it costs itself alone. */
async function bundleFor(
  bundledFor: BundledFor,
  build: OwnAppBuild,
  entry: HandlerEntry,
  configuration: OwnConfiguration | null,
): Promise<Bundle> {
  // A Worker is packed from there, with an entry beside it; source maps name sources from there.
  const { folder, note } = build;
  const file = join(folder, ".evenbench", bundledFor, "handler.mjs");
  try {
    const imported = await bundleHandler({ bundledFor, folder, entry, outfile: file, configuration, note });
    return { file, imported };
  } catch (failure) {
    return { failure };
  }
}

/**
 * Finds the folder of static files: that of the wrangler configuration, else the folder that Vercel, and most
 * templates, serve. null where it is not there.
 */
function assetsOf({ folder, workspace }: OwnAppBuild, configuration: OwnConfiguration | null): string | null {
  const { file = "", assets } = configuration ?? {};
  const named = assets?.directory ?? "public";
  const path = namedPath({ file, named, from: folder, within: workspace });
  if (isWithin(path, folder)) {
    throw new UserError(
      `${file} names ${named} for static files: that is the app's whole folder, with its modules and variables. Name a folder that has these files alone.`,
    );
  }
  return existsSync(path) ? path : null;
}

/** Notes how the app on platforms differs from the app as its user starts it. @param rules of Workers beside its files. */
function noteWhatDiffers(
  { build, entry, settings, configuration }: OwnHandler,
  rules: readonly string[],
): void {
  const { bindings, assets } = settings;
  const missing = configuration?.missing ?? [];
  const atWorkers = bindings.filter((binding) => !missing.includes(binding));
  if (entry.kind === "served") {
    build.note(`${entry.file} lets a server of its own listen; each platform's own takes its place.`);
  }
  noteSimulated(build, atWorkers);
  if (missing.length > 0) {
    build.note(`Not there on any platform: ${bindingNames(missing)}. Only a path that uses one is refused.`);
  }
  if (atWorkers.length > 0) {
    build.note(
      `Workers alone have: ${bindingNames(atWorkers)}. On other platforms a path that uses one is refused.`,
    );
  }
  if (configuration === null && build.platforms.includes("cloudflare")) {
    build.note("It has no wrangler configuration: the Worker gets the flag nodejs_compat and a recent date.");
  }
  if (assets.length > 0) {
    build.note(`Files that are served before the handler is asked: ${assets.length}.`);
  }
  const keys = Object.keys(configuration?.assets ?? {});
  const ofWorkers = [...keys.filter((name) => !/^(?:directory|binding)$/.test(name)), ...rules];
  if (ofWorkers.length > 0) {
    build.note(
      `Of its assets Workers alone have ${ofWorkers.join(", ")}; elsewhere each file is served first.`,
    );
  }
}
