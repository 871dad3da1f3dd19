import type { BuildRecord } from "@evenbench/core";
import type { Target } from "./options.ts";
import { isOfPlatform } from "./targets.ts";

/**
 * Reads how the local targets' deployables were built, by name of the target; null where there is no record
 * of it.
 */
export async function readDeployables(
  targets: readonly Target[],
): Promise<Record<string, BuildRecord | null>> {
  const local = targets.filter((target) => target.place === "local").filter(isOfPlatform);
  if (local.length === 0) {
    return {};
  }
  // Whoever measures servers of their own needs nothing of what builds ours.
  const { readBuildRecord } = await import("@evenbench/bundle/deployable");
  const records = local.map(
    async ({ name, deployable }) => [name, await readBuildRecord(deployable)] as const,
  );
  return Object.fromEntries(await Promise.all(records));
}
