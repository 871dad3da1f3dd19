import { join } from "node:path";
import type { ProviderJoin } from "@evenbench/core";
import { writeWhole } from "./run-folder.ts";

/** One line for each account that was joined to a sample: the sample's key, the request's name, cpuMs and wallMs. */
export const PROVIDER_CPU_FILE = "provider-cpu.ndjson";

/** @throws {ResultsError} when it cannot be written. */
export async function writeProviderCpu(folder: string, joins: readonly ProviderJoin[]): Promise<void> {
  const lines = joins.flatMap(({ accounts }) => accounts.map((account) => `${JSON.stringify(account)}\n`));
  await writeWhole(join(folder, PROVIDER_CPU_FILE), lines.join(""));
}
