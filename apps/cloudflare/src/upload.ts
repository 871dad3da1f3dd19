import { existsSync } from "node:fs";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Build, keepSourceMaps } from "@evenbench/bundle/deployable";
import { WRANGLER } from "./wrangler.ts";
import { readWranglerConfiguration, type WranglerConfiguration } from "./wrangler-configuration.ts";

/** Writes what wrangler would upload of the Worker in a folder, without logging in anywhere. */
export async function dryRun(
  build: Pick<Build, "run">,
  directory: string,
  outDirectory: string,
): Promise<void> {
  const command = [process.execPath, WRANGLER, "deploy", "--dry-run", "--outdir", outDirectory] as const;
  const env = { WRANGLER_SEND_METRICS: "false", CI: "1" };
  await build.run("wrangler deploy --dry-run", command, { cwd: directory, env });
  await keepSourceMaps(dirname(outDirectory), [{ deployed: outDirectory, maps: outDirectory }]);
  // A note with the time of the build, and source maps: no modules. Without them equal input gives equal output.
  const extra = (await readdir(outDirectory)).filter((name) => name === "README.md" || name.endsWith(".map"));
  await Promise.all(extra.map((name) => rm(join(outDirectory, name))));
}

/** Makes a deployable of a Worker that a framework's adapter built. */
export async function packWorker(
  build: Pick<Build, "run">,
  directory: string,
  outDirectory: string,
): Promise<void> {
  const configuration = await readWranglerConfiguration(directory);
  await dryRun(build, directory, join(outDirectory, "upload"));
  const { assets } = configuration;
  if (assets?.directory !== undefined) {
    await copyAssets(join(directory, assets.directory), join(outDirectory, "assets"));
  }
  // Bundled and minified already: it is to be uploaded as it is.
  const { minify: _, ...rest } = configuration;
  await writeWranglerConfiguration(outDirectory, {
    ...rest,
    main: `upload/${basename(configuration.main)}`,
    base_dir: "upload",
    no_bundle: true,
    ...(assets === undefined ? {} : { assets: { ...assets, directory: "assets" } }),
  });
}

/** What wrangler reads, and does not serve. */
const RULES = ["_headers", "_redirects"];

/** Without what `.assetsignore` names: adapters put the Worker itself among the assets. */
async function copyAssets(from: string, to: string): Promise<void> {
  const list = join(from, ".assetsignore");
  const lines = existsSync(list) ? (await readFile(list, "utf8")).split(/\r?\n/) : [];
  const ignored = new Set([...lines.filter((line) => line !== "" && !RULES.includes(line)), ".assetsignore"]);
  await cp(from, to, { recursive: true, filter: (file) => !ignored.has(basename(file)) });
}

export async function writeWranglerConfiguration(
  directory: string,
  configuration: WranglerConfiguration,
): Promise<void> {
  const { $schema: _, ...content } = configuration;
  await writeFile(join(directory, "wrangler.jsonc"), `${JSON.stringify(content, null, 2)}\n`);
}
