import { wholeResponse } from "@evenbench/core";
import type { CaseIndex, CreateHandler } from "./case-index.ts";
import { identify } from "./identity.ts";
import { newInstance } from "./instance.ts";
import { listPage } from "./list-page.ts";
import { methodNotAllowed, noSuchCase } from "./refusals.ts";
import { newRoute } from "./route.ts";
import { serveCase } from "./serve-case.ts";

/**
 * Makes the one request handler of all platforms: it routes to a case, refuses what is malformed, and counts.
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
      const query = queryAt === -1 ? "" : url.slice(queryAt + 1);
      const route = routes.get(path);
      if (route !== undefined) return serveCase(route, request, query, instance);
      if (path === "/identity") return identify(index, options, instance);
      if (path !== "/") {
        const cases = manifests.map((manifest) => manifest.path.slice(1));
        return noSuchCase(path, cases);
      }
      page ??= listPage(manifests, options.platform, index.label);
      return wholeResponse(page, "text/html; charset=utf-8");
    }
  };
}

/** The same response without its body; the case's stream, if it has one, is told that nobody reads it. */
function headOf(response: Response): Response {
  const head = new Response(null, response);
  // A stream that fails while it is cancelled has nobody left to tell.
  response.body?.cancel().catch(() => {});
  return head;
}
