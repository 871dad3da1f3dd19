import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PlatformId } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import type { BundleBuild } from "./build.ts";

export type BundleBuilder = (build: BundleBuild) => Promise<void>;

/** What puts an artifact of handler cases on a platform: `buildDeployable` of its build.ts. */
export async function bundleBuilder(platform: PlatformId): Promise<BundleBuilder> {
  const file = join(repositoryRoot, "apps", platform, "build.ts");
  if (!existsSync(file)) throw new Error(`${file} is missing: it must export buildDeployable.`);
  const module: { buildDeployable: BundleBuilder } = await import(pathToFileURL(file).href);
  return module.buildDeployable;
}
