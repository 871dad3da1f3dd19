import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ProviderAccount, ProviderJoin, SampleKey } from "@evenbench/core";
import { z } from "zod";
import { readLines } from "./read-files.ts";
import { writeWhole } from "./run-folder.ts";
import { count, milliseconds } from "./schema.ts";

/** One line for each account that was joined to a sample: the sample's key, the request's name, cpuMs and wallMs. */
export const PROVIDER_CPU_FILE = "provider-cpu.ndjson";

/** One line of `provider-cpu.ndjson`. */
export const providerAccountSchema: z.ZodType<SampleKey & ProviderAccount> = z
  .strictObject({
    caseId: z.string(),
    target: z.string(),
    generation: count,
    phase: z.enum(["warmup", "measure", "floor", "cold"]),
    roundIndex: count,
    requestId: z.string(),
    cpuMs: milliseconds,
    wallMs: milliseconds.nullable(),
  })
  .meta({
    title: "Evenbench account of CPU time",
    description:
      "CPU time that a platform accounts to one request: a line of provider-cpu.ndjson, with its sample's key.",
  });

/** The accounts of a run, none where nobody asked for them, and what was damaged of them, or null. */
export async function readProviderCpu(
  folder: string,
): Promise<{ readonly accounts: readonly (SampleKey & ProviderAccount)[]; readonly damage: string | null }> {
  const accounts: (SampleKey & ProviderAccount)[] = [];
  if (!existsSync(join(folder, PROVIDER_CPU_FILE))) return { accounts, damage: null };
  const file = { name: PROVIDER_CPU_FILE, schema: providerAccountSchema };
  const damage = await readLines(folder, file, (account) => accounts.push(account));
  return { accounts, damage };
}

/** @throws {ResultsError} when it cannot be written. */
export async function writeProviderCpu(folder: string, joins: readonly ProviderJoin[]): Promise<void> {
  const lines = joins.flatMap(({ accounts }) => accounts.map((account) => `${JSON.stringify(account)}\n`));
  await writeWhole(join(folder, PROVIDER_CPU_FILE), lines.join(""));
}
