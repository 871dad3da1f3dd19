import type { ProviderAccount } from "@evenbench/core";
import { account, strict } from "@evenbench/core/schema";
import type { z } from "zod";
import { type SampleKey, sampleKey } from "./schema/sample.ts";

/** The schema of a line of `provider-cpu.ndjson`. */
export const providerAccountSchema = strict({ ...sampleKey, ...account }).meta({
  title: "Evenbench account of CPU time",
  description:
    "CPU time that a platform accounts to one request: a line of provider-cpu.ndjson, with its sample's key.",
});

/** CPU time that a platform accounts to one request, with the key of that request's sample. */
export type JoinedAccount = z.infer<typeof providerAccountSchema>;

/** Makes the name of a request, by which its sample can be found: unique within all runs, and safe in an address. */
export function requestId(runId: string, key: SampleKey): string {
  const { caseId, target, trial, phase, roundIndex } = key;
  return [runId, caseId, target, trial, phase, roundIndex].map(encodeURIComponent).join("/");
}

/**
 * Joins platforms' accounts with a run's samples, in the order of the accounts. The first account of a request counts,
 * and those of no sample (warm-up) do not.
 */
export function joinAccounts(
  runId: string,
  samples: readonly SampleKey[],
  accounts: Iterable<ProviderAccount>,
): readonly JoinedAccount[] {
  const named = new Map(samples.map((sample) => [requestId(runId, sample), sample]));
  const found = new Map<string, JoinedAccount>();
  for (const account of accounts) {
    const sample = named.get(account.requestId);
    if (sample === undefined || found.has(account.requestId)) {
      continue;
    }
    const { caseId, target, trial, phase, roundIndex } = sample;
    found.set(account.requestId, { caseId, target, trial, phase, roundIndex, ...account });
  }
  return [...found.values()];
}
