import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repositoryRoot } from "@evenbench/host";
import type { BundleBuild } from "./build.ts";

/**
 * What puts an artifact of handler cases on a platform: `buildDeployable` of the platform's `build.ts`.
 *
 * @throws {Error} when the platform has none.
 */
export async function loadBundleBuilder(platform: string): Promise<(build: BundleBuild) => Promise<void>> {
  const file = join(repositoryRoot, "apps", platform, "build.ts");
  if (!existsSync(file)) throw new Error(`${file} is missing: it must export buildDeployable.`);
  const module: { buildDeployable: (build: BundleBuild) => Promise<void> } = await import(
    pathToFileURL(file).href
  );
  return module.buildDeployable;
}
