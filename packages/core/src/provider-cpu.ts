/** By this header a client names a request, so that a platform's account of it can be found again. */
export const REQUEST_HEADER = "x-evenbench-request";
/** By this one a deployed function accounts for the request that it served before this one: "<id>=<milliseconds>". */
export const CPU_HEADER = "x-evenbench-cpu";

/** What a platform accounted to one request. */
export interface ProviderAccount {
  /** As the client named it. */
  readonly requestId: string;
  readonly cpuMs: number;
  /** null where the platform does not report it. */
  readonly wallMs: number | null;
}

/** The account in a response's header, or null where there is none. */
export function parseCpuHeader(value: string | null | undefined): ProviderAccount | null {
  const match = /^([!-<>-~]{1,300})=(\d{1,9}(?:\.\d{1,3})?)$/.exec(value ?? "");
  return match === null ? null : { requestId: match[1] as string, cpuMs: Number(match[2]), wallMs: null };
}
