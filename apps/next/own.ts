import { existsSync, realpathSync } from "node:fs";
import { cp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { packAdaptedWorker, writeWorkerConfiguration } from "@evenbench/app-cloudflare/own-worker";
import { vercelBuild } from "@evenbench/app-vercel/build";
import {
  buildByFramework,
  chooseAdapter,
  keepSourceMaps,
  type OwnPacker,
  packageFolder,
  packEach,
  slashed,
} from "@evenbench/bundle/deployable";
import {
  defineOwnApp,
  failedBuild,
  messageOf,
  type OwnAppBuild,
  type OwnAppDeployable,
  type OwnAppSource,
  type OwnPackageJson,
  parseJson,
  UserError,
} from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import { entriesBelow, moduleFile } from "@evenbench/host";
import packageJson from "./package.json" with { type: "json" };
import { readNextManifests, routesOf } from "./src/own-routes.ts";

const OPEN_NEXT = "@opennextjs/cloudflare";
const PINNED = {
  [OPEN_NEXT]: packageJson.devDependencies[OPEN_NEXT],
  wrangler: packageJson.devDependencies.wrangler,
};

const QUOTED_PATHS = pathToFileURL(moduleFile("apps/next/src/quoted-paths")).href;

/** Variables by which tools send nothing home. */
const QUIET = { NEXT_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false" };

export default defineOwnApp({
  title: "Next.js",
  order: 0,
  // The Vercel CLI; what the other platforms need is added in the copy.
  tools: { vercel: ["vercel"] },

  async detect(source) {
    const routers = routersOf(source);
    if (source.rangeOf("next") === null || routers.length === 0 || isOfVinext(source)) {
      return null;
    }
    return { title: `Next.js (${routers.join(" and ")})`, refusals: {}, keeps: [] };
  },

  /** Builds once for all platforms: two builds of one source differ in build id and names of files. */
  async build(build) {
    const lacking = build.platforms.includes("cloudflare") ? await prepareOpenNext(build) : null;
    await prepareNext(build);
    await nextBuild(build);
    const platforms = await packEach(build, PACKERS, lacking === null ? {} : { cloudflare: lacking });
    return { platforms, routes: routesOf(await readNextManifests(build.folder)) };
  },
});

/** Tells whether an app is built by vinext: it names it, and its script "build" does not call Next.js. */
function isOfVinext({ rangeOf, packageJson }: OwnAppSource): boolean {
  return rangeOf("vinext") !== null && !/\bnext build\b/.test(packageJson?.scripts?.build ?? "");
}

/** Lists the routers that an app has pages of. Without any, Next.js builds nothing. */
function routersOf({ folder }: OwnAppSource): readonly string[] {
  const has = (name: string) => existsSync(join(folder, name)) || existsSync(join(folder, "src", name));
  const routers: string[] = [];
  if (has("app")) {
    routers.push("App Router");
  }
  if (has("pages")) {
    routers.push("Pages Router");
  }
  return routers;
}

/** Adds the adapter, with what it wants. @returns why Workers have none, as of a failed build; null where it was added. */
async function prepareOpenNext(build: OwnAppBuild): Promise<OwnAppDeployable | null> {
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

/**
 * The flag with which OpenNext builds a version that it refuses for its age. Only the user's own scripts may give it.
 */
const UNSUPPORTED_FLAG = "--dangerouslyUseUnsupportedNextVersion";

/** The flags that the app's own scripts give to OpenNext and that decide whether it builds at all. */
function ownFlags(manifest: OwnPackageJson | null): readonly string[] {
  const scripts = Object.values(manifest?.scripts ?? {});
  return scripts.some((script) => script.includes(UNSUPPORTED_FLAG)) ? [UNSUPPORTED_FLAG] : [];
}

/** The exit code of a check where the adapter refuses; other codes are failures of the check. */
const REFUSED = 3;

/**
 * Asks the adapter itself whether it takes the app's version of Next.js, before anything is built: a refusal after
 * `next build` comes minutes later.
 *
 * @returns the reason why it does not; null where it does.
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
    if (!messageOf(error).includes(`exit code ${REFUSED},`)) {
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

/**
 * Removes OpenNext's package where it is not built: in OpenNext's own repository it is a link to sources that
 * need not be built.
 */
async function removeUnbuilt(build: OwnAppBuild): Promise<void> {
  const folder = packageFolder(build, OPEN_NEXT);
  if (folder === null || existsSync(openNextIn(folder))) {
    return;
  }
  await rm(folder, { recursive: true, force: true });
}

const openNextIn = (folder: string) => join(folder, "dist/cli/index.js");

/**
 * The import of a cache in which prerendered pages lie among the Worker's own files: others are bound to an account.
 */
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

/** Gives an app a lock file: without one Next.js and OpenNext look for it in folders that are none of the app's. */
async function prepareNext({ folder, workspace }: OwnAppBuild): Promise<void> {
  if (lockedFolder(folder, workspace) !== null) {
    return;
  }
  await writeFile(join(workspace, "yarn.lock"), "");
}

/** Names of lock files, in the order in which OpenNext looks for them. */
const LOCK_FILES = ["bun.lockb", "bun.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"];

function lockedFolder(folder: string, workspace: string): string | null {
  for (let above = folder; ; above = dirname(above)) {
    if (LOCK_FILES.some((file) => existsSync(join(above, file)))) {
      return above;
    }
    if (above === workspace || above === dirname(above)) {
      return null;
    }
  }
}

/** The file of a build that has its configuration. */
const REQUIRED_FILES = "required-server-files.json";

/** Runs `next build`, with standalone output. */
async function nextBuild(build: OwnAppBuild): Promise<void> {
  const root = lockedFolder(build.folder, build.workspace) ?? build.workspace;
  // As OpenNext sets them, where the app's own configuration says nothing of output.
  const env = { ...QUIET, NEXT_PRIVATE_STANDALONE: "true", NEXT_PRIVATE_OUTPUT_TRACE_ROOT: root };
  const tool = { command: "next build", package: "next", file: "dist/bin/next" };
  try {
    await buildByFramework(build, tool, env);
  } catch (error) {
    throw explainedFailure(error);
  }
  if (existsSync(join(build.folder, ".next/standalone"))) {
    return;
  }
  const text = readIfThere(join(build.folder, ".next", REQUIRED_FILES)) ?? "";
  const { config } = (parseJson(text) ?? {}) as { readonly config?: { readonly output?: string } };
  throw new UserError(
    config?.output === "export"
      ? 'The build made files alone, as next.config says by output: "export": nothing is rendered for a request, so there is nothing to compare.'
      : "`next build` left no folder .next/standalone. Where next.config names another distDir, leave that out: only .next is read, as by OpenNext.",
  );
}

/** Explains an error of fetching fonts from Google, which is what many apps fetch while they are built. */
function explainedFailure(error: unknown): Error {
  const message = messageOf(error);
  if (!/fonts\.googleapis\.com|Google Fonts|font\/google/.test(message)) {
    return new UserError(message);
  }
  return new UserError(
    `${message}\nThe build fetches fonts from fonts.googleapis.com. Where that is not reached, use next/font/local, or name a file with the answers: NEXT_FONT_GOOGLE_MOCKED_RESPONSES=/path/to/fonts.cjs in a file that --env-file gives.`,
  );
}

/**
 * Writes the module that starts the standalone server as "localhost", where that is 127.0.0.1. A middleware calls its
 * server so in all addresses that it makes: under another name Next.js takes a rewrite to the request's own address,
 * which Clerk makes, for one to another server, and asks itself for ever.
 */
function standaloneServer(file: string): string {
  return `import { lookup } from "node:dns/promises";

const { address } = await lookup("localhost").catch(() => ({ address: null }));
if (address === process.env.HOSTNAME) {
  process.env.HOSTNAME = "localhost";
}
await import(${JSON.stringify(file)});
`;
}

const PACKERS: Readonly<Record<string, OwnPacker>> = {
  async cloudflare(build, deployable) {
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
  },

  /**
   * Packs Next.js with its standalone server, which does not run next.config: a stock one would start a
   * workerd below it.
   */
  async node({ folder }, deployable) {
    const output = join(folder, ".next");
    const app = await standaloneApp(output);
    await cp(join(output, "standalone"), deployable, { recursive: true, verbatimSymlinks: true });
    await cp(join(output, "static"), join(deployable, app, ".next/static"), { recursive: true });
    await keepServerMaps(folder, deployable);
    if (existsSync(join(folder, "public"))) {
      await cp(join(folder, "public"), join(deployable, app, "public"), { recursive: true });
    }
    await writeFile(join(deployable, "server.mjs"), standaloneServer(`./${slashed(join(app, "server.js"))}`));
  },

  /** The Vercel CLI takes what `next build` left in the very same folder. */
  async vercel(build, deployable) {
    const settings = { framework: "nextjs", buildCommand: "true", installCommand: "true" };
    await vercelBuild(build.run, { directory: build.folder, deployable, settings, env: QUIET });
    await keepServerMaps(build.folder, deployable);
  },
};

/** Keeps the maps of the server's scripts, wherever the deployable has these: neither output takes them along. */
async function keepServerMaps(folder: string, deployable: string): Promise<void> {
  const maps = join(folder, ".next/server");
  const entries = await entriesBelow(deployable);
  const folders = entries.filter(
    (entry) => entry.isDirectory() && entry.name === "server" && basename(entry.parentPath) === ".next",
  );
  const deployed = folders.map((entry) => ({ deployed: join(entry.parentPath, entry.name), maps }));
  await keepSourceMaps(deployable, deployed);
}

/** Finds the app in standalone output, which repeats the folders from the workspace on. */
async function standaloneApp(output: string): Promise<string> {
  const file = join(output, REQUIRED_FILES);
  const { relativeAppDir = "" } = JSON.parse(await readFile(file, "utf8")) as { relativeAppDir?: string };
  return relativeAppDir;
}
