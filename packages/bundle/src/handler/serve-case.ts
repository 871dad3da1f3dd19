import {
  formatInstanceHeader,
  INSTANCE_HEADER,
  type InstanceAccount,
  parseParameters,
} from "@evenbench/core";
import type { InstanceCounts } from "./instance.ts";
import { badParameter, caseFailed, serviceMissing } from "./refusals.ts";
import type { Route, Values } from "./route.ts";

/**
 * The answer of a case, counted, and with the header that says who served it. Waits for nothing that the case
 * does not wait for.
 */
export function serveCase(
  route: Route,
  request: Request,
  query: string,
  instance: InstanceCounts,
): Response | Promise<Response> {
  let values = route.defaults;
  if (query !== "") {
    const parsed = parseParameters(route.parameters, new URLSearchParams(query));
    if (!parsed.ok) return badParameter(parsed.problem);
    values = parsed.values;
  }
  if (route.missing.length > 0) return serviceMissing(route.id, route.missing);
  const account = { instanceId: instance.id(), served: instance.served++, inFlight: instance.inFlight };
  try {
    const result = handle(route, request, values);
    return result instanceof Response
      ? stamp(result, account)
      : whenSettled(result, route, request, instance, account);
  } catch (error) {
    return stamp(caseFailed(route.id, account.instanceId, error), account);
  }
}

function handle(route: Route, request: Request, values: Values): Response | Promise<Response> {
  return route.definition === undefined
    ? loadAndHandle(route, request, values)
    : route.definition.handle(request, values, route.context);
}

async function loadAndHandle(route: Route, request: Request, values: Values): Promise<Response> {
  route.definition = (await route.load()).default;
  return route.definition.handle(request, values, route.context);
}

/**
 * A request is in flight until its Response is handed to the platform; only handlers that wait are counted.
 * To see a body end, native streams would have to pass through JavaScript here.
 */
async function whenSettled(
  result: Promise<Response>,
  route: Route,
  request: Request,
  instance: InstanceCounts,
  account: InstanceAccount,
): Promise<Response> {
  instance.inFlight++;
  let waiting = true;
  const leave = () => {
    if (waiting) instance.inFlight--;
    waiting = false;
  };
  request.signal.addEventListener("abort", leave, { once: true });
  try {
    const response = await result;
    if (!(response instanceof Response))
      throw new TypeError("The handler returned something that is no Response.");
    return stamp(response, account);
  } catch (error) {
    return stamp(caseFailed(route.id, account.instanceId, error), account);
  } finally {
    leave();
  }
}

function stamp(response: Response, account: InstanceAccount): Response {
  const { headers } = response;
  try {
    headers.set("cache-control", "no-store");
  } catch {
    // Responses of fetch() and Response.redirect() have immutable headers; a copy's can be set.
    return stamp(new Response(response.body, response), account);
  }
  headers.set(INSTANCE_HEADER, formatInstanceHeader(account));
  return response;
}
