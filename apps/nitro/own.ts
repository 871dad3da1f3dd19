import { packEach } from "@evenbench/bundle/deployable";
import { defineOwnApp } from "@evenbench/core";
import { NITRO_PACKERS, ROUTES_OF_NITRO } from "./src/packers.ts";

/** Names of what builds by Nitro, by the package that an app names; the first that it names counts. */
const FRAMEWORKS: Readonly<Record<string, string>> = {
  nuxt: "Nuxt",
  "@tanstack/react-start": "TanStack Start, by Nitro",
  "@tanstack/solid-start": "TanStack Start, by Nitro",
  nitropack: "Nitro",
  nitro: "Nitro",
};
/** Packages of which one builds the server. */
const BUILDERS = ["nuxt", "nitropack", "nitro"];

/** Builds apps of Nitro, and of frameworks that build by it, that nobody here wrote. */
export default defineOwnApp({
  title: "Nuxt, and others by Nitro",
  order: 0,

  async detect(source) {
    if (!BUILDERS.some((name) => source.rangeOf(name) !== null)) {
      return null;
    }
    const name = Object.keys(FRAMEWORKS).find((found) => source.rangeOf(found) !== null);
    return { title: FRAMEWORKS[name ?? ""] ?? "Nitro", refusals: {}, keeps: [] };
  },

  /** Builds once for each platform: a preset belongs to the build. */
  async build(build) {
    const platforms = await packEach(build, NITRO_PACKERS, {});
    build.note("Each platform's build is the app's own, with its preset of Nitro in NITRO_PRESET.");
    return { platforms, routes: ROUTES_OF_NITRO };
  },
});
