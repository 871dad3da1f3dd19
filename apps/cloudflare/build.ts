import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type BundleBuild, buildBundle, bundleEntries, unrecorded } from "@evenbench/bundle/deployable";
import { packWorker, readWranglerConfiguration, writeWranglerConfiguration } from "./src/wrangler.ts";

const here = import.meta.dirname;

export async function buildDeployable(options: BundleBuild): Promise<void> {
  const { artifactDirectory, outDirectory, record = unrecorded } = options;
  const configuration = await readWranglerConfiguration(here);
  const staged = join(outDirectory, "staged");
  await rm(outDirectory, { recursive: true, force: true });
  await mkdir(staged, { recursive: true });
  await cp(artifactDirectory, join(staged, "artifact"), { recursive: true });
  const { compatibility_date: date, compatibility_flags: flags = [] } = configuration;
  await bundleEntries(
    here,
    staged,
    { entry: "src/entry.ts" },
    {
      // For platform "browser" esbuild would define process.env.NODE_ENV by itself.
      platform: "neutral",
      target: "es2024",
      define: { COMPATIBILITY: JSON.stringify([date, ...flags].join(" ")) },
    },
  );
  await writeWranglerConfiguration(staged, { ...configuration, main: "entry.mjs", base_dir: "." });
  await packWorker(record, staged, outDirectory);
  await rm(staged, { recursive: true });
}

await buildBundle(import.meta, buildDeployable);
