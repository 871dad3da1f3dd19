import { type ProviderAccount, REQUEST_HEADER } from "@evenbench/core";

/** An event of a Tail Worker, as Cloudflare documents it. Times are milliseconds. */
export interface TailItem {
  /** CPU time; 0 on workerd alone, which does not account. */
  readonly cpuTime?: number;
  readonly wallTime?: number;
  /** The event; null and other shapes where it is no request. */
  readonly event?: { readonly request?: { readonly headers?: Readonly<Record<string, string>> } } | null;
}

/** Finds the accounts of requests that their client has named. */
export function accountsIn(items: readonly TailItem[]): ProviderAccount[] {
  return items.flatMap(({ event, cpuTime, wallTime }) => {
    const requestId = event?.request?.headers?.[REQUEST_HEADER];
    if (requestId === undefined || cpuTime === undefined) {
      return [];
    }
    return [{ requestId, cpuMs: cpuTime, wallMs: wallTime ?? null }];
  });
}
