import { EVENBENCH } from "@evenbench/core/called";
import { checkDigest, type Expectation, type Probe } from "@evenbench/probe";
import { ProfileError } from "./profile-error.ts";

/** The load under which a profile was taken: one connection, the next request when the last one's body has ended. */
export interface Load {
  readonly exchanges: number;
  /** From the first request to the end of the last body. */
  readonly elapsedMs: number;
}

export interface Warmup extends Load {
  /** Whether the instance got what its target needs to be warm; else the warm-up ended with its time. */
  readonly steady: boolean;
  /** Exchanges that it has to get; null where the time was too short to find out. */
  readonly needed: number | null;
}

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
): Promise<Load> {
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
