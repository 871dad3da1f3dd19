// Makes a handler's app for each platform, of the bundles of its module.
import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { packWorker, usualConfiguration, writeWranglerConfiguration } from "@evenbench/app-cloudflare/build";
import type { OwnConfiguration } from "@evenbench/app-cloudflare/own-configuration";
import { applyMigrations, packAdaptedWorker } from "@evenbench/app-cloudflare/own-worker";
import { buildApiFunctions, isApiFunction } from "@evenbench/app-vercel/functions";
import { withOwnRoutes } from "@evenbench/app-vercel/own-configuration";
import { HANDLER_FUNCTION } from "@evenbench/app-vercel/start-up";
import { tracedFiles } from "@evenbench/app-vercel/traced-files";
import { keepSourceMaps, type OwnPacker } from "@evenbench/bundle/deployable";
import { messageOf, type OwnAppBuild, type PlatformId } from "@evenbench/core";
import { type BundledFor, bundleServer, OF_RUNTIMES } from "./bundle.ts";
import { FILES_FOLDER } from "./files-beside.ts";
import type { HandlerEntry } from "./find-entry.ts";
import type { HandlerSettings } from "./settings.ts";

/** The module from which the apps of three platforms are made. */
export interface OwnHandler {
  readonly build: OwnAppBuild;
  readonly entry: HandlerEntry;
  readonly configuration: OwnConfiguration | null;
  readonly settings: HandlerSettings;
  /** The user's module, bundled for each runtime. */
  readonly bundles: Readonly<Record<BundledFor, Bundle>>;
  /** Absolute path of files that are served as they are; null where there are none. */
  readonly assets: string | null;
}

/** A bundle of the user's module. */
interface BundledModule {
  /** Absolute path. */
  readonly file: string;
  /** Modules that it imports, such as "cloudflare:workers" and "node:fs". */
  readonly imported: readonly string[];
}

/** A bundle; or why there is none. */
export type Bundle = BundledModule | { readonly failure: unknown };

/** Makes the packers of a handler, by platform. */
export function packersOf(handler: OwnHandler): Readonly<Record<PlatformId, OwnPacker>> {
  const { entry, bundles } = handler;
  return {
    node: (_, place) => packForNode(handler, bundled(bundles.node), place),
    vercel: (build, place) =>
      isApiFunction(entry.file)
        ? buildApiFunctions(build, place)
        : packForVercel(handler, bundled(bundles.node), place),
    cloudflare: (build, place) =>
      "failure" in bundles.worker
        ? packByWrangler(build, place)
        : packWorkerOf(handler, bundles.worker, place),
  };
}

/** Says why the app is not made for a platform; null where it is. */
export function whyNotFor(
  platform: PlatformId,
  { entry, bundles, configuration }: OwnHandler,
): string | null {
  if (platform === "vercel" && isApiFunction(entry.file)) {
    return null;
  }
  const isWorker = platform === "cloudflare";
  const bundle = isWorker ? bundles.worker : bundles.node;
  if ("failure" in bundle) {
    return isWorker && configuration?.main != null ? null : messageOf(bundle.failure);
  }
  const foreign = bundle.imported.filter(
    (name) => OF_RUNTIMES.test(name) && !(isWorker && name.startsWith("cloudflare:")),
  );
  return foreign.length === 0
    ? null
    : `The module imports ${foreign.join(", ")}, which only another runtime has.`;
}

/** @throws {unknown} the reason where there is no bundle. */
function bundled(bundle: Bundle): BundledModule {
  if ("failure" in bundle) {
    throw bundle.failure;
  }
  return bundle;
}

/** Lets wrangler itself bundle a Worker that has a configuration: it knows modules that esbuild does not. */
async function packByWrangler(build: OwnAppBuild, place: string): Promise<void> {
  await packAdaptedWorker(build, place);
  build.note(
    "The Worker is bundled by wrangler alone, since the module cannot be bundled for other platforms.",
  );
}

/** Node.js's modules that read files. */
const READS_FILES = /^node:fs(?:\/promises)?$/;

/** Copies a bundle, with the files that its modules read beside themselves. */
async function copyBundle(bundle: string, folder: string): Promise<void> {
  await cp(bundle, join(folder, "handler.mjs"));
  await cp(join(dirname(bundle), FILES_FOLDER), join(folder, FILES_FOLDER), { recursive: true });
}

async function packForNode(
  { settings, assets }: OwnHandler,
  { file }: BundledModule,
  place: string,
): Promise<void> {
  await mkdir(place, { recursive: true });
  await copyBundle(file, place);
  await keepSourceMaps(place, [{ deployed: place, maps: dirname(file) }]);
  await bundleServer("node", join(place, "server.mjs"), settings);
  if (assets !== null) {
    await cp(assets, join(place, "public"), { recursive: true });
  }
}

async function packForVercel(
  { build, settings, assets }: OwnHandler,
  { file, imported }: BundledModule,
  place: string,
): Promise<void> {
  const folder = join(place, "functions/index.func");
  await mkdir(folder, { recursive: true });
  await copyBundle(file, folder);
  const traced = await tracedFiles(file, build.folder);
  for (const path of traced) {
    await cp(join(build.folder, path), join(folder, path), { recursive: true });
  }
  if (imported.some((name) => READS_FILES.test(name))) {
    build.note(
      `It imports node:fs. Vercel's tracing gives its function the files that are named by join(process.cwd(), …): ${traced.length} of the folder.`,
    );
  }
  await keepSourceMaps(place, [{ deployed: folder, maps: dirname(file) }]);
  await bundleServer("vercel", join(folder, HANDLER_FUNCTION), settings);
  const launched = { runtime: "nodejs26.x", handler: HANDLER_FUNCTION, launcherType: "Nodejs" };
  await writeFile(join(folder, ".vc-config.json"), JSON.stringify(launched));
  const routes = withOwnRoutes(build.folder, [{ handle: "filesystem" }, { src: "/.*", dest: "/index" }]);
  await writeFile(join(place, "config.json"), JSON.stringify({ version: 3, routes }));
  if (assets !== null) {
    await cp(assets, join(place, "static"), { recursive: true });
  }
}

async function packWorkerOf(
  { build, configuration, settings, assets }: OwnHandler,
  { file }: BundledModule,
  place: string,
): Promise<void> {
  const staged = dirname(file);
  const bindings = configuration?.missing ?? [];
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
  await mkdir(place, { recursive: true });
  await packWorker(build.run, staged, place);
  if (configuration !== null) {
    await applyMigrations(build, configuration, place);
  }
}
