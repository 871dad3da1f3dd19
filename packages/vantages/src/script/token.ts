/**
 * Where an engine passes no environment on, a user's own first line in the script gives the token:
 * `globalThis.EVENBENCH_TOKEN = "…"`.
 */
declare global {
  var EVENBENCH_TOKEN: string | undefined;
}

/** The token of closed targets; "" without one. */
export function givenToken(): string {
  return __ENV.EVENBENCH_TOKEN || globalThis.EVENBENCH_TOKEN || "";
}
