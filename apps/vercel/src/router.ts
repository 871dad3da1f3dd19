import type { IncomingHttpHeaders } from "node:http";
import { HostError } from "@evenbench/host/loopback";

interface Route extends Omit<SourceRoute, "src" | "has" | "missing" | "transforms"> {
  /** What its texts are filled by, or null for a request that is not its. */
  match(path: string, headers: IncomingHttpHeaders): Fill | null;
  readonly droppedParameters: readonly string[];
}

type Fill = (text: string) => string;

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
  const { src, dest, has = [], missing = [], transforms = [], ...rest } = route;
  const pattern = expression(src, "i", route);
  const condition = ({ type, key, value = "[^]*" }: SourceCondition) => {
    if (type !== "header") return refuse(`a condition on a ${type}`, route);
    if (typeof value === "object") return refuse("a condition that is not a regular expression", route);
    const [header, valuePattern] = [key.toLowerCase(), expression(value, "", route)];
    return (headers: IncomingHttpHeaders) => {
      const sent = headers[header]?.toString();
      return sent === undefined ? null : valuePattern.exec(sent);
    };
  };
  const [wanted, unwanted] = [has.map(condition), missing.map(condition)];
  const droppedParameter = ({ type, op, target: { key } }: SourceTransform): string =>
    type === "request.query" && op === "delete" && typeof key === "string"
      ? key
      : refuse(`the transform ${op} of ${type}`, route);
  return {
    ...rest,
    ...(dest !== undefined && { dest: fromRoot(dest) }),
    droppedParameters: transforms.map(droppedParameter),
    match(path, headers) {
      const found = pattern.exec(path);
      if (found === null || unwanted.some((matches) => matches(headers) !== null)) return null;
      const matched = wanted.map((matches) => matches(headers));
      if (matched.includes(null)) return null;
      const captured: Record<string, string | undefined> = Object.assign(
        {},
        [...found],
        ...[found, ...matched].map((match) => match?.groups),
      );
      return (text) => text.replace(/\$(\w+)/g, (_, name: string) => captured[name] ?? "");
    },
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

export interface Routed<Resource> {
  readonly resource: Resource | null;
  readonly matchedPath: string;
  readonly url: string;
  readonly status: number | undefined;
  readonly headers: ReadonlyMap<string, { readonly value: string; readonly important: boolean }>;
}

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
  return function route(url: string, requestHeaders: IncomingHttpHeaders): Routed<Resource> {
    const headers = new Map<string, { value: string; important: boolean }>();
    let [path, query] = divide(url);
    let status = undefined as number | undefined;

    let phase: Phase = "initial";
    for (let step = 0; step < LONGEST_WAY; step++) {
      const next = goThrough(phase);
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

    /** Gives where to go on when nothing is found at the path that it leaves. */
    function goThrough(phase: Phase): Phase | "failed" {
      for (const route of routes[phase]) {
        const before = path;
        if (!applyIfMatched(route)) continue;
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
    }

    function applyIfMatched(route: Route): boolean {
      const fill = route.match(path, requestHeaders);
      if (fill === null) return false;
      if (route.override) {
        status = undefined;
        headers.clear();
      }
      for (const [name, value] of Object.entries(route.headers ?? {})) {
        headers.set(name.toLowerCase(), { value: fill(value), important: route.important ?? false });
      }
      for (const name of route.droppedParameters) query = withoutParameter(query, name);
      if (route.status !== undefined) status = route.status;
      if (route.dest !== undefined) {
        const [to, added] = divide(fill(route.dest));
        path = to;
        query = withParameters(query, added);
      }
      return true;
    }

    function hit(resource: Resource): Routed<Resource> {
      for (const route of routes.hit) if (applyIfMatched(route) && !route.continue) break;
      return leave(resource);
    }

    /** An error's page is what a route of its status leads to. */
    function fail(failed: number): Routed<Resource> {
      status = failed;
      for (const route of routes.error) {
        if ((route.status ?? failed) !== failed || !applyIfMatched(route)) continue;
        return leave((route.dest === undefined ? undefined : find(path)) ?? null);
      }
      return leave(null);
    }

    function leave(resource: Resource | null): Routed<Resource> {
      const [pathname] = divide(url);
      const address = query === "" ? pathname : `${pathname}?${query}`;
      return { resource, matchedPath: path, url: address, status, headers };
    }
  };
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
