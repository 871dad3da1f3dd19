import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildBundle, bundleEntries } from "@evenbench/bundle/deployable";
import { changeConfiguration } from "./src/deployable.ts";
import { vercelBuild } from "./src/vercel-build.ts";

const here = import.meta.dirname;

/** Builds the deployable: the artifact as a function of Node.js, by Vercel's CLI. */
export const buildDeployable = await buildBundle(import.meta, async (artifact, deployable, build) => {
  const directory = join(deployable, "staged");
  for (const folder of ["api", "public"]) {
    await mkdir(join(directory, folder), { recursive: true });
  }
  await cp(artifact, join(directory, "api/_artifact"), { recursive: true });
  await bundleEntries(here, join(directory, "api"), { index: "src/entry.ts" }, { artifact: "_artifact" });
  await cp(join(here, "vercel.json"), join(directory, "vercel.json"));
  await writeFile(join(directory, "package.json"), '{"private":true,"type":"module"}\n');
  await writeFile(join(directory, "public/robots.txt"), "User-agent: *\nDisallow: /\n");
  const settings = { framework: null, outputDirectory: "public" };
  await vercelBuild(build, { directory, deployable, settings });
  await rm(directory, { recursive: true });
  await changeConfiguration(join(deployable, "functions/api/index.func"), {
    environment: { NODE_ENV: "production" },
  });
});
