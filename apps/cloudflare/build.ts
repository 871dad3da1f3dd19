import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { buildBundle, bundleEntries } from "@evenbench/bundle/deployable";
import { packWorker, readWranglerConfiguration, writeWranglerConfiguration } from "./src/wrangler.ts";

const here = import.meta.dirname;

/** Builds the deployable: the artifact as a Worker, packed by wrangler. */
export const buildDeployable = await buildBundle(import.meta, async (artifact, deployable, build) => {
  const configuration = await readWranglerConfiguration(here);
  const { compatibility_date: date, compatibility_flags: flags = [] } = configuration;
  const staged = join(deployable, "staged");
  await mkdir(staged);
  await cp(artifact, join(staged, "artifact"), { recursive: true });
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
  await packWorker(build, staged, deployable);
  await rm(staged, { recursive: true });
});
