import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Builder, keepSourceMaps } from "@evenbench/bundle/deployable";
import { buildEnvironment, clean } from "./environment.ts";

/** The adapter's standalone server, and what starts it. */
export const buildForNode: Builder = async (source, deployable, build) => {
  await clean(source);
  await build.run("astro build", ["astro", "build"], { cwd: source, env: buildEnvironment("node") });
  const output = join(source, "dist/astro");
  // Source maps are read by nobody there, and would stand in the size.
  const filter = (file: string) => !file.endsWith(".map");
  await cp(output, deployable, { recursive: true, filter });
  await keepSourceMaps(deployable, [{ deployed: deployable, maps: output }]);
  await writeFile(join(deployable, "package.json"), '{"private":true,"type":"module"}\n');
  await cp(fileURLToPath(new URL("./server.mjs", import.meta.url)), join(deployable, "server.mjs"));
  await clean(source);
};
