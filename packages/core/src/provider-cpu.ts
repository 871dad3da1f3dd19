import type { Sample } from "./sample.ts";

/** By this header a client names a request, so that a platform's account of it can be found again. */
export const REQUEST_HEADER = "x-evenbench-request";
/** By this one a deployed function accounts for the request that it served before this one: "<id>=<milliseconds>". */
export const CPU_HEADER = "x-evenbench-cpu";

/** What a platform accounted to one request. */
export interface ProviderAccount {
  /** As the client named it. */
  readonly requestId: string;
  readonly cpuMs: number;
  /** null where the platform does not tell. */
  readonly wallMs: number | null;
}

/** The part of a sample that names it within its run. */
export type SampleKey = Pick<Sample, "caseId" | "target" | "generation" | "phase" | "roundIndex">;

/** Who accounts for CPU time on a platform, as figures name it. */
export const CPU_ACCOUNTANTS: Readonly<Record<string, string>> = {
  cloudflare: "Cloudflare's Tail Worker events (cpuTime, in whole milliseconds)",
  vercel: "process.cpuUsage() in the function's instance, from a request's arrival to the next one's",
};

/** The name of a request: unique within all runs, and the key of its sample. */
export function requestId(runId: string, key: SampleKey): string {
  const { caseId, target, generation, phase, roundIndex } = key;
  return [runId, caseId, target, generation, phase, roundIndex].map(encodeURIComponent).join("/");
}

/** The account in a response's header, or null where there is none. */
export function parseCpuHeader(value: string | null | undefined): ProviderAccount | null {
  const match = /^([!-<>-~]{1,300})=(\d{1,9}(?:\.\d{1,3})?)$/.exec(value ?? "");
  return match === null ? null : { requestId: match[1] as string, cpuMs: Number(match[2]), wallMs: null };
}

/** How much of what was measured has an account. */
export interface ProviderJoin {
  readonly target: string;
  /** Measured exchanges without an error. */
  readonly exchanges: number;
  readonly accounts: readonly (SampleKey & ProviderAccount)[];
  /** Accounts of requests that the run did not measure: warm-up, preflight of another run. */
  readonly strays: number;
}

/** Joins accounts to a target's measured exchanges, by the name of the request. The first account of a request counts. */
export function joinAccounts(
  target: string,
  measured: ReadonlyMap<string, SampleKey>,
  accounts: Iterable<ProviderAccount>,
): ProviderJoin {
  const found = new Map<string, SampleKey & ProviderAccount>();
  let strays = 0;
  for (const account of accounts) {
    const key = measured.get(account.requestId);
    if (key === undefined) strays++;
    else if (!found.has(account.requestId)) found.set(account.requestId, { ...key, ...account });
  }
  return { target, exchanges: measured.size, accounts: [...found.values()], strays };
}
