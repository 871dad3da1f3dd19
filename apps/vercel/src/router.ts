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
 */
export function createRouter<Resource>(routes: RoutesByPhase, find: (path: string) => Resource | undefined) {
  return (request: RoutedRequest): Routed<Resource> => new Routing(routes, find, request).run();
}

/** One request on its way through the phases, with what the routes have made of it so far. */
class Routing<Resource> {
  readonly #routes: RoutesByPhase;
  readonly #find: (path: string) => Resource | undefined;
  readonly #requestHeaders: IncomingHttpHeaders;
  readonly #originalPath: string;
  readonly #headers = new Map<string, { value: string; important: boolean }>();
  #path: string;
  #query: string;
  #status: number | undefined;

  constructor(
    routes: RoutesByPhase,
    find: (path: string) => Resource | undefined,
    { url, headers }: RoutedRequest,
  ) {
    this.#routes = routes;
    this.#find = find;
    this.#requestHeaders = headers;
    [this.#originalPath, this.#query] = divide(url);
    this.#path = this.#originalPath;
  }

  run(): Routed<Resource> {
    let phase: Phase = "initial";
    for (let step = 0; step < LONGEST_WAY; step++) {
      const next = this.#goThrough(phase);
      if (this.#headers.has("location")) return this.#redirect();
      const resource = next === "failed" && phase === "initial" ? undefined : this.#find(this.#path);
      if (resource !== undefined) return this.#hit(resource);
      if (next === "failed")
        return this.#fail(this.#status !== undefined && this.#status >= 400 ? this.#status : 404);
      phase = next;
    }
    return this.#fail(508);
  }

  /** Goes through one phase; gives where to go on when nothing is found at the path that it leaves. */
  #goThrough(phase: Phase): Phase | "failed" {
    for (const route of this.#routes[phase]) {
      const before = this.#path;
      if (!this.#applyIfMatched(route)) continue;
      if (route.check && this.#path !== before) {
        // A status of an earlier route ("nothing here, unless ...") is no longer true.
        if (this.#find(this.#path) !== undefined) this.#status = route.status;
        return "filesystem";
      }
      if (route.continue || route.check) continue;
      if (phase !== "initial") return phase === "miss" ? "failed" : "miss";
      return route.dest === undefined && (route.status ?? 0) >= 400 ? "failed" : "filesystem";
    }
    return NEXT_PHASE[phase] ?? "failed";
  }

  #applyIfMatched(route: Route): boolean {
    const fill = match(route, this.#path, this.#requestHeaders);
    if (fill !== null) this.#apply(route, fill);
    return fill !== null;
  }

  #apply(route: Route, fill: Fill): void {
    if (route.override) {
      this.#status = undefined;
      this.#headers.clear();
    }
    for (const [name, value] of Object.entries(route.headers)) {
      this.#headers.set(name.toLowerCase(), { value: fill(value), important: route.important });
    }
    for (const name of route.droppedParameters) this.#query = withoutParameter(this.#query, name);
    if (route.status !== undefined) this.#status = route.status;
    if (route.dest === undefined) return;
    const [path, query] = divide(fill(route.dest));
    this.#path = path;
    this.#query = withParameters(this.#query, query);
  }

  #redirect(): Routed<Resource> {
    const status = this.#status ?? 0;
    if (status < 300 || status > 399) this.#status = 307;
    return this.#leave(null);
  }

  #hit(resource: Resource): Routed<Resource> {
    for (const route of this.#routes.hit) {
      if (this.#applyIfMatched(route) && !route.continue) break;
    }
    return this.#leave(resource);
  }

  /** An error's page is what a route of its status leads to. */
  #fail(status: number): Routed<Resource> {
    this.#status = status;
    for (const route of this.#routes.error) {
      if ((route.status ?? status) !== status || !this.#applyIfMatched(route)) continue;
      return this.#leave((route.dest === undefined ? undefined : this.#find(this.#path)) ?? null);
    }
    return this.#leave(null);
  }

  #leave(resource: Resource | null): Routed<Resource> {
    return {
      resource,
      matchedPath: this.#path,
      url: this.#query === "" ? this.#originalPath : `${this.#originalPath}?${this.#query}`,
      status: this.#status,
      headers: this.#headers,
    };
  }
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
