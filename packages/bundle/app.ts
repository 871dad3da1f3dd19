import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineApp } from "@evenbench/core";
import { discoverCases } from "./src/discover.ts";
import { readManifest } from "./src/manifest.ts";

const apps = fileURLToPath(new URL("../../apps/", import.meta.url));

export default defineApp({
  id: "bundle",
  title: "Handler cases",
  cases: async () => (await readManifest()).cases,
  casesInSources: async () => (await discoverCases()).cases.map(({ id }) => ({ id, path: `/${id}` })),
  deployable(platform) {
    // The folder need not be built yet: this names what is to be built, too.
    return existsSync(`${apps}${platform}/build.ts`) ? `${apps}${platform}/dist/deployable` : null;
  },
});
