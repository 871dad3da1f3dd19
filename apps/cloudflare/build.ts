import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type BundleBuild, buildBundle, unrecorded } from "@evenbench/bundle/deployable";
import { build } from "esbuild";
import {
  dryRun,
  readWranglerConfiguration,
  type WranglerConfiguration,
  writeWranglerConfiguration,
} from "./src/wrangler.ts";

const here = import.meta.dirname;

export async function buildDeployable(options: BundleBuild): Promise<void> {
  const { artifactDirectory, outDirectory, record = unrecorded } = options;
  const configuration = await readWranglerConfiguration(here);
  const staged = join(outDirectory, "staged");
  await rm(outDirectory, { recursive: true, force: true });
  await mkdir(staged, { recursive: true });
  await cp(artifactDirectory, join(staged, "artifact"), { recursive: true });
  await compileEntry(join(staged, "entry.mjs"), configuration);
  await writeWranglerConfiguration(staged, { ...configuration, main: "entry.mjs", base_dir: "." });
  await dryRun(record, staged, join(outDirectory, "upload"));
  await rm(staged, { recursive: true });
  await writeWranglerConfiguration(outDirectory, {
    ...configuration,
    main: "upload/entry.mjs",
    base_dir: "upload",
  });
}

async function compileEntry(outfile: string, configuration: WranglerConfiguration): Promise<void> {
  const { compatibility_date: date, compatibility_flags: flags = [] } = configuration;
  await build({
    absWorkingDir: here,
    entryPoints: ["src/entry.ts"],
    outfile,
    bundle: true,
    external: ["./artifact/*"],
    format: "esm",
    // Neutral: for platform "browser" esbuild would define process.env.NODE_ENV by itself.
    platform: "neutral",
    target: "es2024",
    define: { COMPATIBILITY: JSON.stringify([date, ...flags].join(" ")) },
    logLevel: "warning",
  });
}

await buildBundle(import.meta, buildDeployable);
