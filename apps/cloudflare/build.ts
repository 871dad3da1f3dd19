import { execFile } from "node:child_process";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { artifactDirectory } from "@evenbench/bundle";
import { build } from "esbuild";
import { readWranglerConfiguration, type WranglerConfiguration } from "./src/wrangler-configuration.ts";

const here = fileURLToPath(new URL(".", import.meta.url));

export interface DeployableBuild {
  /** The artifact of @evenbench/bundle. */
  readonly artifactDirectory: string;
  /** Made anew. */
  readonly outDirectory: string;
}

/**
 * Writes a Worker deployable: `upload/` as wrangler would upload it (`entry.mjs`, the artifact's files in `artifact/`),
 * and a `wrangler.jsonc` from which both `wrangler deploy` and the local host can go on.
 *
 * @throws {Error} with wrangler's own words when its dry run fails.
 */
export async function buildDeployable({ artifactDirectory, outDirectory }: DeployableBuild): Promise<void> {
  const configuration = await readWranglerConfiguration(here);
  const staged = join(outDirectory, "staged");
  await rm(outDirectory, { recursive: true, force: true });
  await mkdir(staged, { recursive: true });
  await cp(artifactDirectory, join(staged, "artifact"), { recursive: true });
  await compileEntry(join(staged, "entry.mjs"), configuration);
  await writeConfiguration(staged, { ...configuration, main: "entry.mjs", base_dir: "." });
  await dryRun(staged, join(outDirectory, "upload"));
  await rm(staged, { recursive: true });
  await writeConfiguration(outDirectory, {
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

async function writeConfiguration(directory: string, configuration: WranglerConfiguration): Promise<void> {
  const { $schema: _, ...content } = configuration;
  await writeFile(join(directory, "wrangler.jsonc"), `${JSON.stringify(content, null, 2)}\n`);
}

async function dryRun(directory: string, outDirectory: string): Promise<void> {
  const wrangler = join(
    dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
    "bin/wrangler.js",
  );
  const args = [wrangler, "deploy", "--dry-run", "--outdir", outDirectory];
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" };
  await promisify(execFile)(process.execPath, args, { cwd: directory, env });
  // A note with the time of the build, which is no module; without it equal input gives equal output.
  await rm(join(outDirectory, "README.md"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildDeployable({ artifactDirectory, outDirectory: join(here, "dist/deployable") });
}
