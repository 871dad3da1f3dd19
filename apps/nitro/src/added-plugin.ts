import { existsSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { packAdaptedWorker, refusalsForWorkersAlone } from "@evenbench/app-cloudflare/own-worker";
import { packEach, runBuildScript } from "@evenbench/bundle/deployable";
import { type OwnAppBuild, type OwnAppBuilt, UserError } from "@evenbench/core";
import packageJson from "../package.json" with { type: "json" };
import { NITRO, packersOf, ROUTES_OF_NITRO } from "./packers.ts";

/** Nitro, by which documents of frameworks bring an app of Vite to hosts. On all of them it makes the same pages. */
const NITRO_PACKAGE = `nitro@${packageJson.devDependencies.nitro}`;

/** Configurations of Vite in its own order; the first that is there counts. */
const CONFIGURATIONS = ["js", "mjs", "ts", "cjs", "mts", "cts"].map((ending) => `vite.config.${ending}`);

/**
 * Builds an app of Vite without Nitro for each platform: by its own build where that is for Workers, else by Nitro's
 * added plugin.
 */
export async function buildWithAddedNitro(build: OwnAppBuild): Promise<OwnAppBuilt> {
  const isForWorkers = Object.keys(refusalsForWorkersAlone(build.source)).length > 0;
  const platforms = isForWorkers
    ? await packEach(build, { cloudflare: packOwnWorker }, {})
    : await withNitro(build, () => packEach(build, packersOf(NITRO), {}));
  return { platforms, routes: ROUTES_OF_NITRO };
}

async function packOwnWorker(build: OwnAppBuild, deployable: string): Promise<void> {
  await runBuildScript(build, {});
  await packAdaptedWorker(build, deployable);
}

/** Packs with Nitro's plugin added to the app's configuration of Vite, as the framework's documents have it. */
async function withNitro<T>(build: OwnAppBuild, pack: () => Promise<T>): Promise<T> {
  const own = CONFIGURATIONS.find((name) => existsSync(join(build.folder, name)));
  if (own === undefined) {
    throw new UserError("It has no vite.config in its folder, to which Nitro's plugin could be added.");
  }
  await build.addPackages([NITRO_PACKAGE]);
  build.note(`The copy got ${NITRO_PACKAGE} and its plugin of Vite, as the framework's documents say.`);
  // Vite takes the file with this ending first of all.
  const [first = ""] = CONFIGURATIONS;
  const kept = own === first ? `vite.config.own${extname(own)}` : own;
  const written = join(build.folder, first);
  await rename(join(build.folder, own), join(build.folder, kept));
  await writeFile(written, configurationSource(kept));
  try {
    return await pack();
  } finally {
    await rm(written);
    await rename(join(build.folder, kept), join(build.folder, own));
  }
}

/** Makes the source text of a configuration with Nitro's plugin. @param own the file of the app's, beside it. */
function configurationSource(own: string): string {
  return `import { nitro } from "nitro/vite";
import { mergeConfig } from "vite";
import own from ${JSON.stringify(`./${own}`)};

export default async (environment) => {
  const configuration = typeof own === "function" ? await own(environment) : await own;
  return mergeConfig(configuration, { plugins: [nitro()] });
};
`;
}
