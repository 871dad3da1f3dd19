import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineApp } from "@evenbench/core";
import { discoverCases } from "./src/discover.ts";
import { readManifest } from "./src/manifest.ts";

const appsFolder = fileURLToPath(new URL("../../apps/", import.meta.url));

export default defineApp({
  id: "bundle",
  title: "Handler cases",
  cases: async () => (await readManifest()).cases,
  casesInSources: async () =>
    discoverCases().cases.map(({ id, path }) => ({ id, path: `/${id}`, title: titleIn(path) ?? id })),
  deployable(platform) {
    // The folder need not be built yet: this names what is to be built, too.
    return existsSync(`${appsFolder}${platform}/build.ts`)
      ? `${appsFolder}${platform}/dist/deployable`
      : null;
  },
});

/** Reads a case's title from its source text, since running it takes a bundler; null where no such line is found. */
function titleIn(path: string): string | null {
  const [, title = null] = /^ {2}title: "([^"\\]*)",$/m.exec(readFileSync(path, "utf8")) ?? [];
  return title;
}
