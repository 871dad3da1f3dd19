import { readBuildRecord } from "@evenbench/bundle/deployable";
import type { BuildRecord } from "@evenbench/core";
import type { Target } from "./options.ts";

/** How the deployables of local targets were made, by target name; null where that was not recorded. */
export async function readDeployables(
  targets: readonly Target[],
): Promise<Record<string, BuildRecord | null>> {
  const local = targets.filter((target) => target.place === "local");
  const records = local.map(
    async ({ name, deployable }) => [name, await readBuildRecord(deployable)] as const,
  );
  return Object.fromEntries(await Promise.all(records));
}
