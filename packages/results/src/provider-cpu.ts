import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ProviderJoin } from "./join-accounts.ts";
import { readLines } from "./read-files.ts";
import { writeWhole } from "./run-folder.ts";
import { type JoinedAccount, providerAccountSchema } from "./schema/provider-cpu.ts";

/** One line for each account that was joined to a sample: the sample's key, the request's name, cpuMs and wallMs. */
const PROVIDER_CPU_FILE = "provider-cpu.ndjson";

/** The accounts of a run, none where nobody asked for them, and what was damaged of them, or null. */
export async function readProviderCpu(
  folder: string,
): Promise<{ readonly accounts: readonly JoinedAccount[]; readonly damage: string | null }> {
  const accounts: JoinedAccount[] = [];
  if (!existsSync(join(folder, PROVIDER_CPU_FILE))) return { accounts, damage: null };
  const file = {
    name: PROVIDER_CPU_FILE,
    schema: providerAccountSchema,
    one: "an account",
    many: "accounts",
  };
  const damage = await readLines(folder, file, (account) => accounts.push(account));
  return { accounts, damage };
}

/** @throws {ResultsError} when it cannot be written. */
export async function writeProviderCpu(folder: string, joins: readonly ProviderJoin[]): Promise<void> {
  const lines = joins.flatMap(({ accounts }) => accounts.map((account) => `${JSON.stringify(account)}\n`));
  await writeWhole(join(folder, PROVIDER_CPU_FILE), lines.join(""));
}
