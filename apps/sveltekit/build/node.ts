import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Builder, keepSourceMaps } from "@evenbench/bundle/deployable";
import { buildEnvironment, clean } from "./vite.ts";

/** adapter-node's server, which contains everything that it needs. */
export const buildForNode: Builder = async (source, deployable, build) => {
  await clean(source);
  await build.run("vite build", ["vite", "build"], { cwd: source, env: buildEnvironment("node") });
  const server = join(source, "dist/server");
  // Source maps are read by nobody there, and would stand in the size.
  const filter = (file: string) => !file.endsWith(".map");
  await cp(server, deployable, { recursive: true, filter });
  await keepSourceMaps(deployable, [{ deployed: deployable, maps: server }]);
  await writeFile(join(deployable, "package.json"), '{"private":true,"type":"module"}\n');
  await writeFile(join(deployable, "server.mjs"), 'import "./index.js";\n');
  await clean(source);
};
