import { checkDigest, type Expectation, type Probe } from "@evenbench/probe";
import { isSteady } from "@evenbench/stats";
import { ProfileError } from "./profile-error.ts";

/** The load under which a profile was taken: one connection, the next request when the last one's body has ended. */
export interface Load {
  readonly exchanges: number;
  /** From the first request to the end of the last body. */
  readonly elapsedMs: number;
}

export interface Warmup extends Load {
  /** Whether the times of the exchanges came to rest; else the warm-up ended with its time. */
  readonly steady: boolean;
}

interface Subject {
  readonly probe: Probe;
  readonly path: string;
  readonly expected: Expectation;
  readonly signal?: AbortSignal | undefined;
}

const LEAST_WARMUP_EXCHANGES = 15;

/** Asks until the times come to rest, or the time is over, or `signal` aborts. @throws {ProfileError} when an exchange fails. */
export async function warmUp(subject: Subject, atMostMs: number): Promise<Warmup> {
  const times: number[] = [];
  const load = await drive(subject, (elapsedMs, lastByteMs) => {
    if (lastByteMs !== null) times.push(lastByteMs);
    const enough = times.length >= LEAST_WARMUP_EXCHANGES;
    return !(elapsedMs >= atMostMs || (enough && isSteady(times)));
  });
  return { ...load, steady: isSteady(times) };
}

/** Asks for so long, at least once, or until `signal` aborts. @throws {ProfileError} when an exchange fails. */
export function load(subject: Subject, timeMs: number): Promise<Load> {
  return drive(subject, (elapsedMs) => elapsedMs < timeMs);
}

async function drive(
  { probe, path, expected, signal }: Subject,
  goOn: (elapsedMs: number, lastByteMs: number | null) => boolean,
): Promise<Load> {
  const begun = performance.now();
  for (let exchanges = 1; ; exchanges++) {
    // The first body of each drive is checked as a whole, the others by status and length.
    const exchange = await probe.exchange(path, expected, { body: exchanges === 1 });
    checkDigest(exchange, expected);
    const elapsedMs = performance.now() - begun;
    if (signal?.aborted) return { exchanges, elapsedMs };
    if (exchange.error !== null) {
      throw new ProfileError(
        `An exchange failed while ${path} was asked for (${exchange.error.detail}). A profile of failing requests would mislead: see why with \`evenbench preflight\`.`,
      );
    }
    if (!goOn(elapsedMs, exchange.lastByteMs)) return { exchanges, elapsedMs };
  }
}
