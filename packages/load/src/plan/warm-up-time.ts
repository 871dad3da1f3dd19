import type { ConnectionWarmUp } from "@evenbench/runner/engine";

/** Of what is left of a case's time: so much may go into the warm-up of one trial. */
const WARM_UP_SHARE = 0.5;
/** However little is left: so much for each connection. A trial takes its stages then, too, whatever they take. */
const LEAST_WARM_UP_MS = 1500;

/**
 * Divides the time for the warm-up of one trial.
 *
 * @param caseEndsAt as `performance.now()` has it.
 */
export function warmUpShares(caseEndsAt: number, connections: number, now = () => performance.now()) {
  const endsAt = now() + (caseEndsAt - now()) * WARM_UP_SHARE;
  let left = connections;
  return (): number => {
    const shareMs = (endsAt - now()) / Math.max(1, left);
    left -= 1;
    return now() + Math.max(LEAST_WARM_UP_MS, shareMs);
  };
}

export function describeShortWarmUp({ exchanges, needed, error }: ConnectionWarmUp): string {
  const came =
    needed === null
      ? `${exchanges} requests, too few to find out how many it needs`
      : `${exchanges} of the ${needed} requests that it needs`;
  return error === null
    ? `its time ended its warm-up after ${came}. More time for the load warms it up.`
    : `a failed request (${error.kind}: ${error.detail}) ended its warm-up after ${came}.`;
}
