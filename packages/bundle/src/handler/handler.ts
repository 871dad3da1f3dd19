import {
  type CaseContext,
  type CaseDefinition,
  formatInstanceHeader,
  INSTANCE_HEADER,
  type ParameterDeclarations,
  type ParameterValues,
  type PlatformId,
  parseParameters,
  serviceVariable,
  wholeResponse,
} from "@evenbench/core";
import type { CaseIndex, CreateHandler, IndexedCase } from "./case-index.ts";
import { identify } from "./identity.ts";
import { newInstance } from "./instance.ts";
import { listPage } from "./list-page.ts";
import { badParameter, caseFailed, methodNotAllowed, noSuchCase, serviceMissing } from "./refusals.ts";

type Values = ParameterValues<ParameterDeclarations>;

interface Route {
  readonly id: string;
  readonly parameters: ParameterDeclarations;
  readonly load: NonNullable<IndexedCase["load"]>;
  readonly defaults: Values;
  readonly context: CaseContext;
  /** Services that have no address here: then the case cannot answer. */
  readonly missing: readonly string[];
  /** undefined until a request has loaded the module. */
  definition: CaseDefinition | undefined;
}

/**
 * Makes the one request handler of all platforms: it routes to a case, refuses what is malformed, and counts.
 *
 * The empty case goes through here too, so a request without a query costs next to nothing: the URL is cut, not
 * parsed, default values are ready, and headers are added to the case's own response.
 */
export function makeCreateHandler(index: CaseIndex): CreateHandler {
  const manifests = index.cases.map((indexed) => indexed.manifest);

  return (options) => {
    const instance = options.instance ?? newInstance();
    const routes = new Map(index.cases.flatMap((indexed) => newRoute(indexed, options.platform) ?? []));
    let page: string | undefined;

    return async (request) => {
      const { method } = request;
      if (method === "GET") return answer(request);
      if (method === "HEAD") return headOf(await answer(request));
      return methodNotAllowed(method);
    };

    function answer(request: Request): Response | Promise<Response> {
      const { url } = request;
      // The path starts at the first slash behind "http://" or "https://" and one character of the host.
      const pathAt = url.indexOf("/", 8);
      const queryAt = url.indexOf("?", pathAt);
      const path = queryAt === -1 ? url.slice(pathAt) : url.slice(pathAt, queryAt);
      const route = routes.get(path);
      if (route !== undefined) return serveCase(route, request, queryAt === -1 ? "" : url.slice(queryAt + 1));
      if (path === "/identity") return identify(index, options, instance);
      if (path !== "/")
        return noSuchCase(
          path,
          manifests.map((manifest) => manifest.path.slice(1)),
        );
      page ??= listPage(manifests, options.platform, index.label);
      return wholeResponse(page, "text/html; charset=utf-8");
    }

    function serveCase(route: Route, request: Request, query: string): Response | Promise<Response> {
      let values = route.defaults;
      if (query !== "") {
        const parsed = parseParameters(route.parameters, new URLSearchParams(query));
        if (!parsed.ok) return badParameter(parsed.problem);
        values = parsed.values;
      }
      if (route.missing.length > 0) return serviceMissing(route.id, route.missing);
      const served = instance.served++;
      const { inFlight } = instance;
      try {
        const result =
          route.definition === undefined
            ? loadAndHandle(route, request, values)
            : route.definition.handle(request, values, route.context);
        return result instanceof Response
          ? stamp(result, served, inFlight)
          : whenSettled(result, route, request, served, inFlight);
      } catch (error) {
        return stamp(caseFailed(route.id, instance.id(), error), served, inFlight);
      }
    }

    async function loadAndHandle(route: Route, request: Request, values: Values): Promise<Response> {
      route.definition = (await route.load()).default;
      return route.definition.handle(request, values, route.context);
    }

    /**
     * A request is in flight from its arrival until its Response is handed to the platform. A handler that answers
     * without waiting shares its thread with nobody, so only those that wait are counted. The sending of a body is
     * left out: to see a stream end, its chunks would have to pass through JavaScript here, and native streams (the
     * subject of the stream cases) would lose their short way to the socket. So the count costs the empty case nothing
     * and means the same for every platform and every kind of body.
     *
     * A client that has gone ends the count too, where the runtime tells: a deployed Worker is not resumed then. (workerd
     * on its own does not tell, and runs the request to its end.)
     */
    async function whenSettled(
      result: Promise<Response>,
      route: Route,
      request: Request,
      served: number,
      inFlight: number,
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
        return stamp(response, served, inFlight);
      } catch (error) {
        return stamp(caseFailed(route.id, instance.id(), error), served, inFlight);
      } finally {
        leave();
      }
    }

    function stamp(response: Response, served: number, inFlight: number): Response {
      const { headers } = response;
      try {
        headers.set("cache-control", "no-store");
      } catch {
        // Responses of fetch() and Response.redirect() have immutable headers; a copy's can be set.
        return stamp(new Response(response.body, response), served, inFlight);
      }
      headers.set(INSTANCE_HEADER, formatInstanceHeader({ instanceId: instance.id(), served, inFlight }));
      return response;
    }
  };
}

/** The route of a case by its path; none where something else answers it. */
function newRoute({ manifest, load }: IndexedCase, platform: PlatformId): [[string, Route]] | null {
  if (load === null) return null;
  const { id, path, parameters } = manifest;
  const addresses = manifest.services.map((service) => [service, process.env[serviceVariable(service)]]);
  const missing = addresses.filter(([, address]) => address === undefined).map(([service]) => `${service}`);
  const context = { platform, services: Object.fromEntries(addresses) };
  const defaults = Object.entries(parameters).map(([name, { default: value }]) => [name, value]);
  const values = Object.freeze(Object.fromEntries(defaults)) as Values;
  return [[path, { id, parameters, load, defaults: values, context, missing, definition: undefined }]];
}

/** The same response without its body; the case's stream, if it has one, is told that nobody reads it. */
function headOf(response: Response): Response {
  const head = new Response(null, response);
  // A stream that fails while it is cancelled has nobody left to tell.
  response.body?.cancel().catch(() => {});
  return head;
}
