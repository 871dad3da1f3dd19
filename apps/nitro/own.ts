import { join } from "node:path";
import { packEach } from "@evenbench/bundle/deployable";
import { defineOwnApp, type OwnAppSource } from "@evenbench/core";
import { finishedIn, OUTPUT } from "./src/finished.ts";
import { NITRO_PACKERS, packOutput, ROUTES_OF_NITRO } from "./src/packers.ts";

/** Names of what builds by Nitro, by the package that an app names; the first that it names counts. */
const FRAMEWORKS: Readonly<Record<string, string>> = {
  nuxt: "Nuxt",
  "@tanstack/react-start": "TanStack Start, by Nitro",
  "@tanstack/solid-start": "TanStack Start, by Nitro",
  "@solidjs/start": "Solid Start, by Nitro",
  nitropack: "Nitro",
  nitro: "Nitro",
};
/** Packages of which one builds the server. */
const BUILDERS = ["nuxt", "nitropack", "nitro", "vinxi", "@solidjs/vite-plugin-nitro-2"];

/** Tells whether an app's own build is one by Nitro. */
function isBuilt(source: OwnAppSource): boolean {
  return BUILDERS.some((name) => source.rangeOf(name) !== null);
}

/** Builds apps of Nitro, and of frameworks that build by it, that nobody here wrote; or takes what it made for Node.js. */
export default defineOwnApp({
  title: "Nuxt, and others by Nitro",
  order: 0,

  async detect(source) {
    if (!isBuilt(source)) {
      const output = finishedIn(source.folder);
      if (output === null) {
        return null;
      }
      const title = `the finished ${OUTPUT}`;
      return { title, refusals: {}, keeps: [output], platforms: ["node"], isFinished: true };
    }
    const name = Object.keys(FRAMEWORKS).find((found) => source.rangeOf(found) !== null);
    return { title: FRAMEWORKS[name ?? ""] ?? "Nitro", refusals: {}, keeps: [] };
  },

  /** Builds once for each platform: a preset belongs to the build. */
  async build(build) {
    const output = isBuilt(build.source) ? null : finishedIn(build.folder);
    if (output !== null) {
      const deployable = build.placeFor("node");
      await packOutput(join(build.folder, output), deployable);
      return { platforms: { node: { deployable } }, routes: ROUTES_OF_NITRO };
    }
    const platforms = await packEach(build, NITRO_PACKERS, {});
    build.note("Each platform's build is the app's own, with its preset of Nitro in NITRO_PRESET.");
    return { platforms, routes: ROUTES_OF_NITRO };
  },
});
