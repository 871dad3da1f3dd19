// The front of a function: it asks the guard, and accounts for the CPU time of requests that their client has named.
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  CPU_HEADER,
  createGuard,
  type Fetcher,
  type Guard,
  guardFetch,
  REGION_VARIABLE,
  REQUEST_HEADER,
  sendRefusal,
} from "@evenbench/core";
import exported from "#behind/function";
import { createCpuAccount } from "./cpu-account.ts";
import type { Invoke } from "./inner-call.ts";

// Vercel names its region in a variable of its own ("System environment variables" of its documentation).
if (process.env.VERCEL_REGION !== undefined) {
  process.env[REGION_VARIABLE] ??= process.env.VERCEL_REGION;
}

const guard = createGuard(process.env);
const handler: Invoke | Fetcher<unknown[]> = "default" in exported ? exported.default : exported;
const arrive = createCpuAccount();

/** The function, behind the guard where the target has one. */
export default guard === null ? handler : guarded(guard);

/** Puts the guard in front of the function, whichever of two forms it has. */
function guarded(guardOfTarget: Guard): Invoke | Fetcher<unknown[]> {
  if (typeof handler === "function") {
    return guardFunction(handler, guardOfTarget);
  }
  return guardFetch(accountFetch(handler), guardOfTarget);
}

/**
 * Guards a function. One of Node.js is called with its request and response, a middleware (`useWebApi`) with a
 * Request: it is called before the function that it stands in front of, whose answer accounts for CPU time.
 */
function guardFunction(called: Invoke, guardOfTarget: Guard): Invoke {
  const ofNode = guardInvoke(called, guardOfTarget);
  const ofWeb = guardFetch({ fetch: called as unknown as Fetcher<unknown[]>["fetch"] }, guardOfTarget);
  return (request: IncomingMessage | Request, ...rest: unknown[]) =>
    request instanceof Request
      ? ofWeb.fetch(request, ...rest)
      : ofNode(request, rest[0] as ServerResponse, ...rest.slice(1));
}

/** Accounts for the CPU time of requests to a module with a `fetch`. */
function accountFetch(target: Fetcher<unknown[]>): Fetcher<unknown[]> {
  return {
    ...target,
    async fetch(request, ...rest) {
      const arrival = arrive(request.headers.get(REQUEST_HEADER));
      try {
        const response = await target.fetch(request, ...rest);
        if (arrival.account === null) {
          return response;
        }
        const copy = new Response(response.body, response);
        copy.headers.set(CPU_HEADER, arrival.account);
        return copy;
      } finally {
        arrival.answered();
      }
    },
  };
}

/** Guards a function of Node.js, and accounts for the CPU time of its requests. */
function guardInvoke(invoke: Invoke, refusalOf: Guard): Invoke {
  return (request: IncomingMessage, response: ServerResponse, ...rest: unknown[]) => {
    const refusal = refusalOf({ authorization: request.headers.authorization, url: request.url ?? "" });
    if (refusal !== null) {
      return sendRefusal(refusal, request, response);
    }
    const arrival = arrive(request.headers[REQUEST_HEADER]?.toString() ?? null);
    if (arrival.account !== null) {
      response.setHeader(CPU_HEADER, arrival.account);
    }
    response.once("close", () => arrival.answered());
    return invoke(request, response, ...rest);
  };
}
