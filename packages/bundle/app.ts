import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineApp } from "@evenbench/core";
import { readManifest } from "./src/manifest.ts";

const apps = fileURLToPath(new URL("../../apps/", import.meta.url));

export default defineApp({
  id: "bundle",
  title: "Handler cases",
  cases: async () => (await readManifest()).cases,
  deployable(platform) {
    // The folder need not be built yet: this names what is to be built, too.
    return existsSync(`${apps}${platform}/build.ts`) ? `${apps}${platform}/dist/deployable` : null;
  },
});
