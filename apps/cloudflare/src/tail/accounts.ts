import { type ProviderAccount, REQUEST_HEADER } from "@evenbench/core";

/** The part of a tail event that is read ("Tail Handler" in Cloudflare's documentation). */
export interface TailItem {
  /** Milliseconds. 0 on workerd alone, which does not account. */
  readonly cpuTime?: number;
  readonly wallTime?: number;
  /** null and other shapes for what is no request. */
  readonly event?: { readonly request?: { readonly headers?: Readonly<Record<string, string>> } } | null;
}

/** The accounts of those invocations that a client has named; the others are nobody's. */
export function accountsIn(items: readonly TailItem[]): ProviderAccount[] {
  return items.flatMap(({ event, cpuTime, wallTime }) => {
    const requestId = event?.request?.headers?.[REQUEST_HEADER];
    if (requestId === undefined || cpuTime === undefined) return [];
    return [{ requestId, cpuMs: cpuTime, wallMs: wallTime ?? null }];
  });
}
