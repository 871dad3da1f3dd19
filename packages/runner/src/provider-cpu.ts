import { bearer, type ProviderAccount } from "@evenbench/core";
import { describeWireError } from "@evenbench/core/http";
import { account, strict } from "@evenbench/core/schema";
import {
  joinAccounts,
  type ProviderJoin,
  type RunTarget,
  requestId,
  type Sample,
  type SampleKey,
  writeProviderCpu,
} from "@evenbench/results";
import type { Target } from "./options.ts";
import type { RunRecorder } from "./session.ts";
import type { MeasuredTarget } from "./targets.ts";

const COLLECT_WITHIN_MS = 30_000;

/** Deployed targets get a name with each request, by which their platform's accounts are joined, now or later. */
export class ProviderCpu {
  readonly #recorder: RunRecorder;
  readonly #sources: readonly Target[];
  readonly #measured = new Map<string, Map<string, SampleKey>>();
  readonly #accounts: ProviderAccount[] = [];

  constructor(recorder: RunRecorder, sources: readonly Target[]) {
    this.#recorder = recorder;
    this.#sources = sources;
  }

  nameOf({ target }: MeasuredTarget, key: SampleKey): string | undefined {
    return target.place === "url" ? requestId(this.#recorder.record.id, key) : undefined;
  }

  take(sample: Sample, account: ProviderAccount | null): void {
    if (account !== null) this.#accounts.push(account);
    const target = this.#targetOf(sample.target);
    if (target?.place !== "url" || sample.phase !== "measure" || sample.error !== null) return;
    const { caseId, trial, phase, roundIndex } = sample;
    const key = { caseId, target: sample.target, trial, phase, roundIndex };
    const keys = this.#measured.get(sample.target) ?? new Map<string, SampleKey>();
    this.#measured.set(sample.target, keys.set(requestId(this.#recorder.record.id, key), key));
  }

  #targetOf(target: string): RunTarget | undefined {
    return this.#recorder.record.plan.targets.find(({ name }) => name === target);
  }

  async report(): Promise<void> {
    const recorder = this.#recorder;
    for (const source of this.#sources) {
      if (source.place !== "url" || !source.accountsUrl) continue;
      try {
        this.#accounts.push(
          ...(await collectAccounts(source.accountsUrl, source.token, this.#recorder.record.id)),
        );
      } catch (error) {
        const why = describeWireError(error);
        const detail = `${source.name}: its platform's CPU times could not be collected: ${why}.`;
        recorder.event("provider-cpu", detail, { target: source.name });
      }
    }
    const joins = [...this.#measured].map(([target, measured]) =>
      joinAccounts(target, measured, this.#accounts),
    );
    await writeProviderCpu(recorder.folder, joins);
    for (const join of joins) recorder.event("provider-cpu", this.#describe(join), { target: join.target });
  }

  #describe({ target, exchanges, accounts }: ProviderJoin): string {
    const who = this.#targetOf(target)?.about?.cpuAccountant ?? null;
    if (who === null) return `${target}: its platform does not report CPU time by request.`;
    const share = `${accounts.length} of ${exchanges} measured requests have the CPU time of their platform`;
    const missing = exchanges - accounts.length;
    return `${target}: ${share}, by ${who}${missing === 0 ? "" : `; ${missing} have none (not sampled, not alone, or not reported yet)`}.`;
  }
}

const accountSchema = strict(account);

/** @throws {Error} when it does not answer with accounts. */
export async function collectAccounts(
  url: string,
  token: string | null | undefined,
  runId: string,
): Promise<readonly ProviderAccount[]> {
  const response = await fetch(`${url}/accounts?run=${encodeURIComponent(runId)}`, {
    headers: bearer(token),
    signal: AbortSignal.timeout(COLLECT_WITHIN_MS),
  });
  if (response.status !== 200) throw new Error(`${url} answers HTTP ${response.status}`);
  const accounts: unknown = await response.json();
  const isAccount = (value: unknown) => accountSchema.safeParse(value).success;
  if (!Array.isArray(accounts) || !accounts.every(isAccount))
    throw new Error(`${url} answers with no accounts`);
  return accounts;
}
