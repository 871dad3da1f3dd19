import { bearer, type ProviderAccount } from "@evenbench/core";
import { describeWireError } from "@evenbench/core/http";
import { account, strict } from "@evenbench/core/schema";
import { joinAccounts, type Sample, writeProviderCpu } from "@evenbench/results";
import type { Target } from "./options.ts";
import type { RunRecorder } from "./recorder.ts";

/** Longest time to collect accounts, in milliseconds. */
const COLLECT_WITHIN_MS = 30_000;

/**
 * Joins the CPU accounts of deployed targets' platforms with the samples, writes them, and reports for how
 * many requests there is one. Requests have names, by which accounts can be joined later, too.
 *
 * @param accounts those that came with responses; the others are collected.
 */
export async function reportProviderCpu(
  recorder: RunRecorder,
  targets: readonly Target[],
  measured: readonly Sample[],
  accounts: ProviderAccount[],
): Promise<void> {
  const { id, plan } = recorder.record;
  for (const target of targets) {
    if (target.place !== "url" || !target.accountsUrl) {
      continue;
    }
    try {
      accounts.push(...(await collectAccounts(target.accountsUrl, target.token, id)));
    } catch (error) {
      const why = describeWireError(error);
      const detail = `${target.name}: its platform's CPU times could not be collected: ${why}.`;
      recorder.event("provider-cpu", detail, { target: target.name });
    }
  }
  const answered = measured.filter(({ error }) => error === null);
  const joined = joinAccounts(id, answered, accounts);
  await writeProviderCpu(recorder.folder, joined);
  for (const { name, place, about } of plan.targets) {
    const isOwn = ({ target }: { readonly target: string }) => target === name;
    const requests = answered.filter(isOwn).length;
    if (place !== "url" || requests === 0) {
      continue;
    }
    const detail = `${name}: ${describeShare(about?.cpuAccountant, joined.filter(isOwn).length, requests)}.`;
    recorder.event("provider-cpu", detail, { target: name });
  }
}

function describeShare(who: string | null | undefined, joined: number, requests: number): string {
  if (who == null) {
    return "its platform does not report CPU time by request";
  }
  const share = `${joined} of ${requests} measured requests have the CPU time of their platform, by ${who}`;
  const missing = requests - joined;
  return missing === 0
    ? share
    : `${share}; ${missing} have none (not sampled, not alone, or not reported yet)`;
}

const accountSchema = strict(account);

/**
 * Collects the CPU accounts of a run from a deployed target's platform.
 *
 * @throws {Error} if it does not answer with accounts.
 */
export async function collectAccounts(
  url: string,
  token: string | null | undefined,
  runId: string,
): Promise<readonly ProviderAccount[]> {
  const response = await fetch(`${url}/accounts?run=${encodeURIComponent(runId)}`, {
    headers: bearer(token),
    signal: AbortSignal.timeout(COLLECT_WITHIN_MS),
  });
  if (response.status !== 200) {
    throw new Error(`${url} answers HTTP ${response.status}`);
  }
  const accounts: unknown = await response.json();
  const isAccount = (value: unknown) => accountSchema.safeParse(value).success;
  if (!Array.isArray(accounts) || !accounts.every(isAccount)) {
    throw new Error(`${url} answers with no accounts`);
  }
  return accounts;
}
