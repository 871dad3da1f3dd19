import { join } from "node:path";
import { refusalsForWorkersAlone } from "@evenbench/app-cloudflare/own-worker";
import { packEach } from "@evenbench/bundle/deployable";
import { defineOwnApp, type OwnAppSource } from "@evenbench/core";
import { buildWithAddedNitro } from "./src/added-plugin.ts";
import { finishedIn, OUTPUT } from "./src/finished.ts";
import {
  LED_OTHERWISE,
  type LedBuild,
  NITRO,
  packersOf,
  packOutput,
  ROUTES_OF_NITRO,
} from "./src/packers.ts";

/** Names of frameworks that build by Vite, and to which Nitro's plugin is added as their documents say, by package. */
const BY_VITE: Readonly<Record<string, string>> = {
  "@tanstack/react-start": "TanStack Start",
  "@tanstack/solid-start": "TanStack Start",
  vinext: "vinext",
};
/** Names of what is built so, by the package that an app names; the first that it names counts. */
const TITLES: Readonly<Record<string, string>> = {
  nuxt: "Nuxt",
  "@analogjs/platform": "Analog, by Nitro",
  waku: "Waku",
  ...Object.fromEntries(Object.entries(BY_VITE).map(([name, title]) => [name, `${title}, by Nitro`])),
  "@solidjs/start": "Solid Start, by Nitro",
};
/** Packages of which one builds the server. */
const BUILDERS = ["nuxt", "nitropack", "nitro", "vinxi", "@solidjs/vite-plugin-nitro-2"];

/** Finds how an app's own build is led to a platform; null where it is not. */
function ledBuildOf(source: OwnAppSource): LedBuild | null {
  const otherwise = Object.entries(LED_OTHERWISE).find(([name]) => source.rangeOf(name) !== null)?.[1];
  const isByNitro = BUILDERS.some((name) => source.rangeOf(name) !== null);
  return otherwise ?? (isByNitro ? NITRO : null);
}

/** Gives the name of the first framework of some that an app names; undefined where it names none. */
function titleOf(source: OwnAppSource, titles: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(titles).find(([name]) => source.rangeOf(name) !== null)?.[1];
}

/** Builds apps of Nitro, or to which it is added; or takes what it made for Node.js. */
export default defineOwnApp({
  title: "Nuxt, TanStack Start, vinext, Waku, and others by Nitro",
  order: 0,

  async detect(source) {
    if (ledBuildOf(source) !== null) {
      return { title: titleOf(source, TITLES) ?? "Nitro", refusals: {}, keeps: [] };
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

  /** Builds once for each platform: it belongs to the build. */
  async build(build) {
    const { source, folder } = build;
    const led = ledBuildOf(source);
    if (led !== null) {
      // A server may read its output from the app's folder on: there the last build's lies.
      const platforms = build.platforms.toSorted((a, b) => Number(a === "node") - Number(b === "node"));
      const built = await packEach({ ...build, platforms }, packersOf(led), {});
      build.note("Each platform's build is the app's own, led there by variables.");
      return { platforms: built, routes: ROUTES_OF_NITRO };
    }
    if (titleOf(source, BY_VITE) !== undefined) {
      return buildWithAddedNitro(build);
    }
    const deployable = build.placeFor("node");
    await packOutput(join(folder, finishedIn(folder) ?? OUTPUT), deployable);
    return { platforms: { node: { deployable } }, routes: ROUTES_OF_NITRO };
  },
});
