import { existsSync } from "node:fs";
import { cp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { packAdaptedWorker, writeWorkerConfiguration } from "@evenbench/app-cloudflare/own-worker";
import { takeAdapterOutput } from "@evenbench/app-vercel/build";
import {
  addAdapters,
  buildByFramework,
  copyServer,
  FILES_BELOW_SOURCE,
  linkPackages,
  type OwnPacker,
  packEach,
} from "@evenbench/bundle/deployable";
import { defineOwnApp, type OwnAppBuild, UserError } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import packageJson from "./package.json" with { type: "json" };
import { type AstroBuild, rendersAnything, routesOf } from "./src/own-routes.ts";

const ADAPTERS = { cloudflare: "@astrojs/cloudflare", node: "@astrojs/node", vercel: "@astrojs/vercel" };

const ADAPTER_FILE = "evenbench-adapter.mjs";
/** What a build leaves: Tailwind would read it for the next platform's build, if Astro's own folder did not hold it. */
const ROUTES_FILE = ".astro/evenbench-routes.json";
const OUTPUT = ".astro/evenbench-dist";

/** Variables by which tools send nothing home. */
const QUIET = { ASTRO_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false" };

const NOTHING_RENDERED =
  'Every page is prerendered: no platform renders anything for a request, so there is nothing to measure. A page is rendered with `export const prerender = false`, or all of them with output: "server".';

/** Builds apps of Astro that nobody here wrote. */
export default defineOwnApp({
  title: "Astro",
  order: 0,

  async detect(source) {
    if (source.rangeOf("astro") === null) {
      return null;
    }
    return { title: "Astro", refusals: {}, keeps: [] };
  },

  /** Builds once for each platform: an adapter belongs to the build. */
  async build(build) {
    const wanted = { adapters: ADAPTERS, framework: "astro", pinned: packageJson.devDependencies };
    const lacking = await addAdapters(build, wanted);
    await wrapConfiguration(build);
    const platforms = await packEach(build, PACKERS, lacking);
    const built = await readBuild(build.folder);
    const hasMiddleware = await hasOwnMiddleware(build.folder);
    return { platforms, routes: built === null ? [] : routesOf(built, hasMiddleware) };
  },
});

/**
 * Source text of the module that replaces the app's adapter by the platform's. One that is for the platform already is
 * kept, with its options.
 */
const ADAPTER_SOURCE = `import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const name = process.env.EVENBENCH_ADAPTER;
const OPTIONS = {
  "${ADAPTERS.node}": { mode: "standalone" },
  "${ADAPTERS.cloudflare}": { imageService: "passthrough", prerenderEnvironment: "node" },
};

export async function adapted(own) {
  const config = typeof own === "function" ? await own() : await own;
  const isOwn = config.adapter?.name === name && name !== "${ADAPTERS.node}";
  const { default: create } = await import(name);
  return {
    ...config,
    adapter: isOwn ? config.adapter : create(OPTIONS[name]),
    outDir: "./${OUTPUT}",
    integrations: [...(config.integrations ?? []), routesWriter()],
  };
}

function routesWriter() {
  let files = [];
  return {
    name: "evenbench-routes",
    hooks: {
      "astro:config:done": ({ config }) => {
        files = filesBelow(fileURLToPath(config.publicDir));
      },
      "astro:routes:resolved": ({ routes }) => {
        const kept = routes.map(({ pattern, type, origin, isPrerendered }) => ({ pattern, type, origin, isPrerendered }));
        mkdirSync(".astro", { recursive: true });
        writeFileSync("${ROUTES_FILE}", JSON.stringify({ routes: kept, files }));
      },
    },
  };
}

${FILES_BELOW_SOURCE}`;

/** Wraps the app's configuration, in the folder of its private copy, in one that has the platform's adapter. */
export async function wrapConfiguration({
  folder,
  note,
}: Pick<OwnAppBuild, "folder" | "note">): Promise<void> {
  await writeFile(join(folder, ADAPTER_FILE), ADAPTER_SOURCE);
  const found = (await readdir(folder)).find((file) => /^astro\.config\.[cm]?[jt]s$/.test(file));
  const wrapper = found ?? "astro.config.mjs";
  const own = `astro.config.own${extname(wrapper)}`;
  if (found === undefined) {
    await writeFile(join(folder, own), "export default {};\n");
  } else {
    await rename(join(folder, found), join(folder, own));
  }
  await writeFile(
    join(folder, wrapper),
    `import own from "./${own}";\nimport { adapted } from "./${ADAPTER_FILE}";\nexport default await adapted(own);\n`,
  );
  note("In the copy the adapter is each platform's.");
}

/** Reads the routes that the build has written; null before the first build. */
async function readBuild(folder: string): Promise<AstroBuild | null> {
  const file = join(folder, ROUTES_FILE);
  if (!existsSync(file)) {
    return null;
  }
  return JSON.parse(await readFile(file, "utf8")) as AstroBuild;
}

/** Tells whether an app has middleware, which Astro looks for by its name. */
async function hasOwnMiddleware(folder: string): Promise<boolean> {
  const files = await readdir(join(folder, "src")).catch(() => []);
  return files.some((file) => /^middleware(?:\.[cm]?[jt]s)?$/.test(file));
}

/** Builds the app with an adapter. @throws {UserError} where no page is rendered for a request. */
async function astroBuild(build: OwnAppBuild, adapter: string): Promise<void> {
  // A build before, with another adapter, says it already.
  assertRenders(await readBuild(build.folder));
  await rm(join(build.folder, OUTPUT), { recursive: true, force: true });
  const tool = { command: "astro build", package: "astro", file: "bin/astro.mjs" };
  await buildByFramework(build, tool, { ...QUIET, EVENBENCH_ADAPTER: adapter }, `, by ${adapter}`);
  assertRenders(await readBuild(build.folder));
}

function assertRenders(built: AstroBuild | null): void {
  if (built !== null && !rendersAnything(built)) {
    throw new UserError(NOTHING_RENDERED);
  }
}

const PACKERS: Readonly<Record<string, OwnPacker>> = {
  async cloudflare(build, deployable) {
    await astroBuild(build, ADAPTERS.cloudflare);
    // Wrangler would be led back to it from the Worker's own configuration.
    await rm(join(build.folder, ".wrangler"), { recursive: true, force: true });
    const server = join(build.folder, OUTPUT, "server");
    if (existsSync(join(server, "wrangler.json"))) {
      await packAdaptedWorker({ ...build, folder: server }, deployable);
      return;
    }
    // Versions of the adapter for Astro 5 leave the configuration to the user, and lay the Worker among the assets.
    const ignored = join(build.folder, OUTPUT, ".assetsignore");
    if (!existsSync(ignored)) {
      await writeFile(ignored, "_worker.js\n_routes.json\n");
    }
    await writeWorkerConfiguration(build, { main: `${OUTPUT}/_worker.js/index.js`, assets: OUTPUT });
    await packAdaptedWorker(build, deployable);
  },

  async node(build, deployable) {
    await astroBuild(build, ADAPTERS.node);
    await copyServer(join(build.folder, OUTPUT), deployable);
    await cp(join(repositoryRoot, "apps/astro/server.mjs"), join(deployable, "server.mjs"));
    await linkPackages(build, deployable);
  },

  /** The adapter itself writes what the Vercel CLI would. */
  async vercel(build, deployable) {
    await astroBuild(build, ADAPTERS.vercel);
    await takeAdapterOutput(build.folder, deployable);
  },
};
