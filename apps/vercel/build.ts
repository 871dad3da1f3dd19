import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BundleBuild, buildBundle, bundleEntries, unrecorded } from "@evenbench/bundle/deployable";
import { changeConfiguration } from "./src/deployable.ts";
import { vercelBuild } from "./src/vercel-build.ts";

const here = import.meta.dirname;

export async function buildDeployable(options: BundleBuild): Promise<void> {
  const { artifactDirectory, outDirectory: deployable, record = unrecorded } = options;
  const directory = join(deployable, "staged");
  await rm(deployable, { recursive: true, force: true });
  for (const folder of ["api", "public"]) await mkdir(join(directory, folder), { recursive: true });
  await cp(artifactDirectory, join(directory, "api/_artifact"), { recursive: true });
  await bundleEntries(here, join(directory, "api"), { index: "src/entry.ts" });
  await cp(join(here, "vercel.json"), join(directory, "vercel.json"));
  await writeFile(join(directory, "package.json"), '{"private":true,"type":"module"}\n');
  await writeFile(join(directory, "public/robots.txt"), "User-agent: *\nDisallow: /\n");
  const settings = { framework: null, outputDirectory: "public" };
  await vercelBuild(record, { directory, deployable, settings });
  await rm(directory, { recursive: true });
  await changeConfiguration(join(deployable, "functions/api/index.func"), {
    environment: { NODE_ENV: "production" },
  });
}

await buildBundle(import.meta, buildDeployable);
