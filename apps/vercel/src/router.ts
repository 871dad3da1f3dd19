import type { IncomingHttpHeaders } from "node:http";
import { HostError } from "@evenbench/host/loopback";

interface Condition {
  readonly header: string;
  readonly pattern: RegExp | null;
}

interface Route extends Omit<SourceRoute, "src" | "has" | "missing" | "transforms"> {
  readonly pattern: RegExp;
  readonly has: readonly Condition[];
  readonly missing: readonly Condition[];
  readonly droppedParameters: readonly string[];
}

const PHASES = ["initial", "filesystem", "rewrite", "resource", "miss", "hit", "error"] as const;
type Phase = (typeof PHASES)[number];

export type RoutesByPhase = Readonly<Record<Phase, readonly Route[]>>;

/** What `vercel build` writes for the apps here is known; all else is refused, not ignored. */
export interface SourceRoute {
  readonly src: string;
  readonly dest?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly continue?: boolean;
  readonly check?: boolean;
  readonly important?: boolean;
  readonly override?: boolean;
  readonly has?: readonly SourceCondition[];
  readonly missing?: readonly SourceCondition[];
  readonly transforms?: readonly SourceTransform[];
}

interface SourceCondition {
  readonly type: string;
  readonly key: string;
  readonly value?: string | object;
}

interface SourceTransform {
  readonly type: string;
  readonly op: string;
  readonly target: { readonly key: string | object };
}

const KNOWN_KEYS = new Set(
  "src dest headers status continue check important override has missing transforms".split(" "),
);

export function compileRoutes(routes: readonly (SourceRoute | { readonly handle: string })[]): RoutesByPhase {
  const byPhase = Object.fromEntries(PHASES.map((name) => [name, [] as Route[]])) as Record<Phase, Route[]>;
  let phase: Phase = "initial";
  for (const route of routes) {
    if ("handle" in route) {
      phase = PHASES.find((name) => name === route.handle) ?? refuse(`the phase "${route.handle}"`, route);
      continue;
    }
    const unknown = Object.keys(route).find((key) => !KNOWN_KEYS.has(key));
    if (unknown !== undefined) refuse(`"${unknown}"`, route);
    byPhase[phase].push(compile(route));
  }
  return byPhase;
}

function compile(route: SourceRoute): Route {
  const compileCondition = ({ type, key, value }: SourceCondition): Condition => {
    if (type !== "header") return refuse(`a condition on a ${type}`, route);
    if (typeof value === "object") return refuse("a condition that is not a regular expression", route);
    return { header: key.toLowerCase(), pattern: value === undefined ? null : expression(value, "", route) };
  };
  const droppedParameter = ({ type, op, target: { key } }: SourceTransform): string =>
    type === "request.query" && op === "delete" && typeof key === "string"
      ? key
      : refuse(`the transform ${op} of ${type}`, route);
  const { src, dest, has = [], missing = [], transforms = [], ...rest } = route;
  return {
    ...rest,
    ...(dest !== undefined && { dest: fromRoot(dest) }),
    pattern: expression(src, "i", route),
    has: has.map(compileCondition),
    missing: missing.map(compileCondition),
    droppedParameters: transforms.map(droppedParameter),
  };
}

/** Astro's adapter writes "_render" for the function at /_render. */
function fromRoot(dest: string): string {
  return dest.startsWith("/") || URL.canParse(dest) ? dest : `/${dest}`;
}

/** As Vercel's own normalisation has it: an expression stands for the whole text. */
function expression(source: string, flags: string, route: SourceRoute): RegExp {
  try {
    return new RegExp(
      `${source.startsWith("^") ? "" : "^"}${source}${source.endsWith("$") ? "" : "$"}`,
      flags,
    );
  } catch {
    return refuse("an expression that is not JavaScript's", route);
  }
}

function refuse(what: string, route: object): never {
  throw new HostError(
    `A route of config.json uses ${what}, which the local host does not have: ${JSON.stringify(route)}. Remove it from the deployable.`,
  );
}

export interface RoutedRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Routed<Resource> {
  readonly resource: Resource | null;
  readonly matchedPath: string;
  readonly url: string;
  readonly status: number | undefined;
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

/** The phases of config.json in their documented order, with a look at files and functions between them. */
export function createRouter<Resource>(routes: RoutesByPhase, find: (path: string) => Resource | undefined) {
  return (request: RoutedRequest): Routed<Resource> => new Routing(routes, find, request).run();
}

class Routing<Resource> {
  readonly #routes: RoutesByPhase;
  readonly #find: (path: string) => Resource | undefined;
  readonly #request: RoutedRequest;
  readonly #headers = new Map<string, { value: string; important: boolean }>();
  #path: string;
  #query: string;
  #status: number | undefined;

  constructor(routes: RoutesByPhase, find: (path: string) => Resource | undefined, request: RoutedRequest) {
    this.#routes = routes;
    this.#find = find;
    this.#request = request;
    [this.#path, this.#query] = divide(request.url);
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

  /** Gives where to go on when nothing is found at the path that it leaves. */
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
    const fill = match(route, this.#path, this.#request.headers);
    if (fill !== null) this.#apply(route, fill);
    return fill !== null;
  }

  #apply(route: Route, fill: Fill): void {
    if (route.override) {
      this.#status = undefined;
      this.#headers.clear();
    }
    for (const [name, value] of Object.entries(route.headers ?? {})) {
      this.#headers.set(name.toLowerCase(), { value: fill(value), important: route.important ?? false });
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
    const [path] = divide(this.#request.url);
    return {
      resource,
      matchedPath: this.#path,
      url: this.#query === "" ? path : `${path}?${this.#query}`,
      status: this.#status,
      headers: this.#headers,
    };
  }
}

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
