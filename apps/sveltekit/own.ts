import { existsSync } from "node:fs";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
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
import { defineOwnApp, type OwnAppBuild, type OwnAppRoute, UserError } from "@evenbench/core";
import packageJson from "./package.json" with { type: "json" };
import { type KitBuild, routesOf } from "./src/own-routes.ts";

const ADAPTERS = {
  cloudflare: "@sveltejs/adapter-cloudflare",
  node: "@sveltejs/adapter-node",
  vercel: "@sveltejs/adapter-vercel",
};

/** The newest major version of Node.js that each version of @sveltejs/adapter-vercel from 5 to 6.3.4 knows. */
const NODE_OF_VERCEL = 22;

const ADAPTER_FILE = "evenbench-adapter.js";
const KIT_FILE = "evenbench-kit.js";
/** What a build leaves: Tailwind would read it for the next platform's build, if SvelteKit's own folder did not hold it. */
const ROUTES_FILE = ".svelte-kit/evenbench-routes.json";
const NODE_OUTPUT = ".svelte-kit/evenbench-node";

/** Builds apps of SvelteKit that nobody here wrote. */
export default defineOwnApp({
  title: "SvelteKit",
  order: 0,

  async detect(source) {
    if (source.rangeOf("@sveltejs/kit") === null) {
      return null;
    }
    return { title: "SvelteKit", refusals: {}, keeps: [] };
  },

  /** Builds once for each platform: an adapter belongs to the build. One version name makes pages the same. */
  async build(build) {
    const wanted = { adapters: ADAPTERS, framework: "@sveltejs/kit", pinned: packageJson.devDependencies };
    const lacking = await addAdapters(build, wanted);
    await wrapConfiguration(build);
    const platforms = await packEach(build, PACKERS, lacking);
    return { platforms, routes: await readRoutes(build.folder) };
  },
});

/**
 * Source text of the module that replaces the app's adapter by the platform's. One that is for the platform already is
 * kept, with its options.
 */
const ADAPTER_SOURCE = `import { readdirSync, writeFileSync } from "node:fs";

const name = process.env.EVENBENCH_ADAPTER;
const { default: create } = await import(name);
const options = name === "${ADAPTERS.node}" ? { out: "${NODE_OUTPUT}", precompress: false } : {};
if (name === "${ADAPTERS.vercel}" && Number.parseInt(process.versions.node) > ${NODE_OF_VERCEL}) {
  // It names the runtime of functions after the Node.js that builds, and refuses one that it does not know.
  Object.defineProperty(process, "version", { value: "v${NODE_OF_VERCEL}.0.0" });
}

export function adapted(kit = {}) {
  const isOwn = kit.adapter?.name === name && name !== "${ADAPTERS.node}";
  const adapter = isOwn ? kit.adapter : create(options);
  return { ...kit, version: { ...kit.version, name: "evenbench" }, adapter: withRoutes(adapter) };
}

function withRoutes(adapter) {
  const adapt = async (builder) => {
    const routes = builder.routes.map(({ id, page, api, prerender, config }) => ({
      id,
      isAnswered: page.methods.length + api.methods.length > 0,
      prerender,
      hasIsr: Boolean(config?.isr),
    }));
    const files = filesBelow(builder.config.kit.files.assets);
    writeFileSync("${ROUTES_FILE}", JSON.stringify({ routes, prerendered: builder.prerendered.paths, files }));
    await adapter.adapt(builder);
  };
  return { ...adapter, adapt };
}

${FILES_BELOW_SOURCE}`;

/** Source text of the module that takes the place of `@sveltejs/kit/vite` in a Vite configuration. */
const KIT_SOURCE = `import { sveltekit as original } from "@sveltejs/kit/vite";
import { adapted } from "./${ADAPTER_FILE}";
export * from "@sveltejs/kit/vite";

export function sveltekit(options) {
  return options === undefined ? original() : original(adapted(options));
}
`;

/** Wraps the app's configuration: its options are in its svelte.config, or in its Vite configuration. */
async function wrapConfiguration({ folder, note }: OwnAppBuild): Promise<void> {
  await writeFile(join(folder, ADAPTER_FILE), ADAPTER_SOURCE);
  await writeFile(join(folder, KIT_FILE), KIT_SOURCE);
  const files = await readdir(folder);
  const vite = files.find((file) => /^vite\.config\.[cm]?[jt]s$/.test(file));
  const svelte = files.find((file) => /^svelte\.config\.[jt]s$/.test(file));
  if (vite !== undefined) {
    const text = await readFile(join(folder, vite), "utf8");
    await writeFile(join(folder, vite), text.replace(/(["'])@sveltejs\/kit\/vite\1/g, `"./${KIT_FILE}"`));
  }
  if (svelte !== undefined) {
    const own = `svelte.config.own${extname(svelte)}`;
    await rename(join(folder, svelte), join(folder, own));
    await writeFile(
      join(folder, svelte),
      `import own from "./${own}";\nimport { adapted } from "./${ADAPTER_FILE}";\nexport default { ...own, kit: adapted(own.kit) };\n`,
    );
  }
  note("In the copy the adapter is each platform's, and the version has one name.");
}

/** Reads the routes that the build has written; none before the first build. */
async function readRoutes(folder: string): Promise<readonly OwnAppRoute[]> {
  const file = join(folder, ROUTES_FILE);
  if (!existsSync(file)) {
    return [];
  }
  return routesOf(JSON.parse(await readFile(file, "utf8")) as KitBuild);
}

async function viteBuild(build: OwnAppBuild, adapter: string): Promise<void> {
  const tool = { command: "vite build", package: "vite", file: "bin/vite.js" };
  await buildByFramework(build, tool, { EVENBENCH_ADAPTER: adapter }, `, by ${adapter}`);
}

const PACKERS: Readonly<Record<string, OwnPacker>> = {
  async cloudflare(build, deployable) {
    // Without it the adapter would write for Pages, which wrangler then refuses.
    await writeWorkerConfiguration(build, {
      main: ".svelte-kit/cloudflare/_worker.js",
      assets: ".svelte-kit/cloudflare",
    });
    await viteBuild(build, ADAPTERS.cloudflare);
    await packAdaptedWorker(build, deployable);
  },

  async node(build, deployable) {
    await viteBuild(build, ADAPTERS.node);
    await copyServer(join(build.folder, NODE_OUTPUT), deployable);
    await writeFile(join(deployable, "server.mjs"), 'import "./index.js";\n');
    // The adapter takes in what is a dependency for development, and imports the others.
    if (build.source.packageJson?.dependencies !== undefined) {
      await linkPackages(build, deployable);
    }
  },

  /** The adapter itself writes what the Vercel CLI would. */
  async vercel(build, deployable) {
    await viteBuild(build, ADAPTERS.vercel);
    const functions = join(build.folder, ".vercel/output/functions");
    if (!existsSync(functions) || (await readdir(functions)).length === 0) {
      throw new UserError(
        "Every page is prerendered, so Vercel's output has no function: it would send files, and nothing is rendered.",
      );
    }
    await takeAdapterOutput(build.folder, deployable);
  },
};
