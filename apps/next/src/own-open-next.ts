// The Worker that OpenNext makes of a build of Next.js.
import { existsSync, realpathSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packAdaptedWorker, writeWorkerConfiguration } from "@evenbench/app-cloudflare/own-worker";
import { chooseAdapter, packageFolder } from "@evenbench/bundle/deployable";
import {
  failedBuild,
  type OwnAppBuild,
  type OwnAppDeployable,
  type OwnPackageJson,
  ProgramError,
} from "@evenbench/core";
import { moduleFile } from "@evenbench/host";
import packageJson from "../package.json" with { type: "json" };

const OPEN_NEXT = "@opennextjs/cloudflare";
const PINNED = {
  [OPEN_NEXT]: packageJson.devDependencies[OPEN_NEXT],
  wrangler: packageJson.devDependencies.wrangler,
};

const QUOTED_PATHS = pathToFileURL(moduleFile("apps/next/src/quoted-paths")).href;

/** Variables by which tools send nothing home. */
export const QUIET = { NEXT_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false" };

/** Adds the adapter, with what it wants. @returns why Workers have none, as of a failed build; null where it was added. */
export async function prepareOpenNext(build: OwnAppBuild): Promise<OwnAppDeployable | null> {
  try {
    const refusal = await addOpenNext(build);
    return refusal === null ? null : { refusal };
  } catch (error) {
    return failedBuild(error);
  }
}

/** @returns the reason why there is no adapter for this version of Next.js; null where it was added. */
async function addOpenNext(build: OwnAppBuild): Promise<string | null> {
  await removeUnbuilt(build);
  const choice = await chooseAdapter(build, { adapter: OPEN_NEXT, framework: "next", pinned: PINNED });
  if ("refusal" in choice) {
    return choice.refusal;
  }
  await build.addPackages(choice.packages);
  const refusal = await refusalOfVersion(build);
  if (refusal !== null) {
    return refusal;
  }
  if (!build.source.files.some((file) => file.startsWith("next.config."))) {
    await writeFile(join(build.folder, "next.config.mjs"), "export default {};\n");
    build.note("next.config.mjs was added in the copy: OpenNext wants one.");
  }
  return null;
}

/** The flag for a version that OpenNext refuses for its age. Only the user's own scripts may give it. */
const UNSUPPORTED_FLAG = "--dangerouslyUseUnsupportedNextVersion";

/** The flags that the app's own scripts give to OpenNext and that decide whether it builds at all. */
function ownFlags(manifest: OwnPackageJson | null): readonly string[] {
  const scripts = Object.values(manifest?.scripts ?? {});
  return scripts.some((script) => script.includes(UNSUPPORTED_FLAG)) ? [UNSUPPORTED_FLAG] : [];
}

/** The exit code of a check where the adapter refuses; other codes are failures of the check. */
const REFUSED = 3;

/**
 * Gives the adapter's reason not to take the app's version of Next.js, before minutes of building; null where it takes
 * it.
 */
async function refusalOfVersion(build: OwnAppBuild): Promise<string | null> {
  const helper = openNextHelper(build);
  const version = build.installedVersion("next") ?? "";
  if (helper === null || ownFlags(build.source.packageJson).length > 0) {
    return null;
  }
  const script = `const { isNextVersionSupported } = await import(${JSON.stringify(helper)});
if (isNextVersionSupported?.(${JSON.stringify(version)}) === false) process.exit(${REFUSED});`;
  const command = [process.execPath, "--input-type=module", "--eval", script] as const;
  try {
    await build.run("asking OpenNext for its versions", command);
    return null;
  } catch (error) {
    if (!(error instanceof ProgramError && error.exitCode === REFUSED)) {
      return null;
    }
    const adapter = `${OPEN_NEXT} ${build.installedVersion(OPEN_NEXT)}`;
    return `${adapter} refuses next ${version}, which the Next.js team does not support any more. Update next in your app; or build it all the same, with ${UNSUPPORTED_FLAG} behind \`opennextjs-cloudflare build\` in a script of your package.json.`;
  }
}

/** A module of the package that the adapter itself brings. */
const OPEN_NEXT_HELPER = "@opennextjs/aws/build/helper.js";

/** The address of the module in which OpenNext decides it; null where this version of it has none. */
function openNextHelper(build: OwnAppBuild): string | null {
  const folder = packageFolder(build, OPEN_NEXT);
  if (folder === null) {
    return null;
  }
  try {
    const require = createRequire(join(realpathSync(folder), "package.json"));
    return pathToFileURL(require.resolve(OPEN_NEXT_HELPER)).href;
  } catch {
    return null;
  }
}

/** Removes OpenNext's package where it is not built: its own repository has a link to sources. */
async function removeUnbuilt(build: OwnAppBuild): Promise<void> {
  const folder = packageFolder(build, OPEN_NEXT);
  if (folder === null || existsSync(openNextIn(folder))) {
    return;
  }
  await rm(folder, { recursive: true, force: true });
}

const openNextIn = (folder: string) => join(folder, "dist/cli/index.js");

/** The import of a cache in which prerendered pages lie among the Worker's files, without an account. */
const STATIC_CACHE = `import cache from "@opennextjs/cloudflare/overrides/incremental-cache/static-assets-incremental-cache";`;

const NEW_CONFIGURATION = `import { defineCloudflareConfig } from "@opennextjs/cloudflare";
${STATIC_CACHE}

export default defineCloudflareConfig({ incrementalCache: cache });
`;

const WRAPPED_CONFIGURATION = `import own from "./open-next.config.own";
${STATIC_CACHE}

const caches = { incrementalCache: () => cache, tagCache: "dummy", queue: "dummy", cdnInvalidation: "dummy" };
const { middleware } = own;
export default {
  ...own,
  default: { ...own.default, override: { ...own.default?.override, ...caches } },
  ...(middleware === undefined ? {} : { middleware: { ...middleware, override: { ...middleware.override, ...caches } } }),
};
`;

async function writeOpenNextConfiguration(build: OwnAppBuild): Promise<void> {
  const file = join(build.folder, "open-next.config.ts");
  if (!existsSync(file)) {
    await writeFile(file, NEW_CONFIGURATION);
    build.note("open-next.config.ts was added in the copy, with a cache of static files.");
    return;
  }
  const own = await readFile(file, "utf8");
  if (own.includes("static-assets-incremental-cache")) {
    return;
  }
  await rename(file, join(build.folder, "open-next.config.own.ts"));
  await writeFile(file, WRAPPED_CONFIGURATION);
  build.note(
    "The caches of open-next.config.ts are replaced in the copy by one of static files, since nothing on this machine is what they are bound to.",
  );
}

/** Packs what `next build` left as a Worker. */
export async function packByOpenNext(build: OwnAppBuild, deployable: string): Promise<void> {
  // After the app's own build, whose type check would read what was added.
  await writeOpenNextConfiguration(build);
  await writeWorkerConfiguration(build, { main: ".open-next/worker.js", assets: ".open-next/assets" });
  const openNext = openNextIn(packageFolder(build, OPEN_NEXT) ?? "");
  const command = [process.execPath, "--import", QUOTED_PATHS, openNext] as const;
  const flags = ["--skipNextBuild", ...ownFlags(build.source.packageJson)];
  await build.run("opennextjs-cloudflare build", [...command, "build", ...flags], { env: QUIET });
  await build.run("opennextjs-cloudflare populateCache", [...command, "populateCache", "local"], {
    env: QUIET,
  });
  await packAdaptedWorker(build, deployable);
}
