import type { PlannedRequest } from "../protocol/plan.ts";
import { PLAN } from "./embedded.ts";
import { ask, type Observed, observe } from "./observe.ts";
import { givenToken } from "./token.ts";

/** Sends one GET as the probe does, keeps its body, and says what came. */
export function exchange(
  target: string,
  { path, expected }: PlannedRequest,
  withDigest: boolean,
): () => Observed {
  const response = ask(`${PLAN.origins[target]}${path}`, PLAN.timeoutMs, headersFor(target));
  // Looking at bodies costs time, which must not fall into the next target's.
  return () => observe(response, expected, withDigest);
}

function headersFor(target: string): Record<string, string> {
  const headers: Record<string, string> = {};
  if (PLAN.closed.includes(target)) headers.authorization = `Bearer ${givenToken()}`;
  // A copy's origin is written in another way for a connection of its own; the host is given the usual one.
  const host = PLAN.hosts[target];
  if (host !== undefined) headers.host = host;
  return headers;
}
