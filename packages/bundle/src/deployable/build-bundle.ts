import { basename, join } from "node:path";
import { artifactDirectory } from "../index.ts";
import { recordBuild } from "./build.ts";
import type { BundleBuilder } from "./bundle-builder.ts";

/**
 * Where a platform's build.ts is the program: puts the artifact on that platform, in `dist/deployable` beside
 * it, and says by the exit code whether that succeeded.
 */
export async function buildBundle(
  { dirname, filename }: ImportMeta,
  buildDeployable: BundleBuilder,
): Promise<void> {
  if (process.argv[1] !== filename) return;
  const deployable = join(dirname, "dist/deployable");
  const task = { app: "bundle", platform: basename(dirname), deployable };
  const built = await recordBuild(task, (record) =>
    buildDeployable({ artifactDirectory, outDirectory: deployable, record }),
  );
  if (!built) process.exitCode = 1;
}
