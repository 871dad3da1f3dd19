// The handler of every function, whichever app it is of: lets in whom the guard lets in.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createGuard, type Guard, guardFetch } from "@evenbench/core";
import exported from "#behind/function";
import type { Invoke } from "./functions.ts";

type WebStandard = Parameters<typeof guardFetch>[0];

const guard = createGuard(process.env);
const handler: Invoke | WebStandard = "default" in exported ? exported.default : exported;

export default guard === null
  ? handler
  : typeof handler === "function"
    ? guardInvoke(handler, guard)
    : guardFetch(handler, guard);

/** The same for a function that speaks as Node.js does: a framework's launcher. */
function guardInvoke(invoke: Invoke, refusalOf: Guard): Invoke {
  return (request: IncomingMessage, response: ServerResponse, ...rest: unknown[]) => {
    const refusal = refusalOf({ authorization: request.headers.authorization, url: request.url ?? "" });
    if (refusal === null) return invoke(request, response, ...rest);
    const length = Buffer.byteLength(refusal.body);
    response.writeHead(refusal.status, { ...refusal.headers, "content-length": length });
    return response.end(request.method === "HEAD" ? undefined : refusal.body);
  };
}
