import { EVENBENCH } from "@evenbench/core/called";
import { checkDigest, type Expectation, type Probe } from "@evenbench/probe";
import type { ProfileLoad } from "@evenbench/results";
import { ProfileError } from "./profile-error.ts";

interface BusyConnection {
  readonly probe: Probe;
  readonly path: string;
  readonly expected: Expectation;
  readonly signal?: AbortSignal | undefined;
}

/** Asks for so long, at least once, or until `signal` aborts. @throws {ProfileError} when an exchange fails. */
export async function keepBusy(
  { probe, path, expected, signal }: BusyConnection,
  timeMs: number,
): Promise<ProfileLoad> {
  const begun = performance.now();
  for (let exchanges = 1; ; exchanges++) {
    // The first body is checked as a whole, the others by status and length.
    const exchange = await probe.exchange(path, expected, { body: exchanges === 1 });
    checkDigest(exchange, expected);
    const elapsedMs = performance.now() - begun;
    if (signal?.aborted) return { exchanges, elapsedMs };
    if (exchange.error !== null) throw failedExchange(path, exchange.error.detail);
    if (elapsedMs >= timeMs) return { exchanges, elapsedMs };
  }
}

export function failedExchange(path: string, why: string): ProfileError {
  return new ProfileError(
    `A request failed while ${path} was asked for (${why}). A profile of failing requests would mislead: see why with \`${EVENBENCH} preflight\`.`,
  );
}
