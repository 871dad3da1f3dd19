import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Builder } from "@evenbench/deployable";
import { buildEnvironment, clean } from "./vite.ts";

/** adapter-node's server, which contains everything that it needs. */
export const buildForNode: Builder = async (source, deployable, build) => {
  await clean(source);
  await build.run("vite build", ["vite", "build"], { cwd: source, env: buildEnvironment("node") });
  // Source maps serve nobody, and would stand in the size.
  const filter = (file: string) => !file.endsWith(".map");
  await cp(join(source, "dist/server"), deployable, { recursive: true, filter });
  await writeFile(join(deployable, "package.json"), '{"private":true,"type":"module"}\n');
  await writeFile(join(deployable, "server.mjs"), 'import "./index.js";\n');
  await clean(source);
};
