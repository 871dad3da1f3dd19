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
    const folder = `${apps}${platform}/dist/deployable`;
    return existsSync(folder) ? folder : null;
  },
});
