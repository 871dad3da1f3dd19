import type { IncomingHttpHeaders } from "node:http";
import type { Phase, Route, RoutesByPhase } from "./routes.ts";

/** What a router is asked: the request's line and headers. */
export interface RoutedRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** Where a request goes, and what is changed on its way there and back. */
export interface Routed<Resource> {
  /** null: nothing there; the status says what to answer. */
  readonly resource: Resource | null;
  /** The path that led to the resource: "/blog/[slug]". */
  readonly matchedPath: string;
  /** Path as it came, query as the routes made it: what a function sees. */
  readonly url: string;
  /** undefined: the resource decides. */
  readonly status: number | undefined;
  /** Of the response; one that is important replaces what the resource sets. */
  readonly headers: ReadonlyMap<string, { readonly value: string; readonly important: boolean }>;
  /** To be set on the request, or removed from it (undefined). */
  readonly requestHeaders: ReadonlyMap<string, string | undefined>;
}

const NEXT_PHASE: Readonly<Partial<Record<Phase, Phase>>> = {
  initial: "filesystem",
  filesystem: "rewrite",
  rewrite: "resource",
  resource: "miss",
};
/** More steps than any sensible configuration takes: routes that lead to each other. */
const LONGEST_WAY = 50;

/**
 * The routing of the Build Output API: the phases of config.json in their documented order, and a look at the
 * files and functions between them.
 *
 * @param find gives what a path leads to, if there is something.
 */
export function createRouter<Resource>(routes: RoutesByPhase, find: (path: string) => Resource | undefined) {
  return (request: RoutedRequest): Routed<Resource> => {
    const queryAt = request.url.indexOf("?");
    const originalPath = queryAt === -1 ? request.url : request.url.slice(0, queryAt);
    const originalQuery = queryAt === -1 ? "" : request.url.slice(queryAt + 1);
    let path = originalPath;
    // Parsed only when a route needs it: what is not changed stays as it was written.
    let query: URLSearchParams | undefined;
    let status: number | undefined;
    const headers = new Map<string, { value: string; important: boolean }>();
    const requestHeaders = new Map<string, string | undefined>();

    const readQuery = () => {
      query ??= new URLSearchParams(originalQuery);
      return query;
    };
    const isTrue = (condition: NonNullable<Route["has"]>[number], captured: Map<string, string>) => {
      const value = conditionValue(condition, request, readQuery);
      if (value === undefined || condition.value === undefined) return value !== undefined;
      const match = new RegExp(`^${condition.value}$`).exec(value);
      for (const [name, text] of Object.entries(match?.groups ?? {})) captured.set(name, text);
      return match !== null;
    };
    const match = (route: Route): ((text: string) => string) | null => {
      if (route.methods && !route.methods.includes(request.method)) return null;
      const found = route.pattern.exec(path);
      if (found === null) return null;
      const captured = new Map(Object.entries(found.groups ?? {}));
      for (const [index, text] of found.entries()) captured.set(String(index), text);
      if (!(route.has ?? []).every((condition) => isTrue(condition, captured))) return null;
      if ((route.missing ?? []).some((condition) => isTrue(condition, new Map()))) return null;
      return (text) => text.replace(/\$(\w+)/g, (_, name: string) => captured.get(name) ?? "");
    };
    const goTo = (dest: string) => {
      const at = dest.indexOf("?");
      path = at === -1 ? dest : dest.slice(0, at);
      if (at !== -1)
        for (const [name, value] of new URLSearchParams(dest.slice(at + 1))) readQuery().set(name, value);
    };
    const apply = (route: Route, fill: (text: string) => string) => {
      if (route.override) {
        status = undefined;
        headers.clear();
      }
      for (const [name, value] of Object.entries(route.headers ?? {})) {
        headers.set(name.toLowerCase(), { value: fill(value), important: route.important ?? false });
      }
      for (const { type, op, target, args = "" } of route.transforms ?? []) {
        const value = fill(String(args));
        if (type === "request.query") readQuery()[op](target.key, value);
        else if (type === "request.headers")
          requestHeaders.set(target.key.toLowerCase(), op === "delete" ? undefined : value);
        else if (op === "delete") headers.delete(target.key.toLowerCase());
        else headers.set(target.key.toLowerCase(), { value, important: true });
      }
      if (route.status !== undefined) status = route.status;
      if (route.dest !== undefined) goTo(fill(route.dest));
    };

    /** Goes through one phase; gives where to go on when nothing is found at the path that it leaves. */
    const run = (phase: Phase): Phase | "answered" | undefined => {
      for (const route of routes[phase]) {
        const fill = match(route);
        if (fill === null) continue;
        const before = path;
        apply(route, fill);
        if (route.check && path !== before) {
          // A status of an earlier route ("nothing here, unless ...") is no longer true.
          if (find(path) !== undefined) status = route.status;
          return "filesystem";
        }
        if (route.continue || (route.check && phase !== "miss")) continue;
        if (phase === "initial" && route.dest === undefined && (route.status ?? 0) >= 400) return "answered";
        return phase === "initial" ? "filesystem" : "miss";
      }
      return NEXT_PHASE[phase];
    };
    const leave = (resource: Resource | null): Routed<Resource> => {
      const text = query === undefined ? originalQuery : query.toString();
      const url = text === "" ? originalPath : `${originalPath}?${text}`;
      return { resource, matchedPath: path, url, status, headers, requestHeaders };
    };
    const fail = (errorStatus: number): Routed<Resource> => {
      status = errorStatus;
      for (const route of routes.error) {
        if (route.status !== undefined && route.status !== errorStatus) continue;
        const fill = match(route);
        if (fill === null) continue;
        apply(route, fill);
        break;
      }
      return leave(path === originalPath ? null : (find(path) ?? null));
    };

    let phase: Phase | "answered" | undefined = "initial";
    for (let step = 0; step < LONGEST_WAY; step++) {
      const current: Phase = phase;
      phase = run(current);
      if (headers.has("location")) {
        if (status === undefined || status < 300 || status > 399) status = 307;
        return leave(null);
      }
      const resource = phase === "answered" ? undefined : find(path);
      if (resource !== undefined) {
        for (const route of routes.hit) {
          const fill = match(route);
          if (fill === null) continue;
          apply(route, fill);
          if (!route.continue) break;
        }
        return leave(resource);
      }
      if (phase === undefined || phase === "answered" || (phase === "miss" && current === "miss")) {
        return fail(status !== undefined && status >= 400 ? status : 404);
      }
    }
    return fail(508);
  };
}

function conditionValue(
  { type, key = "" }: NonNullable<Route["has"]>[number],
  { headers }: RoutedRequest,
  readQuery: () => URLSearchParams,
): string | undefined {
  if (type === "host") return headers.host;
  if (type === "query") return readQuery().get(key) ?? undefined;
  if (type === "header") return headers[key.toLowerCase()]?.toString();
  const cookies = headers.cookie?.split(/;\s*/).map((cookie) => cookie.split("=", 2));
  return cookies?.find(([name]) => name === key)?.[1];
}
