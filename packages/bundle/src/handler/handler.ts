import {
  CASE_FAILED,
  type CaseContext,
  type CaseDefinition,
  formatInstanceHeader,
  INSTANCE_HEADER,
  type InstanceAccount,
  type ParameterDeclarations,
  type ParameterProblem,
  type ParameterValues,
  type PlatformId,
  parseParameters,
  problemResponse,
  serviceVariable,
  wholeResponse,
} from "@evenbench/core";
import {
  type CaseIndex,
  type CreateHandler,
  type IndexedCase,
  type InstanceCounts,
  identify,
  newInstance,
} from "./identity.ts";
import { listPage } from "./list-page.ts";

/** Makes what a platform creates its handler by, from the index of a build. */
export function makeCreateHandler(index: CaseIndex): CreateHandler {
  const manifests = index.cases.map((indexed) => indexed.manifest);

  return (options) => {
    const instance = options.instance ?? newInstance();
    const routes = new Map<string, CaseRoute>();
    for (const { manifest, load } of index.cases) {
      if (load !== null) {
        routes.set(manifest.path, newRoute(manifest, load, options.platform));
      }
    }
    let page: string | undefined;

    return async (request) => {
      const { method } = request;
      if (method === "HEAD") {
        return headOf(await answer(request, "GET"));
      }
      return answer(request, method);
    };

    function answer(request: Request, method: string): Response | Promise<Response> {
      const { url } = request;
      // The path starts at the first slash behind "http://" or "https://" and one character of the host.
      const pathAt = url.indexOf("/", 8);
      const queryAt = url.indexOf("?", pathAt);
      const path = queryAt === -1 ? url.slice(pathAt) : url.slice(pathAt, queryAt);
      const query = queryAt === -1 ? "" : url.slice(queryAt + 1);
      const route = routes.get(path);
      if (route !== undefined && route.method === method) {
        return serveCase(route, request, query, instance);
      }
      if (route !== undefined || method !== "GET") {
        return methodNotAllowed(method, route?.method ?? "GET");
      }
      if (path === "/identity") {
        return identify(index, options, instance);
      }
      if (path !== "/") {
        const cases = manifests.map((manifest) => manifest.path.slice(1));
        return noSuchCase(path, cases);
      }
      page ??= listPage(manifests, options.platform, index.label);
      return wholeResponse(page, "text/html; charset=utf-8");
    }
  };
}

function headOf(response: Response): Response {
  const head = new Response(null, response);
  // Nobody waits for the end of a stream that fails while it is cancelled.
  response.body?.cancel().catch(() => {});
  return head;
}

type Values = ParameterValues<ParameterDeclarations>;

/** A case that can be asked for at its path. */
interface CaseRoute {
  readonly id: string;
  /** The method that it is asked by; one that is asked by GET answers HEAD, too. */
  readonly method: string;
  readonly parameters: ParameterDeclarations;
  readonly load: NonNullable<IndexedCase["load"]>;
  readonly defaults: Values;
  readonly context: CaseContext;
  /** Services that the case declares and nobody has said where they are. */
  readonly missing: readonly string[];
  /** The loaded case; undefined before its first request. */
  definition: CaseDefinition | undefined;
}

/** Makes the route of a case, whose module is not loaded yet. */
function newRoute(
  { id, parameters, services, sends }: IndexedCase["manifest"],
  load: CaseRoute["load"],
  platform: PlatformId,
): CaseRoute {
  const addresses = services.map((service) => [service, process.env[serviceVariable(service)]]);
  const defaults = Object.entries(parameters).map(([name, { default: value }]) => [name, value]);
  return {
    id,
    method: sends?.method ?? "GET",
    parameters,
    load,
    defaults: Object.freeze(Object.fromEntries(defaults)) as Values,
    context: { platform, services: Object.fromEntries(addresses) },
    missing: services.filter((service) => process.env[serviceVariable(service)] === undefined),
    definition: undefined,
  };
}

/** Answers a request for a case. It stays synchronous if the case is: no extra microtask is measured. */
function serveCase(
  route: CaseRoute,
  request: Request,
  query: string,
  instance: InstanceCounts,
): Response | Promise<Response> {
  let values = route.defaults;
  if (query !== "") {
    const parsed = parseParameters(route.parameters, new URLSearchParams(query));
    if (!parsed.ok) {
      return badParameter(parsed.problem);
    }
    values = parsed.values;
  }
  if (route.missing.length > 0) {
    return serviceMissing(route.id, route.missing);
  }
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

function handle(route: CaseRoute, request: Request, values: Values): Response | Promise<Response> {
  return route.definition === undefined
    ? loadAndHandle(route, request, values)
    : route.definition.handle(request, values, route.context);
}

async function loadAndHandle(route: CaseRoute, request: Request, values: Values): Promise<Response> {
  route.definition = (await route.load()).default;
  return route.definition.handle(request, values, route.context);
}

/** Counts a request as in flight until its Response is handed over: native streams do not tell when a body ends. */
async function whenSettled(
  result: Promise<Response>,
  route: CaseRoute,
  request: Request,
  instance: InstanceCounts,
  account: InstanceAccount,
): Promise<Response> {
  instance.inFlight++;
  let waiting = true;
  const leave = () => {
    if (waiting) {
      instance.inFlight--;
    }
    waiting = false;
  };
  request.signal.addEventListener("abort", leave, { once: true });
  try {
    const response = await result;
    if (!(response instanceof Response)) {
      throw new TypeError("The handler returned something that is no Response.");
    }
    return stamp(response, account);
  } catch (error) {
    return stamp(caseFailed(route.id, account.instanceId, error), account);
  } finally {
    leave();
  }
}

/** Adds what every response of a case says: that no cache keeps it, and who served it. */
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

/** @param allowed the method that the path is asked by. */
function methodNotAllowed(method: string, allowed: string): Response {
  const isRead = allowed === "GET";
  const given = method.slice(0, 20);
  const detail = isRead
    ? `Cases are read with GET or HEAD, not ${given}.`
    : `This case is asked with ${allowed}, not ${given}.`;
  const response = problemResponse(405, "Method not allowed", detail);
  response.headers.set("allow", isRead ? "GET, HEAD" : allowed);
  return response;
}

function noSuchCase(path: string, cases: readonly string[]): Response {
  const detail = `There is nothing at ${JSON.stringify(path.slice(0, 80))}. Cases: ${cases.join(", ")}.`;
  return problemResponse(404, "No such case", detail, { cases });
}

function badParameter({ detail, parameter, bounds }: ParameterProblem): Response {
  return problemResponse(400, "Bad parameter", detail, { parameter, bounds });
}

function serviceMissing(caseId: string, services: readonly string[]): Response {
  const variables = services.map(serviceVariable).join(", ");
  const detail = `"${caseId}" talks to ${services.join(", ")}, and this target does not know where that is: set ${variables} to host:port where it is started.`;
  return problemResponse(503, "Service missing", detail, { case: caseId, services });
}

function caseFailed(caseId: string, instanceId: string, error: unknown): Response {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(`evenbench: case "${caseId}" threw in instance ${instanceId}: ${stack}`);
  const detail = `The handler of "${caseId}" threw. The stack is in the log of instance ${instanceId}.`;
  return problemResponse(500, CASE_FAILED, detail, { case: caseId });
}
