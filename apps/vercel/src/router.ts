// The way of one request through the routes of config.json.
import type { IncomingHttpHeaders } from "node:http";
import { localeRedirect } from "./locale.ts";
import type { MiddlewareOutcome } from "./middleware.ts";
import {
  type Fill,
  fromRoot,
  type OutputRoute,
  type RoutesByPhase,
  type RoutingPhase,
  type SourceTransform,
} from "./routes.ts";
import { UnservedError } from "./unserved.ts";

/** The header that says which function a path has led to. */
export const MATCHED_PATH = "x-matched-path";

/** The place that a request is led to, and what routes and middleware made of it and its answer. */
export interface Routed<Resource> {
  /** The file or function that answers; null where there is none. */
  readonly resource: Resource | null;
  /** The path of the function, as the platform calls it: without a base path. */
  readonly matchedPath: string;
  /** Path and query that a function sees. */
  readonly url: string;
  /** The status that routes gave the answer; undefined where they gave none. */
  readonly status: number | undefined;
  /** Headers that routes gave the answer, by lower-case name. An important one goes before a function's own. */
  readonly headers: ReadonlyMap<string, RoutedHeader>;
  /** Headers of the request as transforms left them. */
  readonly requestHeaders: IncomingHttpHeaders;
  /** Changes that take place when the answer has its own headers. */
  readonly answerChanges: readonly HeaderChange[];
  /** The response with which a middleware answered by itself; null where the request goes on. */
  readonly answer: Response | null;
}

interface RoutedHeader {
  readonly value: string;
  /** True where it goes before a header that a function sets. */
  readonly important: boolean;
}

interface HeaderChange {
  /** The operation: "set", "append" or "delete". */
  readonly op: string;
  readonly name: string;
  /** The value; ignored where the header is deleted. */
  readonly value: string;
}

/** Calls the middleware at a path for the request that is routed, with the headers that it has come to. */
export type CallMiddleware = (path: string, headers: IncomingHttpHeaders) => Promise<MiddlewareOutcome>;

/**
 * Leads a request through the routes.
 *
 * @param url path and query.
 * @throws {UnservedError} for a request that reaches a route with something that is not served.
 */
export type RouteRequest<Resource> = (
  url: string,
  headers: IncomingHttpHeaders,
  callMiddleware: CallMiddleware,
) => Promise<Routed<Resource>>;

/**
 * Makes the router of a build's output, by the documented phases of config.json.
 *
 * @param find gives the file or function at a path.
 */
export function createRouter<Resource>(
  routes: RoutesByPhase,
  find: (path: string) => Resource | undefined,
): RouteRequest<Resource> {
  return (url, headers, callMiddleware) =>
    new RequestRouting({ routes, find, callMiddleware }, url, headers).run();
}

/** The phase after one in which no route ended the way; the others have none. */
const NEXT_PHASE: Readonly<Partial<Record<RoutingPhase, RoutingPhase>>> = {
  initial: "filesystem",
  filesystem: "rewrite",
  rewrite: "resource",
  resource: "miss",
};

/** Number of phases after which routes are taken to lead to each other. No sensible configuration takes as many. */
const MAX_PHASES = 50;

/** The parts of a build's output that a request is led by. */
interface Places<Resource> {
  readonly routes: RoutesByPhase;
  /** Gives the file or function at a path. */
  readonly find: (path: string) => Resource | undefined;
  readonly callMiddleware: CallMiddleware;
}

/** The way of one request. Methods stand in the order in which a request comes to them. */
class RequestRouting<Resource> {
  readonly #places: Places<Resource>;
  /** The path that the request has come to, which routes are matched with. */
  #path: string;
  /** The query without its question mark; "" for none. */
  #query: string;
  /** The path that a function sees: the one that was asked for, unless a route sets another. */
  #shownPath: string;
  #status: number | undefined;
  readonly #headers = new Map<string, RoutedHeader>();
  #requestHeaders: IncomingHttpHeaders;
  readonly #answerChanges: HeaderChange[] = [];
  #answer: Response | null = null;

  constructor(places: Places<Resource>, url: string, headers: IncomingHttpHeaders) {
    const { path, query } = divide(url);
    this.#places = places;
    this.#path = path;
    this.#query = query;
    this.#shownPath = path;
    this.#requestHeaders = { ...headers };
  }

  async run(): Promise<Routed<Resource>> {
    let phase: RoutingPhase = "initial";
    for (let count = 0; count < MAX_PHASES; count++) {
      const next = await this.#goThrough(phase);
      if (this.#answer !== null) {
        return this.#result(null);
      }
      if (this.#headers.has("location")) {
        return this.#redirect();
      }
      // A route of the first phase that refuses a request does so for files, too.
      const isRefused = next === "failed" && phase === "initial";
      const resource = isRefused ? undefined : this.#places.find(this.#path);
      if (resource !== undefined) {
        return this.#hit(resource);
      }
      if (next === "failed") {
        return this.#fail(this.#status !== undefined && this.#status >= 400 ? this.#status : 404);
      }
      phase = next;
    }
    return this.#fail(508);
  }

  /** Goes through the routes of a phase. @returns the phase that follows where nothing is found at the path. */
  async #goThrough(phase: RoutingPhase): Promise<RoutingPhase | "failed"> {
    for (const route of this.#places.routes[phase]) {
      const pathBefore = this.#path;
      if (!this.#applyIfMatched(route)) {
        continue;
      }
      if (route.middlewarePath !== undefined) {
        await this.#passMiddleware(route.middlewarePath);
      }
      if (this.#answer !== null) {
        return "failed";
      }
      if (route.check && this.#path !== pathBefore) {
        // A status of an earlier route ("nothing here, unless ...") is no longer true.
        if (this.#places.find(this.#path) !== undefined) {
          this.#status = route.status;
        }
        return "filesystem";
      }
      if (!route.continue && !route.check) {
        return phaseAfter(route, phase);
      }
    }
    return NEXT_PHASE[phase] ?? "failed";
  }

  /** Applies a route to a request that it matches. @returns whether it does. */
  #applyIfMatched(route: OutputRoute): boolean {
    const fill = route.match({ path: this.#path, query: this.#query, headers: this.#requestHeaders });
    if (fill === null) {
      return false;
    }
    if (route.lacks !== null) {
      throw new UnservedError(route.lacks);
    }
    this.#setHeaders(route, fill);
    for (const transform of route.transforms) {
      this.#transform(transform, fill);
    }
    const elsewhere = localeRedirect(route.locale, this.#path, this.#requestHeaders);
    if (elsewhere !== null) {
      this.#headers.set("location", { value: elsewhere, important: false });
      this.#status = 307;
      return true;
    }
    this.#moveOn(route, fill);
    return true;
  }

  #setHeaders(route: OutputRoute, fill: Fill): void {
    if (route.override) {
      this.#status = undefined;
      this.#headers.clear();
    }
    for (const [name, value] of Object.entries(route.headers ?? {})) {
      this.#headers.set(name.toLowerCase(), { value: fill(value), important: route.important ?? false });
    }
  }

  #transform({ type, op, target, args = "" }: SourceTransform, fill: Fill): void {
    const name = typeof target?.key === "string" ? target.key : "";
    const values = (typeof args === "string" ? [args] : args).map(fill);
    if (type === "request.path") {
      this.#shownPath = values[0] ?? this.#shownPath;
    }
    if (type === "request.query") {
      this.#query = withParameter(this.#query, op, name, values);
    }
    if (type === "request.headers") {
      changeHeader(this.#requestHeaders, op, name.toLowerCase(), values.join(", "));
    }
    if (type === "response.headers") {
      this.#answerChanges.push({ op, name, value: values.join(", ") });
    }
  }

  /** Takes over the status of a route, and the path that it leads to. */
  #moveOn(route: OutputRoute, fill: Fill): void {
    if (route.status !== undefined) {
      this.#status = route.status;
    }
    if (route.dest !== undefined) {
      const { path, query } = divide(fill(route.dest));
      this.#path = path;
      this.#query = withParameters(this.#query, query);
    }
  }

  /** Calls a middleware, and takes over what it makes of the request. */
  async #passMiddleware(middlewarePath: string): Promise<void> {
    const outcome = await this.#places.callMiddleware(fromRoot(middlewarePath), this.#requestHeaders);
    this.#answer = outcome.answer;
    this.#requestHeaders = { ...outcome.requestHeaders };
    for (const [name, value] of outcome.headers) {
      if (name === "set-cookie") {
        this.#answerChanges.push({ op: "append", name, value });
      } else {
        this.#headers.set(name, { value, important: false });
      }
    }
    if (outcome.rewrite !== null) {
      const { path, query } = divide(outcome.rewrite);
      this.#path = path;
      this.#query = query;
    }
  }

  /** Ends the way with a redirect, which has a status of its own kind. */
  #redirect(): Routed<Resource> {
    if (this.#status === undefined || this.#status < 300 || this.#status > 399) {
      this.#status = 307;
    }
    return this.#result(null);
  }

  /** Ends the way at a file or function that was found: the routes of the phase "hit" change its answer. */
  #hit(resource: Resource): Routed<Resource> {
    for (const route of this.#places.routes.hit) {
      if (this.#applyIfMatched(route) && !route.continue) {
        break;
      }
    }
    return this.#result(resource);
  }

  /** Ends the way with an error. Its page is what a route of its status leads to. */
  #fail(status: number): Routed<Resource> {
    this.#status = status;
    for (const route of this.#places.routes.error) {
      if ((route.status ?? status) === status && this.#applyIfMatched(route)) {
        const page = route.dest === undefined ? undefined : this.#places.find(this.#path);
        return this.#result(page ?? null);
      }
    }
    return this.#result(null);
  }

  #result(resource: Resource | null): Routed<Resource> {
    return {
      resource,
      // The build says it itself where it differs, such as below a base path.
      matchedPath: this.#headers.get(MATCHED_PATH)?.value ?? this.#path,
      url: this.#query === "" ? this.#shownPath : `${this.#shownPath}?${this.#query}`,
      status: this.#status,
      headers: this.#headers,
      requestHeaders: this.#requestHeaders,
      answerChanges: this.#answerChanges,
      answer: this.#answer,
    };
  }
}

/** Gives the phase that follows where a route without `continue` and `check` was matched. */
function phaseAfter(route: OutputRoute, phase: RoutingPhase): RoutingPhase | "failed" {
  if (phase === "miss") {
    return "failed";
  }
  if (phase !== "initial") {
    return "miss";
  }
  return route.dest === undefined && (route.status ?? 0) >= 400 ? "failed" : "filesystem";
}

interface DividedUrl {
  readonly path: string;
  /** The query without its question mark; "" for none. */
  readonly query: string;
}

function divide(url: string): DividedUrl {
  const at = url.indexOf("?");
  return at === -1 ? { path: url, query: "" } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

/** Changes one parameter of a query. What is not changed stays as it was written. */
function withParameter(query: string, op: string, name: string, values: readonly string[]): string {
  const parameters = new URLSearchParams(query);
  if (op === "delete" && !parameters.has(name)) {
    return query;
  }
  if (op !== "append") {
    parameters.delete(name);
  }
  if (op !== "delete") {
    for (const value of values) {
      parameters.append(name, value);
    }
  }
  return parameters.toString();
}

function changeHeader(headers: IncomingHttpHeaders, op: string, name: string, value: string): void {
  const before = headers[name]?.toString();
  if (op === "delete") {
    delete headers[name];
  } else {
    headers[name] = op === "append" && before !== undefined ? `${before}, ${value}` : value;
  }
}

/** Adds parameters to a query; those of the same names are replaced. */
function withParameters(query: string, added: string): string {
  if (added === "") {
    return query;
  }
  const parameters = new URLSearchParams(query);
  for (const [name, value] of new URLSearchParams(added)) {
    parameters.set(name, value);
  }
  return parameters.toString();
}
