import type { IncomingHttpHeaders } from "node:http";
import type { Phase, Route, RoutesByPhase } from "./routes.ts";

/** What a router is asked: path and query as they came, and the headers. */
export interface RoutedRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** Where a request goes, and what the routes say of its response. */
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
}

type Fill = (text: string) => string;

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
  return ({ url, headers: requestHeaders }: RoutedRequest): Routed<Resource> => {
    const [originalPath, originalQuery] = divide(url);
    let path = originalPath;
    let query = originalQuery;
    let status: number | undefined;
    const headers = new Map<string, { value: string; important: boolean }>();

    const apply = (route: Route, fill: Fill) => {
      if (route.override) {
        status = undefined;
        headers.clear();
      }
      for (const [name, value] of Object.entries(route.headers)) {
        headers.set(name.toLowerCase(), { value: fill(value), important: route.important });
      }
      for (const name of route.droppedParameters) query = withoutParameter(query, name);
      if (route.status !== undefined) status = route.status;
      if (route.dest !== undefined) {
        const [destinationPath, destinationQuery] = divide(fill(route.dest));
        path = destinationPath;
        query = withParameters(query, destinationQuery);
      }
    };
    /** Goes through one phase; gives where to go on when nothing is found at the path that it leaves. */
    const run = (phase: Phase): Phase | "failed" => {
      for (const route of routes[phase]) {
        const fill = match(route, path, requestHeaders);
        if (fill === null) continue;
        const before = path;
        apply(route, fill);
        if (route.check && path !== before) {
          // A status of an earlier route ("nothing here, unless ...") is no longer true.
          if (find(path) !== undefined) status = route.status;
          return "filesystem";
        }
        if (route.continue || route.check) continue;
        if (phase !== "initial") return phase === "miss" ? "failed" : "miss";
        return route.dest === undefined && (route.status ?? 0) >= 400 ? "failed" : "filesystem";
      }
      return NEXT_PHASE[phase] ?? "failed";
    };
    const leave = (resource: Resource | null): Routed<Resource> => ({
      resource,
      matchedPath: path,
      url: query === "" ? originalPath : `${originalPath}?${query}`,
      status,
      headers,
    });
    const hit = (resource: Resource) => {
      for (const route of routes.hit) {
        const fill = match(route, path, requestHeaders);
        if (fill === null) continue;
        apply(route, fill);
        if (!route.continue) break;
      }
      return leave(resource);
    };
    /** An error's page is what a route of its status leads to. */
    const fail = (errorStatus: number) => {
      status = errorStatus;
      for (const route of routes.error) {
        const isMeant = (route.status ?? errorStatus) === errorStatus;
        const fill = isMeant ? match(route, path, requestHeaders) : null;
        if (fill === null) continue;
        apply(route, fill);
        return leave((route.dest === undefined ? undefined : find(path)) ?? null);
      }
      return leave(null);
    };

    let phase: Phase = "initial";
    for (let step = 0; step < LONGEST_WAY; step++) {
      const next = run(phase);
      if (headers.has("location")) {
        if (status === undefined || status < 300 || status > 399) status = 307;
        return leave(null);
      }
      const resource = next === "failed" && phase === "initial" ? undefined : find(path);
      if (resource !== undefined) return hit(resource);
      if (next === "failed") return fail(status !== undefined && status >= 400 ? status : 404);
      phase = next;
    }
    return fail(508);
  };
}

/** How to fill `$1` and `$name` with what a route matched; null when it does not match. */
function match(route: Route, path: string, requestHeaders: IncomingHttpHeaders): Fill | null {
  const found = route.pattern.exec(path);
  if (found === null) return null;
  const captured = new Map(Object.entries(found.groups ?? {}));
  for (const [index, text] of found.entries()) captured.set(String(index), text);
  const isTrue = ({ header, pattern }: Route["has"][number]) => {
    const value = requestHeaders[header]?.toString();
    if (value === undefined || pattern === null) return value !== undefined;
    const matched = pattern.exec(value);
    for (const [name, text] of Object.entries(matched?.groups ?? {})) captured.set(name, text);
    return matched !== null;
  };
  if (!route.has.every(isTrue) || route.missing.some(isTrue)) return null;
  return (text) => text.replace(/\$(\w+)/g, (_, name: string) => captured.get(name) ?? "");
}

/** Path and query of a URL without a host. */
function divide(url: string): [path: string, query: string] {
  const at = url.indexOf("?");
  return at === -1 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

function withoutParameter(query: string, name: string): string {
  const parameters = new URLSearchParams(query);
  // What is not changed stays as it was written.
  if (!parameters.has(name)) return query;
  parameters.delete(name);
  return parameters.toString();
}

function withParameters(query: string, added: string): string {
  if (added === "") return query;
  const parameters = new URLSearchParams(query);
  for (const [name, value] of new URLSearchParams(added)) parameters.set(name, value);
  return parameters.toString();
}
