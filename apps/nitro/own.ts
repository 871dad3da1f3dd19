import { join } from "node:path";
import { refusalsForWorkersAlone } from "@evenbench/app-cloudflare/own-worker";
import { packEach } from "@evenbench/bundle/deployable";
import { defineOwnApp, type OwnAppSource } from "@evenbench/core";
import { buildWithAddedNitro } from "./src/added-plugin.ts";
import { finishedIn, OUTPUT } from "./src/finished.ts";
import { NITRO_PACKERS, packOutput, ROUTES_OF_NITRO } from "./src/packers.ts";

/** Names of frameworks that build by Vite, and to which Nitro's plugin is added as their documents say, by package. */
const BY_VITE: Readonly<Record<string, string>> = {
  "@tanstack/react-start": "TanStack Start",
  "@tanstack/solid-start": "TanStack Start",
};
/** Names of what builds by Nitro, by the package that an app names; the first that it names counts. */
const BY_NITRO: Readonly<Record<string, string>> = {
  nuxt: "Nuxt",
  ...Object.fromEntries(Object.entries(BY_VITE).map(([name, title]) => [name, `${title}, by Nitro`])),
  "@solidjs/start": "Solid Start, by Nitro",
};
/** Packages of which one builds the server. */
const BUILDERS = ["nuxt", "nitropack", "nitro", "vinxi", "@solidjs/vite-plugin-nitro-2"];

/** Tells whether an app's own build is one by Nitro. */
function isBuilt(source: OwnAppSource): boolean {
  return BUILDERS.some((name) => source.rangeOf(name) !== null);
}

/** Gives the name of the first framework of some that an app names; undefined where it names none. */
function titleOf(source: OwnAppSource, titles: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(titles).find(([name]) => source.rangeOf(name) !== null)?.[1];
}

/**
 * Builds apps of Nitro, and of frameworks that build by it or to which it is added, that nobody here wrote; or takes what it
 * made for Node.js.
 */
export default defineOwnApp({
  title: "Nuxt, TanStack Start, and others by Nitro",
  order: 0,

  async detect(source) {
    if (isBuilt(source)) {
      return { title: titleOf(source, BY_NITRO) ?? "Nitro", refusals: {}, keeps: [] };
    }
    const byVite = titleOf(source, BY_VITE);
    if (byVite !== undefined) {
      return { title: byVite, refusals: refusalsForWorkersAlone(source), keeps: [] };
    }
    const output = finishedIn(source.folder);
    if (output === null) {
      return null;
    }
    const title = `the finished ${OUTPUT}`;
    return { title, refusals: {}, keeps: [output], platforms: ["node"], isFinished: true };
  },

  /** Builds once for each platform: a preset belongs to the build. */
  async build(build) {
    const { source, folder } = build;
    if (isBuilt(source)) {
      const platforms = await packEach(build, NITRO_PACKERS, {});
      build.note("Each platform's build is the app's own, with its preset of Nitro in NITRO_PRESET.");
      return { platforms, routes: ROUTES_OF_NITRO };
    }
    if (titleOf(source, BY_VITE) !== undefined) {
      return buildWithAddedNitro(build);
    }
    const deployable = build.placeFor("node");
    await packOutput(join(folder, finishedIn(folder) ?? OUTPUT), deployable);
    return { platforms: { node: { deployable } }, routes: ROUTES_OF_NITRO };
  },
});
