// Lets in whom the guard lets in, and accounts for the CPU time of requests that their client has named.
import type { IncomingMessage, ServerResponse } from "node:http";
import { CPU_HEADER, createGuard, type Guard, guardFetch, REQUEST_HEADER, refuse } from "@evenbench/core";
import exported from "#behind/function";
import { createCpuAccount } from "./cpu-account.ts";
import type { Invoke } from "./instance.ts";

type WebStandard = Parameters<typeof guardFetch>[0];

const guard = createGuard(process.env);
const handler: Invoke | WebStandard = "default" in exported ? exported.default : exported;
const arrive = createCpuAccount();

export default guard === null
  ? handler
  : typeof handler === "function"
    ? guardInvoke(handler, guard)
    : guardFetch(accountFetch(handler), guard);

function accountFetch(target: WebStandard): WebStandard {
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

function guardInvoke(invoke: Invoke, refusalOf: Guard): Invoke {
  return (request: IncomingMessage, response: ServerResponse, ...rest: unknown[]) => {
    const refusal = refusalOf({ authorization: request.headers.authorization, url: request.url ?? "" });
    if (refusal !== null) {
      return refuse(refusal, request, response);
    }
    const arrival = arrive(request.headers[REQUEST_HEADER]?.toString() ?? null);
    if (arrival.account !== null) {
      response.setHeader(CPU_HEADER, arrival.account);
    }
    response.once("close", () => arrival.answered());
    return invoke(request, response, ...rest);
  };
}
