import type { BuildRecord } from "@evenbench/core";
import type { Target } from "./options.ts";

/** How the deployables of local targets were made, by target name; null where that was not recorded. */
export async function readDeployables(
  targets: readonly Target[],
): Promise<Record<string, BuildRecord | null>> {
  const local = targets
    .filter(({ stranger }) => stranger === undefined)
    .filter((target) => target.place === "local");
  if (local.length === 0) return {};
  // Whoever measures servers of their own needs nothing of what builds ours.
  const { readBuildRecord } = await import("@evenbench/bundle/deployable");
  const records = local.map(
    async ({ name, deployable }) => [name, await readBuildRecord(deployable)] as const,
  );
  return Object.fromEntries(await Promise.all(records));
}
