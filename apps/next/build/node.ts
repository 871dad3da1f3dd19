import { cp, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Builder } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";
import next from "next/package.json" with { type: "json" };
import { buildEnvironment } from "./environment.ts";

/** `next build` with standalone output, and beside it the static files, as the documentation says. */
export const buildForNode: Builder = async (source, deployable, build) => {
  const output = join(source, ".next");
  await rm(output, { recursive: true, force: true });
  const env = buildEnvironment("node", `next ${next.version} (standalone)`);
  await build.run("next build", ["next", "build"], { cwd: source, env });
  // Standalone output repeats the folders from the repository's root on, where dependencies are.
  const app = relative(repositoryRoot, source);
  await cp(join(output, "standalone"), deployable, { recursive: true, verbatimSymlinks: true });
  await cp(join(output, "static"), join(deployable, app, ".next/static"), { recursive: true });
  await writeFile(join(deployable, "server.mjs"), `import "./${join(app, "server.js")}";\n`);
  await rm(output, { recursive: true });
};
