import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BundleBuild, buildBundle, bundleEntries, unrecorded } from "@evenbench/bundle/deployable";
import { changeConfiguration, checkFunctionSizes } from "./src/deployable.ts";
import { vercelBuild } from "./src/vercel-build.ts";

const here = import.meta.dirname;

export async function buildDeployable(options: BundleBuild): Promise<void> {
  const { artifactDirectory, outDirectory, record = unrecorded } = options;
  const staged = join(outDirectory, "staged");
  const output = join(staged, ".vercel/output");
  await rm(outDirectory, { recursive: true, force: true });
  for (const folder of ["api", "public"]) await mkdir(join(staged, folder), { recursive: true });
  await cp(artifactDirectory, join(staged, "api/_artifact"), { recursive: true });
  await bundleEntries(here, join(staged, "api"), { index: "src/entry.ts" });
  await cp(join(here, "vercel.json"), join(staged, "vercel.json"));
  await writeFile(join(staged, "package.json"), '{"private":true,"type":"module"}\n');
  await writeFile(join(staged, "public/robots.txt"), "User-agent: *\nDisallow: /\n");
  await vercelBuild(record, staged, { framework: null, outputDirectory: "public" });
  await changeConfiguration(join(output, "functions/api/index.func"), {
    environment: { NODE_ENV: "production" },
  });
  for (const part of ["config.json", "functions", "static"]) {
    await rename(join(output, part), join(outDirectory, part));
  }
  await rm(staged, { recursive: true });
  await checkFunctionSizes(outDirectory);
}

await buildBundle(import.meta, buildDeployable);
